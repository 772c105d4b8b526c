package events

import (
	"time"

	"github.com/google/uuid"
)

// sight takes in a page of the set. What is newly there is planned for a look: a note
// made here at once, anything else only if it stands longer than who made it needs to
// clear it. Two instances that look at one school are in each other's way, and the one
// whose school it is not has to find out about it first. complete says that the page
// was the last of its cycle: what the whole cycle did not see is gone.
func (d *docket) sight(page []mark, complete bool, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range page {
		m := d.matter(k.school)
		s := m.seen[k.instance]
		switch {
		case s == nil:
			s = &sighting{score: k.score, since: now, stands: now}
			m.seen[k.instance] = s
			m.empty = 0
			m.plan(now.Add(m.pause()))
		case s.score != k.score:
			s.score, s.since = k.score, now
			m.putOff(s, now)
		}
		s.cycle = d.cycle
		if k.instance == "" && d.notes[k.school] == k.score {
			delete(d.notes, k.school)
			m.dirty = true
			m.plan(now)
		}
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
