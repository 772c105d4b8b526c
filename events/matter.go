package events

import (
	"time"

	"github.com/google/uuid"
)

// matter is what this process knows of a school that wants a look. It exists only
// while there is something to know, so idle schools take no memory either.
type matter struct {
	school uuid.UUID

	open     int       // marks made here whose commit has not been heard of
	lastMark time.Time // of the newest of them
	score    int64     // of the newest mark made here; 0: none stands
	unmarked int64     // the newest mark Redis did not take; 0: none

	seen map[string]*sighting // what the set holds for this school, by instance

	lookAt   time.Time // zero: no look is planned
	dirty    bool      // a look is owed whatever Redis says
	empty    int       // looks in a row that told nothing
	failures int       // looks in a row that Postgres refused

	queued, running, again bool
	resting                bool // is looked at again in a moment, whatever comes
}

// sighting is a mark or a note as the last polls saw it.
type sighting struct {
	score  int64
	since  time.Time // first seen with this score, by this process's own clock
	stands time.Time // first seen with any
	cycle  int       // the last cycle of polls that saw it
}

// job is one look at a school: what stood when it began.
type job struct {
	school   uuid.UUID
	settle   []mark // what a look that finds nothing due proves superfluous
	unmarked int64
	quiet    bool // no commit of this process was under way
}

// finding is how a look ended.
type finding struct {
	batchResult
	err     error
	until   time.Duration // to the next due fact, if there is one
	settled bool          // Redis took note
	noted   bool          // of a time it did not know of
}

// looks is the pause before the next look at a school whose mark stands although
// nothing was found: its commit may be under way, or its instance dead.
var looks = []time.Duration{
	200 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
}

func (m *matter) plan(at time.Time) {
	if m.lookAt.IsZero() || at.Before(m.lookAt) {
		m.lookAt = at
	}
}

// theirs is the shortest of the looks at another instance's mark: it clears its own, and
// needs longer for it when its machine is busy.
const theirs = 4 // two seconds

// ours says that a mark made here stands, as far as this process knows.
func (m *matter) ours() bool { return m.open > 0 || m.score != 0 || m.unmarked != 0 }

func (m *matter) pause() time.Duration {
	n := m.empty
	if !m.ours() {
		n = max(n, theirs)
	}
	return looks[min(n, len(looks)-1)]
}

// putOff leaves a mark that another instance has renewed to it once more, unless it has
// stood for long or a look is owed anyway.
func (m *matter) putOff(s *sighting, now time.Time) {
	if m.ours() || m.dirty || m.lookAt.IsZero() || now.Sub(s.stands) > looks[len(looks)-1] {
		return
	}
	m.lookAt = now.Add(m.pause())
}

// expire gives up waiting for commits that were never heard of: they failed.
func (m *matter) expire(now time.Time, within time.Duration) {
	if m.open > 0 && now.Sub(m.lastMark) > within {
		m.open = 0
	}
}

// begin says what the look that starts now may settle. A mark stands for a commit
// that may be under way, so it may go only if this process knows that it is not,
// or if it is older than any transaction gets. A note stands for nothing but itself.
func (m *matter) begin(me string, now time.Time, within time.Duration) job {
	m.expire(now, within)
	j := job{school: m.school, unmarked: m.unmarked, quiet: m.open == 0}
	if j.quiet && m.score != 0 {
		j.settle = append(j.settle, mark{m.school, me, m.score})
	}
	for instance, s := range m.seen {
		own := instance == me
		if own && s.score == m.score && j.quiet {
			continue // there already
		}
		if instance == "" || (own && j.quiet) || now.Sub(s.since) > within {
			j.settle = append(j.settle, mark{m.school, instance, s.score})
		}
	}
	return j
}

// report answers when to look again: 0 at once, negative never.
func (m *matter) report(j job, f finding, me string) time.Duration {
	if f.err != nil {
		m.failures++
		return min(100*time.Millisecond<<min(m.failures, 6), 5*time.Second)
	}
	m.failures = 0
	if m.empty++; f.published+f.failed > 0 {
		m.empty = 0
	}
	if f.busy {
		return m.pause()
	}
	if f.next != nil && f.until <= 0 {
		return 0
	}
	m.dirty = false
	if f.settled {
		m.settled(j, me)
	}
	if f.settled || f.next == nil {
		if j.quiet && m.unmarked == j.unmarked {
			m.unmarked = 0
		}
	}
	if !f.settled && f.next != nil { // Redis does not know when to come back: this process must
		m.dirty = true
		return min(f.until, time.Minute)
	}
	if m.open > 0 || m.unmarked != 0 || len(m.seen) > 0 {
		return m.pause()
	}
	return -1
}

// settled forgets what is no longer in the set.
func (m *matter) settled(j job, me string) {
	for _, s := range j.settle {
		if seen := m.seen[s.instance]; seen != nil && seen.score == s.score {
			delete(m.seen, s.instance)
		}
		if s.instance == me && s.score == m.score {
			m.score = 0
		}
	}
}

// idle says that there is nothing left to know.
func (m *matter) idle() bool {
	return m.open == 0 && m.unmarked == 0 && len(m.seen) == 0 && !m.dirty && !m.queued && !m.running && !m.resting
}
