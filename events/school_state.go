package events

import (
	"time"

	"github.com/google/uuid"
)

// schoolState is what this instance knows of a school whose outbox is to be checked. It
// exists only while there is something to know, so idle schools take no memory.
type schoolState struct {
	school uuid.UUID

	openCommits  int       // commits of this instance that may still be running
	leasedAt     time.Time // when this instance last took a lease
	leaseScore   int64     // of that lease; 0: none is held
	unsavedLease int64     // score of the newest lease that Redis did not store; 0: none

	observed map[string]*observation // the school's leases by instance; "": its pending row

	phase        phase
	again        bool      // a check was requested while one was running or debounced
	checkAt      time.Time // when a check is planned; zero: none is
	mustCheck    bool      // a check is needed even if Redis has nothing for the school
	emptyChecks  int       // checks in a row that published nothing
	failedChecks int       // checks in a row that failed
}

// phase is where a school is on its way through the workers.
type phase int

const (
	idle phase = iota
	queued
	running
	debouncing // queued again after the debounce pause
)

// job is one check of a school, with what was known when it began.
type job struct {
	school       uuid.UUID
	ack          []lease // to be removed if the check finds nothing due
	unsavedLease int64
	noOpenCommit bool // no commit of this instance was running
}

// checkResult is the result of a check.
type checkResult struct {
	batchResult
	err          error
	dueIn        time.Duration // until next, if that is set
	acked        bool          // Redis removed the leases and has a pending row for next
	pendingAdded bool          // that row is new
}

// retryDelays are the pauses before a school is checked again that has a lease although
// its outbox had nothing due: a commit may be running, or its instance may have died.
var retryDelays = []time.Duration{
	200 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
}

// foreignDelay is the index in retryDelays of the shortest pause before another
// instance's lease is checked. A live instance removes its lease before that, even on a
// busy machine.
const foreignDelay = 4 // two seconds

// planCheck plans a check, unless an earlier one is planned.
func (st *schoolState) planCheck(at time.Time) {
	if st.checkAt.IsZero() || at.Before(st.checkAt) {
		st.checkAt = at
	}
}

// postponeCheck plans a later check because another instance has renewed its lease,
// unless the lease has been seen for long or a check is needed anyway.
func (st *schoolState) postponeCheck(o *observation, now time.Time) {
	if st.hasOwnLease() || st.mustCheck || st.checkAt.IsZero() || now.Sub(o.firstSeen) > retryDelays[len(retryDelays)-1] {
		return
	}
	st.checkAt = now.Add(st.retryDelay())
}

func (st *schoolState) retryDelay() time.Duration {
	n := st.emptyChecks
	if !st.hasOwnLease() {
		n = max(n, foreignDelay)
	}
	return retryDelays[min(n, len(retryDelays)-1)]
}

// hasOwnLease reports whether this instance has a lease, as far as it knows.
func (st *schoolState) hasOwnLease() bool {
	return st.openCommits > 0 || st.leaseScore != 0 || st.unsavedLease != 0
}

// expireCommits stops waiting for commits that must have failed by now: a commit that
// fails is not reported.
func (st *schoolState) expireCommits(now time.Time, commitWithin time.Duration) {
	if st.openCommits > 0 && now.Sub(st.leasedAt) > commitWithin {
		st.openCommits = 0
	}
}

// newJob returns the leases that the check which starts now may remove. A lease means that a
// commit may be running, so it may be removed only if this instance knows that none is,
// or if it is older than any commit takes. A pending row may always be removed.
func (st *schoolState) newJob(self string, now time.Time, commitWithin time.Duration) job {
	st.expireCommits(now, commitWithin)
	j := job{school: st.school, unsavedLease: st.unsavedLease, noOpenCommit: st.openCommits == 0}
	if j.noOpenCommit && st.leaseScore != 0 {
		j.ack = append(j.ack, lease{st.school, self, st.leaseScore})
	}
	for instance, o := range st.observed {
		own := instance == self
		if own && o.score == st.leaseScore && j.noOpenCommit {
			continue // is in j.ack already
		}
		if instance == "" || (own && j.noOpenCommit) || now.Sub(o.since) > commitWithin {
			j.ack = append(j.ack, lease{st.school, instance, o.score})
		}
	}
	return j
}

// record takes in the result of a check and returns the delay until the next one: 0 at
// once, negative never.
func (st *schoolState) record(j job, c checkResult, self string) (delay time.Duration) {
	if c.err != nil {
		st.failedChecks++
		return min(100*time.Millisecond<<min(st.failedChecks, 6), 5*time.Second)
	}
	st.failedChecks = 0
	if st.emptyChecks++; c.published+c.failed > 0 {
		st.emptyChecks = 0
	}
	if c.busy {
		return st.retryDelay()
	}
	if c.next != nil && c.dueIn <= 0 {
		return 0
	}
	st.mustCheck = false
	if c.acked {
		st.removeAcked(j, self)
	}
	if c.acked || c.next == nil {
		if j.noOpenCommit && st.unsavedLease == j.unsavedLease {
			st.unsavedLease = 0
		}
	}
	if !c.acked && c.next != nil { // Redis has no pending row: this instance must remember the time
		st.mustCheck = true
		return min(c.dueIn, time.Minute)
	}
	if st.openCommits > 0 || st.unsavedLease != 0 || len(st.observed) > 0 {
		return st.retryDelay()
	}
	return -1
}

// removeAcked removes the leases that are no longer in Redis.
func (st *schoolState) removeAcked(j job, self string) {
	for _, l := range j.ack {
		if o := st.observed[l.instance]; o != nil && o.score == l.score {
			delete(st.observed, l.instance)
		}
		if l.instance == self && l.score == st.leaseScore {
			st.leaseScore = 0
		}
	}
}

// isUnused reports whether there is nothing left to know. An own lease that Redis still
// has will be observed again.
func (st *schoolState) isUnused() bool {
	return st.openCommits == 0 && st.unsavedLease == 0 && len(st.observed) == 0 && !st.mustCheck && st.phase == idle
}
