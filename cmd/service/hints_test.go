package service_test

import (
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// What an instance remembers of a school grows old by itself: that must not be mistaken for
// its having heard. So another school, remembered longer, is changed without a word.
func TestAnInstanceHearsOfASchoolBeforeWhatItRemembersGrowsOld(t *testing.T) {
	t.Parallel()
	app, elsewhere := testkit.Shared(t), testkit.Start(t)
	super := app.SuperAdmin(t)
	answers := func(c *testkit.Client) int { return c.Call(t, "GET", "/school-admin/class/list", nil).Status }
	testkit.Eventually(t, "one is suspended there, and the other not yet", func() bool {
		silent, told := app.NewSchool(t), app.NewSchool(t)
		officeOfSilent, officeOfTold := silent.As(t, api.SchoolAdmin).On(elsewhere), told.As(t, api.SchoolAdmin).On(elsewhere)
		if s, o := answers(officeOfSilent), answers(officeOfTold); s != 200 || o != 200 {
			t.Fatalf("before, they are answered %d and %d", s, o)
		}
		if _, err := app.Service.Cluster.PlatformPool().Exec(t.Context(), `update platform.school set status = 'SUSPENDED' where id = $1`, silent.ID); err != nil {
			t.Fatal(err)
		}
		testkit.Post[any](t, super, "/super-admin/school/"+told.ID.String()+"/suspend", nil)
		testkit.Eventually(t, "the school is suspended there", func() bool { return answers(officeOfTold) == 403 })
		return answers(officeOfSilent) == 200 // else it took so long that it may have grown old
	})
}
