package events

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// debounce is the pause between two checks of a busy school. Facts committed meanwhile
// are published together, so a school that marks all its classes at once is not checked
// for each of them, on connections its own requests wait for.
const debounce = 10 * time.Millisecond

// scheduler decides which schools' outboxes this instance checks, and when. At most
// one worker checks a school at a time.
type scheduler struct {
	self         string        // this instance's id in its leases
	commitWithin time.Duration // longer than any commit takes
	maxFailing   int           // workers that may be occupied by schools whose last check failed

	mu         sync.Mutex
	changed    *sync.Cond
	states     map[uuid.UUID]*schoolState
	queue      []*schoolState
	ownPending map[uuid.UUID]int64 // scores of pending rows added here that are not due yet
	failing    int                 // running checks of schools whose last check failed
	lastScore  int64
	cycle      int // number of the current poll cycle, which reads all pages of the set
}

func newScheduler(self string, commitWithin time.Duration, workers int) *scheduler {
	s := &scheduler{
		self: self, commitWithin: commitWithin, maxFailing: max(1, workers/4),
		states: map[uuid.UUID]*schoolState{}, ownPending: map[uuid.UUID]int64{},
	}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// openCommit records that a commit is about to start, and returns a score for its lease
// that no other lease of this instance has.
func (s *scheduler) openCommit(school uuid.UUID, at, now time.Time) (score int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastScore = max(s.lastScore+1, at.UnixMicro())
	st := s.state(school)
	st.openCommits++
	st.leasedAt, st.leaseScore = now, s.lastScore
	return s.lastScore
}

// keepUnsavedLease records a lease that Redis did not store.
func (s *scheduler) keepUnsavedLease(school uuid.UUID, score int64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state(school)
	st.unsavedLease = max(st.unsavedLease, score)
	st.planCheck(now.Add(retryDelays[0]))
}

// closeCommit records that a commit succeeded, and has the school checked now.
func (s *scheduler) closeCommit(school uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state(school)
	st.openCommits = max(st.openCommits-1, 0)
	st.mustCheck, st.emptyChecks = true, 0
	s.enqueue(st)
}

// enqueueDue queues the schools whose planned check is due.
func (s *scheduler) enqueueDue(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.states {
		st.expireCommits(now, s.commitWithin)
		if !st.checkAt.IsZero() && !st.checkAt.After(now) {
			s.enqueue(st)
		}
		s.removeIfUnused(st)
	}
}

func (s *scheduler) enqueue(st *schoolState) {
	st.checkAt = time.Time{}
	switch st.phase {
	case idle:
		st.phase = queued
		s.queue = append(s.queue, st)
		s.changed.Signal()
	case running, debouncing:
		st.again = true
	}
}

// take waits for a school to check; false once ctx has ended.
func (s *scheduler) take(ctx context.Context) (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ctx.Err() == nil {
		for i, st := range s.queue {
			if st.failedChecks > 0 {
				// A database node that is down must not occupy every worker.
				if s.failing >= s.maxFailing {
					continue
				}
				s.failing++
			}
			s.queue = append(s.queue[:i], s.queue[i+1:]...)
			st.phase, st.mustCheck = running, true
			return st.newJob(s.self, time.Now(), s.commitWithin), true
		}
		s.changed.Wait()
	}
	return job{}, false
}

// wakeWorkers makes every waiting worker test its context. It needs the lock: a
// worker may be between seeing that ctx has not ended and beginning to wait.
func (s *scheduler) wakeWorkers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// finish records the result of a check and plans the next one, if any.
func (s *scheduler) finish(j job, c checkResult, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.states[j.school]
	if st.failedChecks > 0 {
		s.failing--
		s.changed.Broadcast()
	}
	st.phase = idle
	if c.acked {
		s.trackPendingLocked(j.school, c.pendingAdded, c.next)
	}
	delay := st.record(j, c, s.self)
	switch {
	case delay == 0:
		st.again = false
		s.enqueue(st)
	case st.again:
		s.enqueueDebounced(st)
	case delay > 0:
		st.planCheck(now.Add(delay))
	}
	s.removeIfUnused(st)
}

// enqueueDebounced queues the school after the debounce pause.
func (s *scheduler) enqueueDebounced(st *schoolState) {
	st.phase = debouncing
	time.AfterFunc(debounce, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		st.phase, st.again = idle, false
		s.enqueue(st)
	})
}

// trackPending records that a sweep found facts in a school: see trackPendingLocked.
func (s *scheduler) trackPending(school uuid.UUID, added bool, at *time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trackPendingLocked(school, added, at)
}

// trackPendingLocked remembers a pending row that this instance added until it is due:
// the instance that added a row is the first to check it. A school has one row, which
// stays until it is due even if the outbox is empty by then; only an earlier time
// replaces it. If the next check is due earlier than the remembered row and added is
// false, another instance has replaced the row, and it is forgotten here.
func (s *scheduler) trackPendingLocked(school uuid.UUID, added bool, at *time.Time) {
	switch {
	case added:
		s.ownPending[school] = at.UnixMicro()
	case at != nil && at.UnixMicro() < s.ownPending[school]:
		delete(s.ownPending, school)
	}
}

func (s *scheduler) state(school uuid.UUID) *schoolState {
	st := s.states[school]
	if st == nil {
		st = &schoolState{school: school, observed: map[string]*observation{}}
		s.states[school] = st
	}
	return st
}

func (s *scheduler) removeIfUnused(st *schoolState) {
	if st.isUnused() {
		delete(s.states, st.school)
	}
}
