package timetable_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// staffroom is a school with a class of two divisions, two subjects and two periods.
type staffroom struct {
	*testkit.School
	admin         *testkit.Client
	class         roster.Class
	a, b          roster.Division
	maths, art    roster.Subject
	first, second timetable.Period
}

func newStaffroom(t *testing.T) *staffroom {
	t.Helper()
	return furnish(t, testkit.NewSchool(t))
}

func furnish(t *testing.T, s *testkit.School) *staffroom {
	t.Helper()
	r := &staffroom{School: s, admin: s.As(t, api.SchoolAdmin)}
	year := testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+year.ID.String()+"/activate", map[string]any{})
	r.class = testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	for name, into := range map[string]*roster.Division{"A": &r.a, "B": &r.b} {
		*into = testkit.Post[roster.Division](t, r.admin, "/school-admin/division/create", map[string]any{"classId": r.class.ID, "name": name})
	}
	for name, into := range map[string]*roster.Subject{"Mathematics": &r.maths, "Art": &r.art} {
		*into = testkit.Post[roster.Subject](t, r.admin, "/school-admin/subject/create", map[string]any{"name": name, "code": name})
	}
	r.first, r.second = r.period(t, "Period 1", "09:00", "09:45"), r.period(t, "Period 2", "09:45", "10:30")
	return r
}

func (r *staffroom) period(t *testing.T, name, from, to string) timetable.Period {
	t.Helper()
	return testkit.Post[timetable.Period](t, r.admin, "/school-admin/timetable/period/create",
		map[string]any{"name": name, "startTime": from, "endTime": to})
}

// employ adds a teacher; more overrides what one would be.
func (r *staffroom) employ(t *testing.T, name string, more ...map[string]any) roster.EmployeeDetail {
	t.Helper()
	data := map[string]any{"firstName": name, "phone": testkit.NewPhone(), "employeeType": "TEACHER"}
	for _, m := range more {
		maps.Copy(data, m)
	}
	return testkit.Post[roster.EmployeeDetail](t, r.admin, "/school-admin/employee/create", data)
}

// lesson is one slot of a week.
func lesson(day int, p timetable.Period, s roster.Subject, teacher uuid.UUID, room string) map[string]any {
	out := map[string]any{"dayOfWeek": day, "periodId": p.ID, "subjectId": s.ID, "room": room}
	if teacher != uuid.Nil {
		out["teacherId"] = teacher
	}
	return out
}

func weekPath(d roster.Division) string {
	return fmt.Sprint("/school-admin/timetable/division/", d.ID)
}

func week(list ...map[string]any) map[string]any {
	return map[string]any{"slots": append([]map[string]any{}, list...)}
}
