package timetable_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

func (r *staffroom) printed(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := r.admin.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	on := testkit.ReadPaper(t, a.Body)
	if len(on.Missing) > 0 {
		t.Errorf("%s: no glyphs for %q", path, on.Missing)
	}
	return on
}

func TestDivisionWeek_OnPaper_HasPeriodsDaysAndLessons(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	lessons := []map[string]any{}
	names := []string{"श्रीकृष्ण", "ஸ்ரீநிவாசன்", "محمد عبد الله", "Nguyễn Thị Ánh"}
	for i, name := range names {
		lessons = append(lessons, lesson(i+1, r.first, r.maths, r.employ(t, name).ID, "Lab"))
	}
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lessons...))
	on := r.printed(t, weekPath(r.a)+"/week.pdf")
	for _, want := range append([]string{"Timetable of Class 5 A", "Monday", "Thursday", "Period 1", "09:00–09:45", "Mathematics", "Lab"}, names...) {
		if !on.Says(want) {
			t.Errorf("the week does not say %q: %q", want, on.Pages)
		}
	}
	if wide := on.Sizes[0]; wide[0] <= wide[1] {
		t.Errorf("the page is %v, want it on its long side", wide)
	}
}

func TestTeacherWeek_OnPaper_NamesTheDivision(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "श्रीकृष्ण")
	testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(2, r.second, r.art, e.ID, "Studio")))
	on := r.printed(t, fmt.Sprintf("/school-admin/timetable/teacher/%s/week.pdf", e.ID))
	for _, want := range []string{"Timetable of श्रीकृष्ण", "Class 5 B", "Art", "Studio"} {
		if !on.Says(want) {
			t.Errorf("the week does not say %q: %q", want, on.Pages)
		}
	}
}

func TestWeek_OnPaper_OfNobody_IsNotFound(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	for _, of := range []string{"division", "group", "teacher"} {
		r.admin.Refuses(t, "GET", fmt.Sprintf("/school-admin/timetable/%s/%s/week.pdf", of, api.NewID()), nil, 404, "")
	}
}
