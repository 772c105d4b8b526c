//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Tests hurt servers to see what the product does then. They start a Stack of their own for it.

var errShared = errors.New("localstack: these servers are shared with other tests; start a private Stack to hurt it")

// RestartPostgres stops a server, if it runs, and starts it again on the same port.
func (s *Stack) RestartPostgres(ctx context.Context, name string) error {
	p, err := s.victim(name)
	if err != nil {
		return err
	}
	if err := errors.Join(s.ThawPostgres(name), p.stop()); err != nil {
		return err
	}
	return p.launch(ctx, true)
}

// KillPostgres ends a server as a power failure would. RestartPostgres brings it back.
func (s *Stack) KillPostgres(name string) error {
	p, err := s.victim(name)
	if err != nil {
		return err
	}
	if p.process == nil {
		return nil
	}
	// Its children outlive it until they notice, and would answer what they are asked meanwhile.
	if err := errors.Join(p.process.signal(syscall.SIGSTOP), signalChildren(p.process.pid, syscall.SIGKILL)); err != nil {
		return err
	}
	if err := p.process.end(hung, syscall.SIGKILL); err != nil {
		return err
	}
	p.process = nil
	return nil
}

// FreezePostgres leaves a server its port and its connections, but no life, until ThawPostgres.
func (s *Stack) FreezePostgres(name string) error {
	p, err := s.victim(name)
	if err != nil {
		return err
	}
	if p.process == nil {
		return fmt.Errorf("localstack: %s is not running", p.title)
	}
	if err := p.process.signal(syscall.SIGSTOP); err != nil { // first: it makes no more children then
		return err
	}
	p.frozen = true
	return signalChildren(p.process.pid, syscall.SIGSTOP)
}

// ThawPostgres lets a frozen server go on where it was.
func (s *Stack) ThawPostgres(name string) error {
	p, err := s.victim(name)
	if err != nil || p.process == nil || !p.frozen {
		return err
	}
	p.frozen = false
	return errors.Join(signalChildren(p.process.pid, syscall.SIGCONT), p.process.signal(syscall.SIGCONT))
}

// signalChildren reaches the children one by one: each process of a Postgres server is a session of its own.
func signalChildren(parent int, signal syscall.Signal) error {
	list, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return fmt.Errorf("localstack: looking for the children of %d: %w", parent, err)
	}
	for line := range strings.Lines(string(list)) {
		var pid, of int
		if n, _ := fmt.Sscan(line, &pid, &of); n != 2 || of != parent {
			continue
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

func (s *Stack) victim(name string) (*postgres, error) {
	p, ok := s.postgres[name]
	switch {
	case s.shared:
		return nil, errShared
	case !ok:
		return nil, fmt.Errorf("localstack: no Postgres server named %q", name)
	}
	return p, nil
}

// StopRedis stops the server; StartRedis brings it back on the same port, empty unless it is durable.
func (s *Stack) StopRedis(context.Context) error {
	if err := s.ownsRedis(); err != nil {
		return err
	}
	return s.redis.stop()
}

// StartRedis starts a server that StopRedis stopped.
func (s *Stack) StartRedis(ctx context.Context) error {
	if err := s.ownsRedis(); err != nil || s.redis.process != nil {
		return err
	}
	return s.redis.launch(ctx, true)
}

// FreezeRedis leaves the server its port and its connections, but no life: nothing is answered until ThawRedis.
func (s *Stack) FreezeRedis() error { return s.signalRedis(syscall.SIGSTOP) }

// ThawRedis lets a frozen server go on where it was.
func (s *Stack) ThawRedis() error { return s.signalRedis(syscall.SIGCONT) }

func (s *Stack) signalRedis(signal syscall.Signal) error {
	if err := s.ownsRedis(); err != nil {
		return err
	}
	if s.redis.process == nil {
		return errors.New("localstack: Redis is not running")
	}
	return s.redis.process.signal(signal)
}

// Halt stops the pooler; StartAgain brings it back on the same port.
func (b *PgBouncer) Halt() error { return b.stop() }

// StartAgain starts a pooler that Halt stopped.
func (b *PgBouncer) StartAgain(ctx context.Context) error { return b.launch(ctx, true) }

func (s *Stack) ownsRedis() error {
	switch {
	case s.shared:
		return errShared
	case s.redis == nil:
		return errors.New("localstack: this Stack has no Redis server of its own")
	}
	return nil
}
