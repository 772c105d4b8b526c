package roster_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestDivisions_BelongToTheirClass(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	five := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	six := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	for _, class := range []roster.Class{five, six} {
		testkit.Post[roster.Division](t, admin, "/school-admin/division/create",
			map[string]any{"classId": class.ID, "name": "A", "capacity": 40})
	}
	admin.Refuses(t, "POST", "/school-admin/division/create", map[string]any{"classId": five.ID, "name": "a"}, 409, "DUPLICATE_ENTRY")
	page := testkit.Get[api.Page[roster.Division]](t, admin, "/school-admin/division/list?filters[classId]="+five.ID.String())
	if page.Total != 1 || page.Items[0].ClassID != five.ID || *page.Items[0].Capacity != 40 {
		t.Errorf("divisions of a class: %+v", page)
	}
	admin.Refuses(t, "DELETE", "/school-admin/class/"+five.ID.String(), nil, 409, "")
}

func TestDivision_OfAnotherSchoolsClass_IsRefused(t *testing.T) {
	t.Parallel()
	elsewhere := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	theirs := testkit.Post[roster.Class](t, elsewhere, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "POST", "/school-admin/division/create", map[string]any{"classId": theirs.ID, "name": "A"}, 422, "")
	if f.Details[0] != (api.Detail{Field: "classId", Message: "Class does not exist"}) {
		t.Errorf("details %+v", f.Details)
	}
	if n := s.Count(t, "division", "true"); n != 0 {
		t.Errorf("%d divisions were written", n)
	}
}

func TestDivisionCapacity_Zero_IsRefused(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	made := testkit.Post[roster.Division](t, admin, "/school-admin/division/create",
		map[string]any{"classId": class.ID, "name": "A", "capacity": 30})
	admin.Refuses(t, "PUT", "/school-admin/division/"+made.ID.String(), map[string]any{"capacity": 0}, 422, "")
	open := testkit.Put[roster.Division](t, admin, "/school-admin/division/"+made.ID.String(), map[string]any{"capacity": nil})
	if open.Capacity != nil {
		t.Errorf("capacity %v", *open.Capacity)
	}
}

func TestDivision_InUse_StaysInItsClass(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	six := testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	testkit.Post[roster.StudentDetail](t, r.admin, "/school-admin/student/create", map[string]any{"firstName": "Asha", "divisionId": r.a.ID})
	r.assign(t, r.employ(t, "Meera"), map[string]any{"classId": r.class.ID, "divisionId": r.b.ID})
	for _, d := range []roster.Division{r.a, r.b} {
		path := "/school-admin/division/" + d.ID.String()
		r.admin.Refuses(t, "PUT", path, map[string]any{"classId": six.ID}, 409, "")
		kept := testkit.Put[roster.Division](t, r.admin, path, map[string]any{"classId": r.class.ID, "room": "12"})
		if kept.ClassID != r.class.ID || kept.Room != "12" {
			t.Errorf("its own class again: %+v", kept)
		}
	}
	empty := r.division(t, "C")
	if moved := testkit.Put[roster.Division](t, r.admin, "/school-admin/division/"+empty.ID.String(), map[string]any{"classId": six.ID}); moved.ClassID != six.ID {
		t.Errorf("an empty division: %+v", moved)
	}
}
