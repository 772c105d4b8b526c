package events

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// docket is the list of schools this process means to look at, and when. One
// school is looked at by one worker at a time.
type docket struct {
	me       string
	within   time.Duration // longer than any commit takes
	suspects int           // workers that schools in trouble may occupy

	mu      sync.Mutex
	changed *sync.Cond
	matters map[uuid.UUID]*matter
	queue   []*matter
	notes   map[uuid.UUID]int64 // the scores of notes made here that were not due yet
	trouble int                 // looks under way at schools that failed last time
	last    int64
	cycle   int
}

func newDocket(me string, within time.Duration, workers int) *docket {
	d := &docket{me: me, within: within, suspects: max(1, workers/4), matters: map[uuid.UUID]*matter{}, notes: map[uuid.UUID]int64{}}
	d.changed = sync.NewCond(&d.mu)
	return d
}

func (d *docket) matter(school uuid.UUID) *matter {
	m := d.matters[school]
	if m == nil {
		m = &matter{school: school, seen: map[string]*sighting{}}
		d.matters[school] = m
	}
	return m
}

// opened notes that a commit is about to start, and gives its mark a score that no
// other mark of this process has.
func (d *docket) opened(school uuid.UUID, at, now time.Time) (score int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = max(d.last+1, at.UnixMicro())
	m := d.matter(school)
	m.open++
	m.lastMark, m.score = now, d.last
	return d.last
}

// notMarked remembers a school that Redis did not.
func (d *docket) notMarked(school uuid.UUID, score int64, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.matter(school)
	m.unmarked = max(m.unmarked, score)
	m.plan(now.Add(looks[0]))
}

// committed has the school looked at now.
func (d *docket) committed(school uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.matter(school)
	m.open = max(m.open-1, 0)
	m.dirty, m.empty = true, 0
	d.enqueue(m)
}

func (d *docket) enqueue(m *matter) {
	m.lookAt = time.Time{}
	switch {
	case m.running || m.resting:
		m.again = true
	case !m.queued:
		m.queued = true
		d.queue = append(d.queue, m)
		d.changed.Signal()
	}
}

// tick queues what is due.
func (d *docket) tick(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.matters {
		m.expire(now, d.within)
		if !m.lookAt.IsZero() && !m.lookAt.After(now) {
			d.enqueue(m)
		}
		d.forget(m)
	}
}

// take waits for a school to look at; false once ctx has ended.
func (d *docket) take(ctx context.Context) (job, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for ctx.Err() == nil {
		for i, m := range d.queue {
			if m.failures > 0 {
				// A database node that is down must not occupy every worker.
				if d.trouble >= d.suspects {
					continue
				}
				d.trouble++
			}
			d.queue = append(d.queue[:i], d.queue[i+1:]...)
			m.queued, m.running, m.dirty = false, true, true
			return m.begin(d.me, time.Now(), d.within), true
		}
		d.changed.Wait()
	}
	return job{}, false
}

// awaken has every waiting worker look whether it should end. The lock is needed: a
// worker may be between seeing that ctx has not ended and beginning to wait.
func (d *docket) awaken() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changed.Broadcast()
}

// done takes in what a look found and plans the next one, if any.
func (d *docket) done(j job, f finding, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.matters[j.school]
	if m.failures > 0 {
		d.trouble--
		d.changed.Broadcast()
	}
	m.running = false
	if f.settled {
		d.note(j.school, f.noted, f.next)
	}
	rest := m.report(j, f, d.me)
	switch {
	case rest == 0:
		m.again = false
		d.enqueue(m)
	case m.again:
		d.rest(m)
	case rest > 0:
		m.plan(now.Add(rest))
	}
	d.forget(m)
}

// note remembers a note made here until it is due: who made it is the first to look. It
// stands until then even if nothing is left to tell by now, and keeps later ones out; only
// an earlier one takes its place, and what the set held already is another's or was
// remembered then.
func (d *docket) note(school uuid.UUID, made bool, at *time.Time) {
	switch {
	case made:
		d.notes[school] = at.UnixMicro()
	case at != nil && at.UnixMicro() < d.notes[school]:
		delete(d.notes, school)
	}
}

// noted remembers a note that a sweep made.
func (d *docket) noted(school uuid.UUID, made bool, at *time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(school, made, at)
}

// breath is how long a busy school is left alone between two looks. What is committed
// meanwhile is told together, so a school that marks all its classes at once is not
// looked at for each of them, on connections its own requests wait for.
const breath = 10 * time.Millisecond

// rest has the school looked at after a breath.
func (d *docket) rest(m *matter) {
	m.resting = true
	time.AfterFunc(breath, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		m.resting, m.again = false, false
		d.enqueue(m)
	})
}

func (d *docket) forget(m *matter) {
	if m.idle() {
		delete(d.matters, m.school)
	}
}
