package tenancy_test

import (
	"errors"
	"testing"
	"time"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/wait"
)

func TestRegistry_BelievesASchoolByItsClock(t *testing.T) {
	t.Parallel()
	o, clock := options(t), wait.NewClock()
	o.Clock = clock.Now
	c := ready(t, o)
	r, s := tenancy.NewRegistry(c), newSchool(t, c, ask("one"))
	name := func() string {
		t.Helper()
		found, err := r.School(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return found.Name
	}
	before := name()
	if _, err := c.PlatformPool().Exec(t.Context(), `update platform.school set name = 'Renamed' where id = $1`, s.ID); err != nil {
		t.Fatal(err)
	}
	clock.Pass(20*time.Second - 1)
	if got := name(); got != before {
		t.Errorf("within 20 seconds the name is %q, want the remembered %q", got, before)
	}
	clock.Pass(1)
	if got := name(); got != "Renamed" {
		t.Errorf("after 20 seconds the name is %q, want Renamed", got)
	}
}

func TestEnsureSchool_BelievesAFailureByItsClock(t *testing.T) {
	t.Parallel()
	o, clock := options(t), wait.NewClock()
	c, schools := fleet(t, &o, 1)
	admin, pupil := node(t, c, "main").Admin(), tenancy.Ident(schools[0].Schema)+".pupil"
	if _, err := admin.Exec(t.Context(), `insert into `+pupil+` values (100, 'pupil 1')`); err != nil {
		t.Fatal(err)
	}
	o.Migrations, o.Clock = andThen(pupils, `create unique index on pupil (name)`), clock.Now
	m := lifecycle.NewMigrator(open(t, o))
	ensure := func() error { return m.EnsureSchool(t.Context(), find(t, c, schools[0].ID)) }
	if err := ensure(); !errors.Is(err, tenancy.ErrBehind) {
		t.Fatalf("two pupils of one name: %v, want ErrBehind", err)
	}
	if _, err := admin.Exec(t.Context(), `delete from `+pupil+` where id = 100`); err != nil {
		t.Fatal(err)
	}
	clock.Pass(10*time.Second - 1)
	if err := ensure(); !errors.Is(err, tenancy.ErrBehind) {
		t.Errorf("within 10 seconds: %v, want the remembered failure", err)
	}
	clock.Pass(1)
	if err := ensure(); err != nil {
		t.Errorf("after 10 seconds: %v, want it migrated", err)
	}
}
