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
	d.done(first, finding{outcome: outcome{told: 1}, settled: true}, time.Now())
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
	d.done(second, finding{outcome: outcome{told: 6}, settled: true}, time.Now())
	if len(d.queue) != 0 || len(d.matters) != 0 {
		t.Errorf("one look for six commits is enough: %d queued, %d known", len(d.queue), len(d.matters))
	}
}
