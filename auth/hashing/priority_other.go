//go:build unix && !linux

package hashing

import "syscall"

// lowerPriority lowers the priority of the process, where the kernel allows it.
func lowerPriority() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, hashNice)
}
