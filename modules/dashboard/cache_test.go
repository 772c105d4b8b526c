package dashboard

import (
	"testing"
	"time"

	"homeroom/api"
)

func TestADashboardIsKeptForSecondsAndNotIntoAnotherDayOrSchool(t *testing.T) {
	t.Parallel()
	var k cache
	now := time.Date(2026, 11, 15, 18, 29, 58, 0, time.UTC)
	school, today := api.NewID(), api.DateOf(now)
	k.put(school, Dashboard{Date: today, AsOf: now, Students: 7})
	if d, ok := k.get(school, today, now.Add(fresh-1)); !ok || d.Students != 7 {
		t.Error("it was forgotten")
	}
	if _, ok := k.get(school, today, now.Add(fresh)); ok {
		t.Error("it is stale")
	}
	if _, ok := k.get(school, today.AddDays(1), now); ok {
		t.Error("it is yesterday's")
	}
	if _, ok := k.get(api.NewID(), today, now); ok {
		t.Error("it is another school's")
	}
}

func TestNoMoreDashboardsAreKeptThanTheBound(t *testing.T) {
	t.Parallel()
	var k cache
	now := time.Now()
	for i := range 3 * mostKept {
		k.put(api.NewID(), Dashboard{AsOf: now.Add(time.Duration(i) * time.Microsecond)})
	}
	if len(k.kept) > mostKept {
		t.Errorf("%d are kept", len(k.kept))
	}
	k.put(api.NewID(), Dashboard{AsOf: now.Add(time.Hour)})
	if len(k.kept) != 1 {
		t.Errorf("%d are kept, all but one stale", len(k.kept))
	}
}
