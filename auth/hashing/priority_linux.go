package hashing

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// hashSlice is the time slice that hashing requests. The kernel lets a thread with a shorter
// one preempt it as soon as it wakes; with the usual slice hashing would first finish its own,
// and a request that wakes five times would wait for five of them.
const hashSlice = 100 * time.Millisecond

// lowerPriority lowers the priority of every thread of the process; later ones inherit it. Where
// the kernel weighs sessions before it weighs threads, the session's priority counts against
// Postgres and Redis, so it is lowered as well. Failures are ignored: hashing then slows the
// others, and stays correct.
func lowerPriority() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: hashNice, Runtime: uint64(hashSlice)}, 0)
		}
	}
	_ = os.WriteFile("/proc/self/autogroup", fmt.Append(nil, hashNice), 0)
}
