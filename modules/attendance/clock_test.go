package attendance_test

import (
	"fmt"
	"testing"

	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestTodayIsTheSchoolsDayWhereverTheServerStands(t *testing.T) {
	t.Parallel()
	for _, where := range []struct {
		zone string
		hour int
	}{{"Asia/Kolkata", 1}, {"America/Los_Angeles", 23}, {"Pacific/Auckland", 1}, {"Pacific/Auckland", 23}} {
		t.Run(fmt.Sprintf("%s at %02d:00", where.zone, where.hour), func(t *testing.T) {
			t.Parallel()
			r := furnish(t, at(t, where.zone, where.hour), 1)
			child := r.children[0]
			r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(1), record(child, "PRESENT")), 422, "")
			r.mark(t, record(child, "ABSENT"))
			testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-7), record(child, "PRESENT")))
			r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-8), record(child, "PRESENT")), 422, "")
			if reg := testkit.Get[attendance.DayRegister](t, r.teacher, "/teacher/attendance/register?divisionId="+r.a.ID.String()); reg.Date != r.today || *reg.Students[0].Status != "ABSENT" {
				t.Errorf("register %+v", reg)
			}
			testkit.Post[attendance.Marked](t, r.admin, officeMark, sheet(r.a, r.today, record(child, "PRESENT"))) // today needs no reason
		})
	}
}

func TestTheYearsEdgesBoundWhatCanBeMarked(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child := r.children[0]
	year := "/school-admin/academic-year/" + r.year.ID.String()
	// The year began three days ago: a teacher's week reaches no further.
	testkit.Put[roster.AcademicYear](t, r.admin, year, map[string]any{"startDate": r.today.AddDays(-3)})
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-3), record(child, "PRESENT")))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-4), record(child, "PRESENT")), 422, "")
	// Its last day was yesterday.
	testkit.Put[roster.AcademicYear](t, r.admin, year, map[string]any{"endDate": r.today.AddDays(-1)})
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-1), record(child, "PRESENT")))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(child, "PRESENT")), 422, "")
	r.admin.Refuses(t, "POST", officeMark, sheet(r.a, r.today, record(child, "PRESENT")), 422, "")
	// The next year has begun, and the old one is closed.
	next := testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "Next", "startDate": r.today, "endDate": r.today.AddDays(300)})
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+next.ID.String()+"/activate", nil)
	late := sheet(r.a, r.today.AddDays(-1), record(child, "ABSENT"))
	late["reason"] = "A mistake"
	r.admin.Refuses(t, "POST", officeMark, late, 422, "")
	testkit.Post[attendance.Marked](t, r.admin, officeMark, sheet(r.a, r.today, record(child, "PRESENT")))
}
