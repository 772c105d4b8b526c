package api_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestOfManyChangesToOneVersionExactlyOneIsTaken(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "Class 5"})
	path := "/school-admin/class/" + class.ID.String()
	count := statuses(t, 20, func(i int) (testkit.Answer, error) {
		return admin.TryCall("PUT", path, map[string]any{"name": fmt.Sprint("Room ", i), "version": 1})
	})
	if count[200] != 1 || count[409] != 19 {
		t.Errorf("statuses %v, want one 200 and 19 × 409", count)
	}
	if now := testkit.Get[roster.Class](t, admin, path); now.Version != 2 {
		t.Errorf("it is at version %d", now.Version)
	}
	count = statuses(t, 20, func(i int) (testkit.Answer, error) {
		return admin.TryCall("PUT", path, map[string]any{"level": i + 1}) // none of them is the level it has
	})
	if count[200] != 20 {
		t.Errorf("without a version: %v, want 20 × 200", count)
	}
	if now := testkit.Get[roster.Class](t, admin, path); now.Version != 22 {
		t.Errorf("it is at version %d, so a change was lost or counted twice", now.Version)
	}
}

func TestAVersionThatIsNullIsNone(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, admin, writePath, map[string]any{"name": "Class 5"})
	testkit.Put[roster.Class](t, admin, "/school-admin/class/"+class.ID.String(), map[string]any{"level": 5, "version": nil})
	for _, stale := range []int{0, 1, 3, -1} {
		admin.Refuses(t, "PUT", "/school-admin/class/"+class.ID.String(), map[string]any{"level": 6, "version": stale}, 409, "Conflict")
	}
}
