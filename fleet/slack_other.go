//go:build !linux

package fleet

import "os/exec"

// start starts a server. Slack is Linux's.
func start(cmd *exec.Cmd) error { return cmd.Start() }
