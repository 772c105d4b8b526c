package attendance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// room is a school that is open every day, with class 5 and its divisions A and B, a
// class teacher of A, and children in A.
type room struct {
	*testkit.School
	admin, teacher *testkit.Client
	teacherID      uuid.UUID // the employee
	year           roster.AcademicYear
	five           roster.Class
	a, b           roster.Division
	today          api.Date
	children       []roster.StudentDetail
}

func newRoom(t *testing.T, children int) *room {
	t.Helper()
	return furnish(t, testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{}}), children)
}

func furnish(t *testing.T, s *testkit.School, children int) *room {
	t.Helper()
	r := &room{School: s, admin: s.As(t, api.SchoolAdmin)}
	r.today = api.DateOf(s.App.Service.Kernel.Clock().In(s.Location()))
	r.year = testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "This year", "startDate": r.today.AddDays(-100), "endDate": r.today.AddDays(200)})
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+r.year.ID.String()+"/activate", nil)
	r.five = testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 5", "level": 5})
	r.a, r.b = r.division(t, "A"), r.division(t, "B")
	for i := range children {
		r.children = append(r.children, r.admit(t, fmt.Sprintf("Child%d", i+1), r.a, i+1))
	}
	r.teacher, r.teacherID = r.hire(t, map[string]any{"classId": r.five.ID, "divisionId": r.a.ID, "isClassTeacher": true})
	return r
}

func (r *room) division(t *testing.T, name string) roster.Division {
	t.Helper()
	return testkit.Post[roster.Division](t, r.admin, "/school-admin/division/create", map[string]any{"classId": r.five.ID, "name": name})
}

// admit seats a child since the year began.
func (r *room) admit(t *testing.T, name string, d roster.Division, roll int) roster.StudentDetail {
	t.Helper()
	return testkit.Post[roster.StudentDetail](t, r.admin, "/school-admin/student/create",
		map[string]any{"firstName": name, "lastName": "Rao", "divisionId": d.ID, "rollNumber": roll, "admissionDate": r.year.StartDate})
}

// hire adds a signed-in teacher with assignments.
func (r *room) hire(t *testing.T, assignments ...map[string]any) (*testkit.Client, uuid.UUID) {
	t.Helper()
	c, id := r.As(t, api.Teacher), api.NewID()
	err := r.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, ?, 'Meera', ?, 'TEACHER')`,
		id, c.UserID, id.String(), testkit.NewPhone()).Error
	if err != nil {
		t.Fatal(err)
	}
	testkit.Put[roster.AssignmentList](t, r.admin, "/school-admin/employee/"+id.String()+"/assignments",
		map[string]any{"assignments": append([]map[string]any{}, assignments...)})
	return c, id
}

// parentOf adds a signed-in parent of children.
func (r *room) parentOf(t *testing.T, children ...roster.StudentDetail) *testkit.Client {
	t.Helper()
	c, id := r.As(t, api.Parent), api.NewID()
	err := r.DB(t).Exec(`insert into guardian (id, user_id, first_name, phone) values (?, ?, 'Asha', ?)`, id, c.UserID,
		testkit.NewPhone()).Error
	for _, child := range children {
		if err == nil {
			err = r.DB(t).Exec(`insert into student_guardian (id, student_id, guardian_id, relation) values (?, ?, ?, 'MOTHER')`, api.NewID(),
				child.ID, id).Error
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// record is one child's mark in a call.
func record(s roster.StudentDetail, status string, more ...map[string]any) map[string]any {
	out := map[string]any{"studentId": s.ID, "status": status}
	for _, m := range more {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func sheet(d roster.Division, day any, records ...map[string]any) map[string]any {
	return map[string]any{"divisionId": d.ID, "date": day, "records": append([]map[string]any{}, records...)}
}

const (
	teacherMark = "/teacher/attendance/mark"
	officeMark  = "/school-admin/attendance/mark"
)

func (r *room) mark(t *testing.T, records ...map[string]any) attendance.Marked {
	t.Helper()
	return testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today, records...))
}

// told is how many lines of the log a user has about attendance.
func (r *room) told(t *testing.T, c *testkit.Client) int {
	t.Helper()
	return r.Count(t, "notification", "user_id = ? and type = 'ATTENDANCE'", c.UserID)
}

// at is a school in a place where it is an hour of the day.
func at(t *testing.T, zone string, hour int) *testkit.School {
	t.Helper()
	place, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	there := time.Now().In(place)
	now := time.Date(there.Year(), there.Month(), there.Day(), hour, 0, 0, 0, place)
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) {
		o.Clock = func() time.Time { return now }
	})
	return app.NewSchoolAs(t, lifecycle.NewSchool{TimeZone: zone, WeekendDays: []int16{}})
}
