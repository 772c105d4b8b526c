package platform

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// trafficDelay is how long an instance gathers numbers before it writes them down.
const trafficDelay = 10 * time.Second

// Traffic counts answers, by school, and adds what it counted to the platform's tables
// now and then, so that the numbers are of all instances together. Counting is a few
// atomic additions; an instance that nobody asks anything writes nothing. What a crash
// takes with it is the last seconds' numbers.
type Traffic struct {
	cluster *tenancy.Cluster
	log     *slog.Logger
	now     func() time.Time

	cells  sync.Map    // uuid.UUID → *cell; as many as there are schools
	stirs  atomic.Bool // something was counted since the last writing began
	writes sync.Mutex
}

// cell is what was counted for one school since it was last written down.
type cell struct{ requests, errors, micros atomic.Int64 }

// NewTraffic has counted nothing.
func NewTraffic(c *tenancy.Cluster, log *slog.Logger, now func() time.Time) *Traffic {
	return &Traffic{cluster: c, log: log, now: now}
}

// Count takes down one answer; school is zero where it was for none.
func (t *Traffic) Count(school uuid.UUID, status int, took time.Duration) {
	found, ok := t.cells.Load(school)
	if !ok {
		found, _ = t.cells.LoadOrStore(school, &cell{})
	}
	c := found.(*cell)
	c.requests.Add(1)
	c.micros.Add(took.Microseconds())
	if status >= 500 {
		c.errors.Add(1)
	}
	// The first answer after a writing has the next one come.
	if !t.stirs.Load() && t.stirs.CompareAndSwap(false, true) {
		time.AfterFunc(trafficDelay, func() {
			ctx, cancel := context.WithTimeout(context.Background(), trafficDelay)
			defer cancel()
			if err := t.Flush(ctx); err != nil {
				t.log.Warn("the numbers of requests were not written down; they are with the next", "error", err)
			}
		})
	}
}

// gathered is what one writing adds, in the order of the schools: instances that write
// at once take the rows' locks in the same order.
type gathered struct {
	schools                  []uuid.UUID
	requests, errors, micros []int64
}

// Flush writes down what was counted. What could not be written is counted on.
func (t *Traffic) Flush(ctx context.Context) error {
	t.writes.Lock()
	defer t.writes.Unlock()
	t.stirs.Store(false) // before the numbers are taken: what comes now has another writing
	g := t.gather()
	if len(g.schools) == 0 {
		return nil
	}
	// By the time of writing: an answer may count for the minute after its own.
	_, err := t.cluster.PlatformPool().Exec(ctx, `with counted as (select * from unnest($2::uuid[], $3::bigint[], $4::bigint[],
		$5::bigint[]) as c (school_id, requests, errors, micros)),
		minute as (insert into platform.traffic_minute as m (at, requests, errors, micros)
			select date_trunc('minute', $1::timestamptz), sum(requests), sum(errors), sum(micros) from counted
			on conflict (at) do update
			set requests = m.requests + excluded.requests, errors = m.errors + excluded.errors, micros = m.micros + excluded.micros)
		insert into platform.traffic_hour as h (at, school_id, requests, errors, micros)
			select date_trunc('hour', $1::timestamptz), school_id, requests, errors, micros from counted order by school_id
			on conflict (at, school_id) do update
			set requests = h.requests + excluded.requests, errors = h.errors + excluded.errors, micros = h.micros + excluded.micros`,
		t.now().UTC(), g.schools, g.requests, g.errors, g.micros)
	if err != nil {
		t.putBack(g)
		return fmt.Errorf("writing down %d schools' requests: %w", len(g.schools), err)
	}
	return nil
}

func (t *Traffic) gather() gathered {
	var g gathered
	t.cells.Range(func(key, _ any) bool {
		g.schools = append(g.schools, key.(uuid.UUID))
		return true
	})
	slices.SortFunc(g.schools, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	g.schools = slices.DeleteFunc(g.schools, func(school uuid.UUID) bool {
		found, _ := t.cells.Load(school)
		c := found.(*cell)
		n := c.requests.Swap(0)
		if n == 0 {
			return true
		}
		g.requests, g.errors, g.micros = append(g.requests, n), append(g.errors, c.errors.Swap(0)), append(g.micros, c.micros.Swap(0))
		return false
	})
	return g
}

func (t *Traffic) putBack(g gathered) {
	for i, school := range g.schools {
		found, _ := t.cells.Load(school)
		c := found.(*cell)
		c.requests.Add(g.requests[i])
		c.errors.Add(g.errors[i])
		c.micros.Add(g.micros[i])
	}
}
