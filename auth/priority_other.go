//go:build unix && !linux

package auth

import "syscall"

// standBack lowers the priority of the process, where the kernel allows it.
func standBack() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, hashNice)
}
