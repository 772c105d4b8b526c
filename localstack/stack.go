//go:build unix

// Package localstack runs private Postgres and Redis servers on the loopback address, for `homeroom local` and for
// tests. It never touches a server it did not start itself, never installs anything, and has no place in production.
package localstack

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Stack is a set of running servers.
type Stack struct {
	options  Options
	dir      string
	account  account
	lock     *lock
	shared   bool
	postgres map[string]*postgres
	redis    *redis
	mini     *mini
	stopped  sync.Once
}

// ErrInUse says that a living process already runs servers in the folder.
var ErrInUse = errors.New("the folder is in use by another process")

// Start runs the servers and returns when they answer. Servers which a killed process left alive in the same folder are
// adopted; what it left half done is cleaned up.
func Start(ctx context.Context, o Options) (*Stack, error) {
	for {
		s, err := startPrivate(ctx, o)
		if !errors.Is(err, errReplaced) {
			return s, err
		}
	}
}

func startPrivate(ctx context.Context, o Options) (*Stack, error) {
	s, err := prepare(o)
	if err != nil {
		return nil, err
	}
	s.lock, err = openLock(filepath.Join(s.dir, "lock"))
	if err != nil {
		return nil, err
	}
	if err := s.takeFolder(ctx); err != nil {
		s.lock.release()
		return nil, err
	}
	if !o.Durable {
		// Started before the servers are, so that none is left behind whenever this process dies.
		if err := startReaper(s.dir, "lock", 0); err != nil {
			s.lock.release()
			return nil, err
		}
	}
	if err := s.startServers(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// takeFolder waits a little for a process that is just stopping, which is what a quick restart meets.
func (s *Stack) takeFolder(ctx context.Context) error {
	if free, err := s.lock.try(syscall.LOCK_EX); free || err != nil {
		return err
	}
	s.options.Log("waiting for process %s, which uses %s", s.lock.owner(), s.dir)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.lock.wait(ctx, syscall.LOCK_EX)
}

func (s *Stack) startServers(ctx context.Context) error {
	var starts []func() error
	for _, p := range s.postgres {
		starts = append(starts, func() error { return p.start(ctx) })
	}
	if s.redis != nil {
		starts = append(starts, func() error { return s.redis.start(ctx) })
	}
	if s.mini != nil {
		starts = append(starts, func() error { return s.mini.start(s.options.Log) })
	}
	return together(starts)
}

// PostgresURL is the address of a server's database "homeroom", as its superuser "homeroom".
func (s *Stack) PostgresURL(name string) string {
	p, ok := s.postgres[name]
	if !ok {
		panic(fmt.Sprintf("localstack: no Postgres server named %q was asked for", name))
	}
	return p.url("homeroom")
}

// RedisURL is the address of the Redis server, with its password.
func (s *Stack) RedisURL() string {
	switch {
	case s.redis != nil:
		return s.redis.url()
	case s.mini != nil:
		return s.mini.url()
	}
	panic("localstack: no Redis server was asked for")
}

// RedisAuthority is the file with the authority that Redis's certificate is of, with Options.TLS.
func (s *Stack) RedisAuthority() string { return s.redis.secured.authority }

// IsShared says whether other processes use these servers too: see Shared.
func (s *Stack) IsShared() bool { return s.shared }

// Dir is where the data is: Options.Dir, or its stand-in where that one is closed to the servers' user.
func (s *Stack) Dir() string { return s.dir }

// together runs the steps at the same time and joins their errors in a stable order.
func together(steps []func() error) error {
	errs := make([]error, len(steps))
	var all sync.WaitGroup
	for i, step := range steps {
		all.Go(func() { errs[i] = step() })
	}
	all.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(e error) bool { return e == nil })...)
}
