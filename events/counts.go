package events

import "time"

// Counts are what a relay has to do, for metrics.
type Counts struct {
	// Schools want a look now, as far as this instance knows; Oldest is how long the one
	// that waits longest has been due.
	Schools int
	Oldest  time.Duration
	// Swept is the last look into every outbox, if this instance made it: one instance
	// looks for all.
	Swept *Swept
}

// Swept is what a sweep found.
type Swept struct {
	At      time.Time
	Schools int       // with facts that wait, or whose database did not answer
	Facts   int       // that wait, those among them that are not due yet
	Failing int       // of them, told before and not heard by all
	Oldest  time.Time // when the oldest of those happened; zero: there are none
}

const countSQL = `select min(next_at) as soonest, count(*) as facts, count(*) filter (where attempts > 0) as failing,
	min(occurred_at) filter (where attempts > 0) as oldest from outbox`

type outboxCount struct {
	Soonest        *time.Time
	Facts, Failing int
	Oldest         *time.Time
}

func (s *Swept) add(c outboxCount) {
	s.Schools++
	s.Facts += c.Facts
	s.Failing += c.Failing
	if c.Oldest != nil && (s.Oldest.IsZero() || c.Oldest.Before(s.Oldest)) {
		s.Oldest = *c.Oldest
	}
}

// Counts says how the relay stands. It asks nobody.
func (r *Relay) Counts() Counts {
	c := Counts{Swept: r.sweeper.ours()}
	c.Schools, c.Oldest = r.docket.waiting(r.clock())
	return c
}

// Away says that Redis did not answer the relay the last time.
func (r *Relay) Away() bool { return r.marks.breaker.isFailing() }

// ours is the last complete sweep, if it was this instance's.
func (s *sweeper) ours() *Swept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch == nil || s.last.At.UnixMicro() != s.epoch.UnixMicro() {
		return nil
	}
	last := s.last
	return &last
}

// waiting counts the schools that want a look, and says for how long the first of them
// has wanted it. The marks' scores are times.
func (d *docket) waiting(now time.Time) (schools int, oldest time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.matters {
		since := m.score
		for _, s := range m.seen {
			if since == 0 || s.score < since {
				since = s.score
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
