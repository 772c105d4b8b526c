package demo_test

import (
	"testing"
	"time"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/migrations"
	"homeroom/testkit"
	"homeroom/testkit/clusters"
	"homeroom/testkit/wait"
)

// startAt runs a service on a database with these migrations of a school; nil: all there are.
func startAt(t *testing.T, name string, clock *wait.Clock, ms []migrations.Migration) *testkit.App {
	t.Helper()
	return testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_"+name, func(_ *config.Config, o *service.Options) {
		o.NoFirstYear, o.Migrations = false, ms
		if clock != nil {
			o.Clock = clock.Now
		}
	})
}

func TestDemo_OfAnOlderProgram_GetsItsMissingDays(t *testing.T) {
	t.Parallel()
	clock := wednesday()
	next := clusters.AndThen(migrations.School(), `alter table class add column motto text not null default ''`)
	old := startAt(t, "demo_upgraded", clock, nil)
	fill(t, old, 7)
	school := schoolOf(t, old)
	before := school.Count(t, "attendance", "date <= '2026-10-14'")

	clock.Pass(29 * 24 * time.Hour) // to a Thursday
	app := startAt(t, "demo_upgraded", clock, next)
	fill(t, app, 7)
	if got, want := schoolOf(t, app).SchemaVersion, migrations.Latest(next); got != want {
		t.Errorf("the school's schema is at version %d, want %d", got, want)
	}
	for day, want := range map[string]int{"2026-11-06": 20, "2026-11-11": 20, "2026-11-12": 10} {
		if got := school.Count(t, `(select from attendance where date = '`+day+`' and status <> 'LEAVE' group by division_id) x`, "true"); got != want {
			t.Errorf("%d divisions are marked on %s, want %d", got, day, want)
		}
	}
	if after := school.Count(t, "attendance", "date <= '2026-10-14'"); after != before {
		t.Errorf("%d marks are left of the %d that were there", after, before)
	}
	admin := office(t, app, "admin@green-valley.local")
	for list, want := range map[string]int{"student": 600, "transport/bus": 3} {
		if got := testkit.Get[total](t, admin, "/school-admin/"+list+"/list?limit=1").Total; got != want {
			t.Errorf("%d in %s, want %d: nothing is made twice", got, list, want)
		}
	}
	if got := testkit.Get[total](t, admin, "/school-admin/event/list?limit=1").Total; got <= 4 {
		t.Errorf("%d events, want more than the first 4", got)
	}
}
