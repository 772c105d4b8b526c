package events

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestASchoolThatGoesOnCommittingIsLookedAtAfterABreathForAllOfIt(t *testing.T) {
	t.Parallel()
	d := newDocket("me", time.Minute, 4)
	school := uuid.New()
	commit := func() {
		d.opened(school, time.Now(), time.Now())
		d.committed(school)
	}
	commit()
	first, ok := d.take(t.Context())
	if !ok || first.school != school {
		t.Fatal("the first commit is looked at right away")
	}
	commit() // while the look goes on
	d.done(first, finding{batchResult: batchResult{published: 1}, settled: true}, time.Now())
	for range 5 {
		commit() // while it breathes
	}
	if len(d.queue) != 0 {
		t.Error("a busy school is queued again without a breath")
	}
	second, ok := d.take(t.Context()) // waits
	if !ok || second.school != school || !second.quiet {
		t.Fatalf("the next look is at %v, quiet %v", second.school, second.quiet)
	}
	d.done(second, finding{batchResult: batchResult{published: 6}, settled: true}, time.Now())
	if len(d.queue) != 0 || len(d.matters) != 0 {
		t.Errorf("one look for six commits is enough: %d queued, %d known", len(d.queue), len(d.matters))
	}
}

func TestWhatAnotherInstanceIsAtIsLeftToItForTwoSecondsAndWhileItRenewsItsMark(t *testing.T) {
	t.Parallel()
	d := newDocket("me", time.Minute, 4)
	school, began := uuid.New(), time.Now()
	looked := func(after time.Duration, page ...mark) bool {
		t.Helper()
		now := began.Add(after)
		d.sight(page, true, now)
		d.tick(now)
		return len(d.queue) > 0
	}
	if looked(0, mark{school, "other", 1}) || looked(1900*time.Millisecond, mark{school, "other", 1}) {
		t.Error("a mark is looked at before its own instance had its time")
	}
	if looked(1950*time.Millisecond, mark{school, "other", 2}) || looked(3900*time.Millisecond, mark{school, "other", 2}) {
		t.Error("a mark that was renewed is looked at as if it had not been")
	}
	if !looked(4*time.Second, mark{school, "other", 2}) {
		t.Error("a mark whose instance says nothing more is not looked at")
	}
}

func TestAMarkThatIsRenewedForEverIsLookedAtAllTheSame(t *testing.T) {
	t.Parallel()
	d := newDocket("me", time.Minute, 4)
	school, began := uuid.New(), time.Now()
	for n := range 100 {
		now := began.Add(time.Duration(n) * 100 * time.Millisecond)
		d.sight([]mark{{school, "other", int64(n)}}, true, now)
		d.tick(now)
	}
	if len(d.queue) != 1 {
		t.Error("an instance that marks and never tells keeps the others away")
	}
}

func TestANoteIsLookedAtFirstByWhoMadeIt(t *testing.T) {
	t.Parallel()
	began := time.Now()
	due := began.Add(time.Hour)
	school := uuid.New()
	maker, other := newDocket("maker", time.Minute, 4), newDocket("other", time.Minute, 4)
	maker.committed(school)
	j, _ := maker.take(t.Context())
	maker.done(j, finding{batchResult: batchResult{published: 1, next: &due}, until: time.Hour, settled: true, noted: true}, began)
	// What it finds meanwhile leaves the note where it is, and its own.
	later := due.Add(time.Minute)
	for _, next := range []*time.Time{nil, &later, &due} {
		maker.committed(school)
		j, _ = maker.take(t.Context())
		maker.done(j, finding{batchResult: batchResult{published: 1, next: next}, until: time.Hour, settled: true}, began)
	}
	queued := func(d *docket, now time.Time) bool {
		d.sight([]mark{{school, "", due.UnixMicro()}}, true, now)
		d.tick(now)
		return len(d.queue) > 0
	}
	if !queued(maker, due) {
		t.Error("who made the note does not look when it is due")
	}
	other.committed(school)
	j, _ = other.take(t.Context())
	other.done(j, finding{batchResult: batchResult{published: 1, next: &due}, until: time.Hour, settled: true}, began) // finds the note there
	if queued(other, due) || queued(other, due.Add(1900*time.Millisecond)) {
		t.Error("another looks although who made the note is about to")
	}
	if !queued(other, due.Add(2*time.Second)) {
		t.Error("nobody looks if who made the note is gone")
	}
}
