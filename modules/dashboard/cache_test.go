package dashboard

import (
	"testing"
	"time"

	"homeroom/api"
)

func TestCache_Dashboard_IsOfTheSchoolAndDayAndSecondsOld(t *testing.T) {
	t.Parallel()
	k := newCache()
	now := time.Date(2026, 11, 15, 18, 29, 58, 0, time.UTC)
	school, today := api.NewID(), api.DateOf(now)
	k.schools.Add(school, Dashboard{Date: today, AsOf: now, Students: 7})
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

func TestCache_Size_IsBounded(t *testing.T) {
	t.Parallel()
	k := newCache()
	now := time.Now()
	for i := range 3 * maxCached {
		k.schools.Add(api.NewID(), Dashboard{AsOf: now.Add(time.Duration(i) * time.Microsecond)})
	}
	if n := k.schools.Len(); n > maxCached {
		t.Errorf("%d are cached, want at most %d", n, maxCached)
	}
}
