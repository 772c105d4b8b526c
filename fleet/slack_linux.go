package fleet

import (
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is what TimerSlackNSec says in docs/operations/systemd.
const timerSlack = 2 * time.Millisecond

// start starts a server as systemd would: a process has the slack of the thread that
// started it.
func start(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack.Nanoseconds()), 0, 0, 0); err != nil {
		return err
	}
	defer func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }() // this thread's own again
	return cmd.Start()
}
