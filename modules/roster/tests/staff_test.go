package roster_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// staffroom is a school with a class of two divisions and two subjects.
type staffroom struct {
	*testkit.School
	admin      *testkit.Client
	class      roster.Class
	a, b       roster.Division
	maths, art roster.Subject
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
	r.a, r.b = r.division(t, "A"), r.division(t, "B")
	r.maths, r.art = r.subject(t, "Mathematics", "MATH"), r.subject(t, "Art", "ART")
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

func (r *staffroom) assign(t *testing.T, e roster.EmployeeDetail, list ...map[string]any) roster.AssignmentList {
	t.Helper()
	return testkit.Put[roster.AssignmentList](t, r.admin, "/school-admin/employee/"+e.ID.String()+"/assignments",
		map[string]any{"assignments": append([]map[string]any{}, list...)})
}
