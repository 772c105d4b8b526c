package attendance_test

import (
	"fmt"
	"testing"

	"homeroom/testkit"
)

// scripts are names in the scripts of four languages.
var scripts = []string{"श्रीकृष्ण", "ஸ்ரீநிவாசன்", "محمد عبد الله", "Nguyễn Thị Ánh"}

// printed reads a paper of the office's.
func (r *room) printed(t *testing.T, path string) testkit.Printed {
	t.Helper()
	a := r.admin.Call(t, "GET", path, nil)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return testkit.ReadPaper(t, a.Body)
}

func TestMonthRegister_OnPaper_NamesEveryStudentWithMarksAndTotals(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 0)
	for i, name := range scripts {
		r.children = append(r.children, r.admit(t, name, r.a, i+1))
	}
	r.mark(t, record(r.children[0], "PRESENT"), record(r.children[1], "ABSENT"), record(r.children[2], "LATE"))
	on := r.printed(t, "/school-admin/attendance/report.pdf?divisionId="+r.a.ID.String())
	if len(on.Missing) > 0 {
		t.Errorf("no glyphs for %q", on.Missing)
	}
	for _, want := range append([]string{fmt.Sprintf("Register of Class 5 A, %s %d", r.today.Month, r.today.Year), "Student", "P", "A", "L",
		"Total", "66.7", "100", r.School.Name}, scripts...) {
		if !on.Says(want) {
			t.Errorf("the register does not say %q: %q", want, on.Pages)
		}
	}
	if wide := on.Sizes[0]; wide[0] <= wide[1] {
		t.Errorf("the page is %v, want it on its long side", wide)
	}
}

func TestMonthRegister_OfManyStudents_NumbersItsPages(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 45)
	on := r.printed(t, "/school-admin/attendance/report.pdf?divisionId="+r.a.ID.String())
	if len(on.Pages) < 2 || !on.Says(", page 2") {
		t.Errorf("%d pages, numbered in none of %q", len(on.Pages), on.Pages)
	}
}

func TestSummary_OnPaper_HasALineForEveryDivisionAndTheSchool(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	r.mark(t, record(r.children[0], "PRESENT"), record(r.children[1], "ABSENT"))
	on := r.printed(t, fmt.Sprintf("/school-admin/attendance/summary.pdf?from=%s&to=%s", r.today, r.today))
	if len(on.Missing) > 0 {
		t.Errorf("no glyphs for %q", on.Missing)
	}
	for _, want := range []string{"Attendance summary, ", "Class 5 A", "Class 5 B", "Class 5 in all", "School", "50"} {
		if !on.Says(want) {
			t.Errorf("the summary does not say %q: %q", want, on.Pages)
		}
	}
}

func TestAttendancePapers_OfNoDivision_AreNotFound(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 0)
	r.admin.Refuses(t, "GET", "/school-admin/attendance/report.pdf?divisionId="+r.five.ID.String(), nil, 404, "")
	r.teacher.Refuses(t, "GET", "/school-admin/attendance/report.pdf?divisionId="+r.a.ID.String(), nil, 403, "")
}
