package leave_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// room is a school that is open every day, with a class teacher of 5-A, another
// teacher there, two children and the parent of the first.
type room struct {
	*testkit.School
	admin, classTeacher, colleague, parent *testkit.Client
	teacherID                              uuid.UUID // the class teacher, as an employee
	year                                   roster.AcademicYear
	five                                   roster.Class
	a                                      roster.Division
	today                                  api.Date
	child, other                           roster.StudentDetail
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{School: testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{}})}
	r.admin = r.As(t, api.SchoolAdmin)
	r.today = api.DateOf(r.App.Service.Kernel.Clock().In(r.Location()))
	r.year = testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "This year", "startDate": r.today.AddDays(-100), "endDate": r.today.AddDays(200)})
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+r.year.ID.String()+"/activate", nil)
	r.five = testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	r.a = testkit.Post[roster.Division](t, r.admin, "/school-admin/division/create", map[string]any{"classId": r.five.ID, "name": "A"})
	r.child, r.other = r.admit(t, "Asha"), r.admit(t, "Ravi")
	r.classTeacher, r.teacherID = r.hire(t, true)
	r.colleague, _ = r.hire(t, false)
	r.parent = r.parentOf(t, r.child)
	return r
}

func (r *room) admit(t *testing.T, name string) roster.StudentDetail {
	t.Helper()
	return testkit.Post[roster.StudentDetail](t, r.admin, "/school-admin/student/create",
		map[string]any{"firstName": name, "lastName": "Rao", "divisionId": r.a.ID, "admissionDate": r.year.StartDate})
}

// hire adds a signed-in teacher of 5-A.
func (r *room) hire(t *testing.T, classTeacher bool) (*testkit.Client, uuid.UUID) {
	t.Helper()
	c, id := r.As(t, api.Teacher), api.NewID()
	err := r.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, ?, 'Meera', ?, 'TEACHER')`,
		id, c.UserID, id.String(), testkit.NewPhone()).Error
	if err != nil {
		t.Fatal(err)
	}
	testkit.Put[roster.AssignmentList](t, r.admin, "/school-admin/employee/"+id.String()+"/assignments",
		map[string]any{"assignments": []any{map[string]any{"classId": r.five.ID, "divisionId": r.a.ID, "isClassTeacher": classTeacher}}})
	return c, id
}

func (r *room) parentOf(t *testing.T, child roster.StudentDetail) *testkit.Client {
	t.Helper()
	c, id := r.As(t, api.Parent), api.NewID()
	db := r.DB(t)
	err := db.Exec(`insert into guardian (id, user_id, first_name, phone) values (?, ?, 'Leela', ?)`, id, c.UserID, testkit.NewPhone()).Error
	if err == nil {
		err = db.Exec(`insert into student_guardian (id, student_id, guardian_id, relation) values (?, ?, ?, 'MOTHER')`, api.NewID(), child.ID,
			id).Error
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// days is a request for leave from so many days after today to so many.
func (r *room) days(from, to int, more ...map[string]any) map[string]any {
	out := map[string]any{"leaveType": "SICK", "fromDate": r.today.AddDays(from), "toDate": r.today.AddDays(to), "reason": "Fever"}
	for _, m := range more {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// ask asks for the child.
func (r *room) ask(t *testing.T, from, to int) leave.LeaveView {
	t.Helper()
	return testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/apply", r.days(from, to, map[string]any{"studentId": r.child.ID}))
}

func decision(l leave.LeaveView, status string) map[string]any {
	return map[string]any{"leaveId": l.ID, "status": status, "note": "Get well"}
}

func cancellation(l leave.LeaveView) map[string]any { return map[string]any{"leaveId": l.ID} }

// statuses are the child's days, as the register has them.
func (r *room) status(t *testing.T, day int) string {
	t.Helper()
	reg := testkit.Get[attendance.DayRegister](t, r.classTeacher,
		fmt.Sprintf("/teacher/attendance/register?divisionId=%s&date=%s", r.a.ID, r.today.AddDays(day)))
	for _, s := range reg.Students {
		if s.StudentID == r.child.ID && s.Status != nil {
			return *s.Status
		}
	}
	return ""
}

func (r *room) mark(t *testing.T, status string) attendance.Marked {
	t.Helper()
	return testkit.Post[attendance.Marked](t, r.classTeacher, "/teacher/attendance/mark",
		map[string]any{"divisionId": r.a.ID, "date": r.today, "records": []any{map[string]any{"studentId": r.child.ID, "status": status}}})
}
