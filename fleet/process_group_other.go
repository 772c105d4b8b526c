//go:build !linux

package fleet

import "syscall"

// withUs would have a process end with this one, however this one ends; here only the
// test's own end does it.
func withUs() *syscall.SysProcAttr { return nil }
