package events

import (
	"time"

	"github.com/google/uuid"
)

// sight takes in a page of the set. What is newly there is planned for a look: a
// note at once, a mark only if it stands longer than its own instance needs to
// clear it. complete says that the page was the last of its cycle: what the whole
// cycle did not see is gone.
func (d *docket) sight(page []mark, complete bool, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range page {
		m := d.matter(k.school)
		s := m.seen[k.instance]
		switch {
		case s == nil:
			m.seen[k.instance] = &sighting{score: k.score, since: now, cycle: d.cycle}
			m.empty = 0
			if k.instance == "" {
				m.plan(now)
			} else {
				m.plan(now.Add(looks[0]))
			}
			continue
		case s.score != k.score:
			s.score, s.since = k.score, now
			if k.instance == "" {
				m.plan(now)
			}
		}
		s.cycle = d.cycle
		if m.lookAt.IsZero() && !m.queued && !m.running {
			m.plan(now.Add(m.pause())) // whatever happened, something that stands is looked at
		}
	}
	if !complete {
		return
	}
	for _, m := range d.matters {
		for instance, s := range m.seen {
			if s.cycle < d.cycle {
				delete(m.seen, instance)
			}
		}
		if len(m.seen) == 0 && !m.dirty && m.open == 0 && m.unmarked == 0 {
			m.lookAt = time.Time{}
		}
		d.forget(m)
	}
	d.cycle++
}

// lost are the marks that Redis did not take.
func (d *docket) lost() map[uuid.UUID]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out map[uuid.UUID]int64
	for id, m := range d.matters {
		if m.unmarked != 0 {
			if out == nil {
				out = map[uuid.UUID]int64{}
			}
			out[id] = m.unmarked
		}
	}
	return out
}

// remade notes that Redis took a mark after all.
func (d *docket) remade(school uuid.UUID, score int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.matters[school]; m != nil && m.unmarked == score {
		m.unmarked = 0
	}
}
