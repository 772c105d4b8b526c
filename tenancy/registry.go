package tenancy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
)

const (
	// registrySize bounds the schools an instance remembers.
	registrySize = 20_000
	// registryTTL is how old a remembered school may grow when the hints between
	// instances are cut; with them, a change is seen within a second.
	registryTTL = 20 * time.Second
)

// Registry finds schools by id and remembers them until they change.
type Registry struct {
	cluster *Cluster
	cache   *lru.Cache[uuid.UUID, cachedSchool]

	mu      sync.Mutex
	loading map[uuid.UUID]*load
}

// cachedSchool is a school as it was read, and until when it is believed, by the cluster's clock.
type cachedSchool struct {
	*School
	until time.Time
}

// load is one query that several requests wait for. It is stale when a change was
// announced while it ran: its answer then serves those who wait and is not kept.
type load struct {
	done   chan struct{}
	school *School
	err    error
	stale  bool
}

// NewRegistry remembers schools of the cluster.
func NewRegistry(c *Cluster) *Registry {
	cache, err := lru.New[uuid.UUID, cachedSchool](registrySize)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &Registry{cluster: c, cache: cache, loading: map[uuid.UUID]*load{}}
}

// School returns the school or ErrSchoolNotFound.
func (r *Registry) School(ctx context.Context, id uuid.UUID) (*School, error) {
	if s, ok := r.cache.Get(id); ok && r.cluster.options.Clock().Before(s.until) {
		return s.School, nil
	}
	r.mu.Lock()
	l, running := r.loading[id]
	if !running {
		l = &load{done: make(chan struct{})}
		r.loading[id] = l
		go r.load(context.WithoutCancel(ctx), id, l)
	}
	r.mu.Unlock()
	select {
	case <-l.done:
		return l.school, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *Registry) load(ctx context.Context, id uuid.UUID, l *load) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	until := r.cluster.options.Clock().Add(registryTTL)
	l.school, l.err = r.cluster.FindSchool(ctx, id)
	r.mu.Lock()
	if l.err == nil && !l.stale {
		r.cache.Add(id, cachedSchool{l.school, until})
	}
	if r.loading[id] == l {
		delete(r.loading, id)
	}
	r.mu.Unlock()
	close(l.done)
}

// Forget drops what is remembered of a school, since it changed.
func (r *Registry) Forget(id uuid.UUID) {
	r.mu.Lock()
	if l := r.loading[id]; l != nil {
		l.stale = true
		delete(r.loading, id)
	}
	r.mu.Unlock()
	r.cache.Remove(id)
}

// ForgetAll drops everything, for when hints may have been missed.
func (r *Registry) ForgetAll() {
	r.mu.Lock()
	for id, l := range r.loading {
		l.stale = true
		delete(r.loading, id)
	}
	r.mu.Unlock()
	r.cache.Purge()
}

// SchoolColumns are the columns of platform.school that ScanSchool reads.
const SchoolColumns = `id, code, name, coalesce(node, ''), coalesce(schema_name, ''),
	coalesce(shard, 0), status, time_zone, locale, currency,
	weekend_days, schema_version, address, phone, email, home, held`

// ScanSchool reads a school from a row of SchoolColumns.
func ScanSchool(row pgx.Row) (*School, error) {
	var s School
	err := row.Scan(&s.ID, &s.Code, &s.Name, &s.Node, &s.Schema, &s.Shard, &s.Status, &s.TimeZone, &s.Locale, &s.Currency,
		&s.WeekendDays, &s.SchemaVersion, &s.Address, &s.Phone, &s.Email, &s.Home, &s.Held)
	if err != nil {
		return nil, err
	}
	if err := s.LoadLocation(); err != nil {
		return nil, fmt.Errorf("school %s: %w", s.ID, err)
	}
	return &s, nil
}

// FindSchool reads a school from the platform's schema, past the registry.
func (c *Cluster) FindSchool(ctx context.Context, id uuid.UUID) (*School, error) {
	s, err := ScanSchool(c.platform.QueryRow(ctx, `select `+SchoolColumns+` from platform.school where id = $1`, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrSchoolNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("finding school: %w", err)
	}
	return s, nil
}

// EachSchool calls f for every school that has a schema, in the order of its id.
func (c *Cluster) EachSchool(ctx context.Context, f func(*School) error) error {
	rows, err := c.platform.Query(ctx, `select `+SchoolColumns+` from platform.school where schema_name is not null and status <> 'ARCHIVED'
		order by id`)
	if err != nil {
		return fmt.Errorf("listing schools: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		s, err := ScanSchool(rows)
		if err != nil {
			return err
		}
		if err := f(s); err != nil {
			return err
		}
	}
	return rows.Err()
}
