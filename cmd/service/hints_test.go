package service_test

import (
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// The other instance's clock stands, so that what it remembers does not grow old by itself: a
// school that was changed without a word is remembered as it was.
func TestAnInstanceHearsOfASchoolBeforeWhatItRemembersGrowsOld(t *testing.T) {
	t.Parallel()
	app, elsewhere := testkit.Shared(t), testkit.Start(t, clocksStandStill)
	super := app.SuperAdmin(t)
	answers := func(c *testkit.Client) int { return c.Call(t, "GET", "/school-admin/class/list", nil).Status }
	silent, told := elsewhere.NewSchool(t), elsewhere.NewSchool(t)
	officeOfSilent, officeOfTold := silent.As(t, api.SchoolAdmin), told.As(t, api.SchoolAdmin)
	if s, o := answers(officeOfSilent), answers(officeOfTold); s != 200 || o != 200 {
		t.Fatalf("before, they are answered %d and %d", s, o)
	}
	if _, err := app.Service.Cluster.PlatformPool().Exec(t.Context(), `update platform.school set status = 'SUSPENDED' where id = $1`,
		silent.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Post[any](t, super, "/super-admin/school/"+told.ID.String()+"/suspend", nil)
	testkit.Eventually(t, "the school is suspended there", func() bool { return answers(officeOfTold) == 403 })
	if s := answers(officeOfSilent); s != 200 {
		t.Errorf("a school that nobody spoke of is answered %d, want 200 as remembered", s)
	}
}
