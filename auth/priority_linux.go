package auth

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// hashSlice is how long hashing asks to run at a stretch. The kernel lets whoever asks
// for less interrupt it as soon as they wake; with a slice like everybody's it would
// be left to end its own first, and a request that wakes five times wait for five.
const hashSlice = 100 * time.Millisecond

// lowerPriority lowers the priority of every thread there is; later ones inherit it. Where
// the kernel weighs sessions against each other before it weighs threads, that of the
// session counts against Postgres and Redis, so it is lowered as well. A system that
// refuses leaves it as it was: slower for the others, still right.
func lowerPriority() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: hashNice, Runtime: uint64(hashSlice)}, 0)
		}
	}
	_ = os.WriteFile("/proc/self/autogroup", fmt.Append(nil, hashNice), 0)
}
