//go:build unix

package localstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a running server: our child, or an orphan we adopted.
type process struct {
	pid  int
	done chan struct{} // closed when our child has ended; nil for an adopted one
}

// spawn starts a server in a session of its own, so that Ctrl-C on our terminal does not reach it: we stop it in order.
func spawn(a account, program string, args []string, folder string, output *os.File) (*process, error) {
	keepDescriptors()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, a.env(), output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: a.credential()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// keepDescriptors marks every descriptor we inherited (a make jobserver, a pipe of the caller's shell) as not to be
// inherited again. A server outlives its tests by seconds, and a reader of that pipe would wait for it.
func keepDescriptors() {
	for _, folder := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
		return
	}
}

// findProcess reads a pid file and returns the process only if it really runs on the folder: after a crash the pid may
// long belong to somebody else.
func findProcess(pidFile, folder string) *process {
	pid := readPid(pidFile)
	if pid <= 0 || !strings.Contains(commandLine(pid), folder+string(filepath.Separator)) {
		return nil
	}
	return &process{pid: pid}
}

func readPid(pidFile string) int {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	pid, _ := strconv.Atoi(string(bytes.TrimSpace(first)))
	return pid
}

// commandLine is empty for a process that is gone, and for one that has ended and was not yet collected.
func commandLine(pid int) string {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil {
		return strings.ReplaceAll(string(text), "\x00", " ")
	}
	if _, err := os.Stat("/proc/self/cmdline"); err == nil {
		return ""
	}
	text, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output() // macOS
	if err != nil {
		return ""
	}
	return string(text)
}

func (p *process) alive() bool {
	if p.done == nil {
		return commandLine(p.pid) != ""
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *process) signal(s syscall.Signal) error {
	if !p.alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.pid, s)
}

// end sends the signals one after the other, each with its patience, until the process is gone.
func (p *process) end(patience time.Duration, signals ...syscall.Signal) error {
	for _, s := range append(signals, syscall.SIGKILL) {
		if err := p.signal(s); errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
			return nil
		} else if err != nil {
			return fmt.Errorf("signal %v to process %d: %w", s, p.pid, err)
		}
		_ = p.signal(syscall.SIGCONT) // a frozen one hears nothing else
		if p.gone(patience) {
			return nil
		}
		patience = 5 * time.Second
	}
	return fmt.Errorf("process %d does not end", p.pid)
}

func (p *process) gone(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	still := errors.New("still there")
	return poll(ctx, 5*time.Millisecond, func() (bool, error) { return !p.alive(), nil }, func() error { return still }) == nil
}
