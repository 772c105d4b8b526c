package roster_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// staffroom is a school with a class of two divisions, two subjects and three periods,
// and the hands to fill it.
type staffroom struct {
	*testkit.School
	admin         *testkit.Client
	class         roster.Class
	a, b          roster.Division
	maths, art    roster.Subject
	first, second roster.Period
}

func newStaffroom(t *testing.T) *staffroom {
	t.Helper()
	return furnish(t, testkit.NewSchool(t))
}

func furnish(t *testing.T, s *testkit.School) *staffroom {
	t.Helper()
	r := &staffroom{School: s, admin: s.As(t, api.SchoolAdmin)}
	year := testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create", map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+year.ID.String()+"/activate", map[string]any{})
	r.class = testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	r.a, r.b = r.division(t, "A"), r.division(t, "B")
	r.maths, r.art = r.subject(t, "Mathematics", "MATH"), r.subject(t, "Art", "ART")
	r.first, r.second = r.period(t, "Period 1", "09:00", "09:45"), r.period(t, "Period 2", "09:45", "10:30")
	return r
}

func (r *staffroom) division(t *testing.T, name string) roster.Division {
	t.Helper()
	return testkit.Post[roster.Division](t, r.admin, "/school-admin/division/create", map[string]any{"classId": r.class.ID, "name": name})
}

func (r *staffroom) subject(t *testing.T, name, code string) roster.Subject {
	t.Helper()
	return testkit.Post[roster.Subject](t, r.admin, "/school-admin/subject/create", map[string]any{"name": name, "code": code})
}

func (r *staffroom) period(t *testing.T, name, from, to string) roster.Period {
	t.Helper()
	return testkit.Post[roster.Period](t, r.admin, "/school-admin/timetable/period/create", map[string]any{"name": name, "startTime": from, "endTime": to})
}

// employ adds an employee; more overrides what a teacher would be.
func (r *staffroom) employ(t *testing.T, name string, more ...map[string]any) roster.EmployeeDetail {
	t.Helper()
	return testkit.Post[roster.EmployeeDetail](t, r.admin, "/school-admin/employee/create", person(name, more...))
}

func person(name string, more ...map[string]any) map[string]any {
	data := map[string]any{"firstName": name, "phone": testkit.NewPhone(), "employeeType": "TEACHER"}
	for _, m := range more {
		for k, v := range m {
			data[k] = v
		}
	}
	return data
}

// signedIn signs an employee in by the code sent to their phone.
func signedIn(t *testing.T, app *testkit.App, client, phone string) *testkit.Client {
	t.Helper()
	prefix := "/" + client + "/user-auth"
	if a := app.Nobody().Call(t, "POST", prefix+"/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
		t.Fatalf("send-otp: %d %s", a.Status, a.Body)
	}
	in := testkit.Post[struct{ AccessToken string }](t, app.Nobody(), prefix+"/verify-otp", map[string]any{"phone": phone, "otp": app.OTP(t, phone)})
	c := app.Nobody()
	c.Token = in.AccessToken
	return c
}

func (r *staffroom) assign(t *testing.T, e roster.EmployeeDetail, list ...map[string]any) roster.AssignmentList {
	t.Helper()
	return testkit.Put[roster.AssignmentList](t, r.admin, "/school-admin/employee/"+e.ID.String()+"/assignments", map[string]any{"assignments": append([]map[string]any{}, list...)})
}

// lesson is one slot of a week.
func lesson(day int, p roster.Period, s roster.Subject, teacher uuid.UUID, room string) map[string]any {
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
