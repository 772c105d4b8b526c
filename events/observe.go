package events

import (
	"time"

	"github.com/google/uuid"
)

// observation is a lease or a pending row as this instance's polls saw it.
type observation struct {
	score     int64
	since     time.Time // first seen with this score, by this instance's clock
	firstSeen time.Time // first seen with any score
	cycle     int       // the last poll cycle that saw it
}

// observe takes in a page of the set of leases and plans checks for what is new. A
// pending row that this instance added is checked at once. Anything else is checked only
// if it stays longer than its own instance needs to remove it: two instances that check
// one school are in each other's way. complete means that the page was the last of its
// cycle: what the cycle did not see is gone.
func (s *scheduler) observe(page []lease, complete bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range page {
		st := s.state(l.school)
		o := st.observed[l.instance]
		switch {
		case o == nil:
			o = &observation{score: l.score, since: now, firstSeen: now}
			st.observed[l.instance] = o
			st.emptyChecks = 0
			st.planCheck(now.Add(st.retryDelay()))
		case o.score != l.score:
			o.score, o.since = l.score, now
			st.postponeCheck(o, now)
		}
		o.cycle = s.cycle
		if l.instance == "" && s.ownPending[l.school] == l.score {
			delete(s.ownPending, l.school)
			st.mustCheck = true
			st.planCheck(now)
		}
		if st.checkAt.IsZero() && st.phase != queued && st.phase != running {
			st.planCheck(now.Add(st.retryDelay())) // an entry that stays is always checked in the end
		}
	}
	if complete {
		s.endCycle()
	}
}

// endCycle removes the observations that the poll cycle did not see again.
func (s *scheduler) endCycle() {
	for _, st := range s.states {
		for instance, o := range st.observed {
			if o.cycle < s.cycle {
				delete(st.observed, instance)
			}
		}
		if len(st.observed) == 0 && !st.mustCheck && st.openCommits == 0 && st.unsavedLease == 0 {
			st.checkAt = time.Time{}
		}
		s.removeIfUnused(st)
	}
	s.cycle++
}

// unsavedLeases are the scores of the leases that Redis did not store, by school.
func (s *scheduler) unsavedLeases() map[uuid.UUID]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out map[uuid.UUID]int64
	for id, st := range s.states {
		if st.unsavedLease != 0 {
			if out == nil {
				out = map[uuid.UUID]int64{}
			}
			out[id] = st.unsavedLease
		}
	}
	return out
}

// dropUnsavedLease records that Redis has now stored the lease.
func (s *scheduler) dropUnsavedLease(school uuid.UUID, score int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.states[school]; st != nil && st.unsavedLease == score {
		st.unsavedLease = 0
	}
}
