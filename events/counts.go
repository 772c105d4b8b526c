package events

import "time"

// Counts are a relay's figures for metrics.
type Counts struct {
	// Schools are to be checked now, as far as this instance knows; Oldest is how long the
	// first of them has been due.
	Schools int
	Oldest  time.Duration
	// LastSweep is the last complete sweep, nil if another instance made it.
	LastSweep *Sweep
}

// Sweep is what a sweep found.
type Sweep struct {
	At      time.Time
	Schools int       // with facts in their outboxes, or whose database did not answer
	Facts   int       // in all outboxes, due or not
	Failing int       // of them, published before and not processed by all listeners
	Oldest  time.Time // when the oldest failing fact happened; zero: there is none
}

const countSQL = `select min(next_at) as soonest, count(*) as facts, count(*) filter (where attempts > 0) as failing,
	min(occurred_at) filter (where attempts > 0) as oldest from outbox`

type outboxCount struct {
	Soonest        *time.Time
	Facts, Failing int
	Oldest         *time.Time
}

func (s *Sweep) add(c outboxCount) {
	s.Schools++
	s.Facts += c.Facts
	s.Failing += c.Failing
	if c.Oldest != nil && (s.Oldest.IsZero() || c.Oldest.Before(s.Oldest)) {
		s.Oldest = *c.Oldest
	}
}

// Counts returns the relay's figures from memory.
func (r *Relay) Counts() Counts {
	c := Counts{LastSweep: r.sweeper.lastOwn()}
	c.Schools, c.Oldest = r.scheduler.backlog(r.clock())
	return c
}

// Away reports whether the relay's last call to Redis failed.
func (r *Relay) Away() bool { return r.leases.breaker.Away() }

// backlog counts the schools that are to be checked, and returns for how long the first
// of them has been due. A lease's score is a time.
func (s *scheduler) backlog(now time.Time) (schools int, oldest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.states {
		since := st.leaseScore
		for _, o := range st.observed {
			if since == 0 || o.score < since {
				since = o.score
			}
		}
		if since == 0 {
			continue
		}
		schools++
		oldest = max(oldest, now.Sub(time.UnixMicro(since)))
	}
	return schools, oldest
}
