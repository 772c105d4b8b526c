package fleet

import "syscall"

// withUs has a process end with this one, however this one ends, and be a session of its
// own, as a service of systemd's is: the kernel may weigh sessions against each other.
func withUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
}
