package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"homeroom/migrations"
	"homeroom/tenancy"
)

const (
	// ensureTimeout is how long a school may be migrated on demand.
	ensureTimeout = 30 * time.Second
	// ensureAgain is how long a failure is believed: requests for a school that
	// cannot be migrated must not all try.
	ensureAgain = 10 * time.Second
)

// EnsureSchool migrates a school that a request met behind the binary, and returns at
// once for one that is not. Requests that come meanwhile wait for the same migration;
// it goes on when they give up. An error wraps ErrBehind.
func (m *Migrator) EnsureSchool(ctx context.Context, s *tenancy.School) error {
	if s.SchemaVersion >= migrations.Latest(m.Migrations) {
		return nil
	}
	known, err := m.ensured.recall(s, m.cluster.Options().Clock())
	if err != nil {
		return fmt.Errorf("%w: %w", tenancy.ErrBehind, err)
	}
	if known >= migrations.Latest(m.Migrations) {
		return nil // the caller's copy of the school is older than our work on it
	}
	work := m.ensuring.DoChan(s.Node+" "+s.Schema, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ensureTimeout)
		defer cancel()
		return nil, m.ensure(ctx, s)
	})
	select {
	case result := <-work:
		if result.Err != nil {
			return fmt.Errorf("%w: %w", tenancy.ErrBehind, result.Err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Migrator) ensure(ctx context.Context, s *tenancy.School) error {
	// A fleet that is behind as a whole must not open a connection for every school.
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	n, err := m.cluster.Node(ctx, s.Node)
	if err != nil {
		return err
	}
	t := target{node: s.Node, schema: s.Schema, shard: s.Shard, school: schoolRef{s.ID, s.Code}}
	w := worker{migration: &migration{Migrator: m}, node: n}
	defer w.close()
	out, err := w.patiently(ctx, t)
	m.ensured.remember(s, ensuredSchool{out.version, err, m.cluster.Options().Clock()})
	versions := newVersionRecorder(ctx, m.cluster)
	versions.record(t, out.version, err)
	return errors.Join(err, versions.close())
}

// ensured remembers what came of schools that were migrated on demand: success for
// good, failure for a moment. A school that moved is another one to it.
type ensured struct {
	mu      sync.Mutex
	schools map[string]ensuredSchool
}

type ensuredSchool struct {
	version int
	err     error
	at      time.Time
}

func (e *ensured) recall(school *tenancy.School, now time.Time) (version int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.schools[school.Node+" "+school.Schema]
	if s.err != nil && now.Sub(s.at) < ensureAgain {
		return s.version, s.err
	}
	return s.version, nil
}

func (e *ensured) remember(school *tenancy.School, s ensuredSchool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.schools == nil {
		e.schools = map[string]ensuredSchool{}
	}
	e.schools[school.Node+" "+school.Schema] = s
}
