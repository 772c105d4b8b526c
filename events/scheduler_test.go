package events

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestScheduler_BusySchool_IsDebounced(t *testing.T) {
	t.Parallel()
	s := newScheduler("self", time.Minute, 4)
	school := uuid.New()
	commit := func() {
		s.openCommit(school, time.Now(), time.Now())
		s.closeCommit(school)
	}
	commit()
	first, ok := s.take(t.Context())
	if !ok || first.school != school {
		t.Fatalf("after the first commit: check of %v, %v; want %v at once", first.school, ok, school)
	}
	commit() // during the check
	s.finish(first, checkResult{batchResult: batchResult{published: 1}, acked: true}, time.Now())
	for range 5 {
		commit() // during the debounce pause
	}
	if len(s.queue) != 0 {
		t.Errorf("%d queued before the debounce pause is over, want 0", len(s.queue))
	}
	second, ok := s.take(t.Context()) // waits
	if !ok || second.school != school || !second.noOpenCommit {
		t.Fatalf("second check: %v, no open commit %v; want %v, true", second.school, second.noOpenCommit, school)
	}
	s.finish(second, checkResult{batchResult: batchResult{published: 6}, acked: true}, time.Now())
	if len(s.queue) != 0 || len(s.states) != 0 {
		t.Errorf("after one check for six commits: %d queued, %d states; want none", len(s.queue), len(s.states))
	}
}

func TestScheduler_ForeignLease_IsDelayedWhileRenewed(t *testing.T) {
	t.Parallel()
	s := newScheduler("self", time.Minute, 4)
	school, began := uuid.New(), time.Now()
	isQueued := func(after time.Duration, page ...lease) bool {
		t.Helper()
		now := began.Add(after)
		s.observe(page, true, now)
		s.enqueueDue(now)
		return len(s.queue) > 0
	}
	if isQueued(0, lease{school, "other", 1}) || isQueued(1900*time.Millisecond, lease{school, "other", 1}) {
		t.Error("a foreign lease is checked before two seconds")
	}
	if isQueued(1950*time.Millisecond, lease{school, "other", 2}) || isQueued(3900*time.Millisecond, lease{school, "other", 2}) {
		t.Error("a renewed lease is checked before two more seconds")
	}
	if !isQueued(4*time.Second, lease{school, "other", 2}) {
		t.Error("a lease that is no longer renewed is not checked")
	}
}

func TestScheduler_LeaseRenewedForever_IsCheckedInTheEnd(t *testing.T) {
	t.Parallel()
	s := newScheduler("self", time.Minute, 4)
	school, began := uuid.New(), time.Now()
	for n := range 100 {
		now := began.Add(time.Duration(n) * 100 * time.Millisecond)
		s.observe([]lease{{school, "other", int64(n)}}, true, now)
		s.enqueueDue(now)
	}
	if len(s.queue) != 1 {
		t.Errorf("%d schools queued after ten seconds of renewals, want 1", len(s.queue))
	}
}

func TestScheduler_PendingRow_IsCheckedFirstByItsInstance(t *testing.T) {
	t.Parallel()
	began := time.Now()
	due := began.Add(time.Hour)
	school := uuid.New()
	owner, other := newScheduler("owner", time.Minute, 4), newScheduler("other", time.Minute, 4)
	check := func(s *scheduler, next *time.Time, added bool) {
		s.closeCommit(school)
		j, _ := s.take(t.Context())
		s.finish(j, checkResult{batchResult: batchResult{published: 1, next: next}, dueIn: time.Hour, acked: true, pendingAdded: added}, began)
	}
	check(owner, &due, true)
	// Later checks, with the same or a later time, leave the row to its owner.
	later := due.Add(time.Minute)
	for _, next := range []*time.Time{nil, &later, &due} {
		check(owner, next, false)
	}
	isQueued := func(s *scheduler, now time.Time) bool {
		s.observe([]lease{{school, "", due.UnixMicro()}}, true, now)
		s.enqueueDue(now)
		return len(s.queue) > 0
	}
	if !isQueued(owner, due) {
		t.Error("the row's owner does not check the school when it is due")
	}
	check(other, &due, false) // the row is there already
	if isQueued(other, due) || isQueued(other, due.Add(1900*time.Millisecond)) {
		t.Error("another instance checks the school within two seconds of the row's owner")
	}
	if !isQueued(other, due.Add(2*time.Second)) {
		t.Error("another instance does not check the school two seconds after it was due")
	}
}
