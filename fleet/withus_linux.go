package fleet

import "syscall"

// withUs has a process end with this one, however this one ends.
func withUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
