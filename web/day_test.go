package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/leave"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestAnOfficesDayFromTheRegisterToTheReportCard is a school that is open every day,
// with sixty children in 5-A, two of whom take French, a parent who asked for leave and an exam to be marked.
func TestAnOfficesDayFromTheRegisterToTheReportCard(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}})
	seat := school.Seat(t, "Class 5")
	today := api.DateOf(app.Service.Kernel.Clock().In(school.Location()))

	names := []string{"Anu,Iyer", "Bala,Nair", "Chitra,Das", "Dev,Khan"}
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate"}
	for i := range 60 {
		name := fmt.Sprintf("Child,%02d", i+1)
		if i < len(names) {
			name = names[i]
		}
		rows = append(rows, fmt.Sprintf("D-%d,%s,Class 5,A,%d,%s", i+1, name, i+1, today.AddDays(-60)))
	}
	imported(t, admin, rows...)
	class := testkit.Get[roster.DivisionRoster](t, admin, "/school-admin/division/"+seat.DivisionID.String()+"/students")
	parent := school.As(t, api.Parent)
	school.Link(t, parent, class.Students[3].ID)
	testkit.Post[leave.LeaveView](t, parent, "/parent/leave/apply",
		map[string]any{"studentId": class.Students[3].ID, "leaveType": "CASUAL", "fromDate": today.AddDays(1), "toDate": today.AddDays(2),
			"reason": "Family wedding"})

	e := testkit.Post[exam.Exam](t, admin, "/school-admin/exam/create",
		map[string]any{"name": "Half-yearly", "classIds": []uuid.UUID{seat.ClassID}})
	var papers []map[string]any
	var maths, french uuid.UUID
	for i, name := range []string{"Mathematics", "Science", "French"} {
		s := testkit.Post[roster.Subject](t, admin, "/school-admin/subject/create",
			map[string]any{"name": name, "code": name[:3], "maxMarks": 100, "passMarks": 35})
		if i == 0 {
			maths = s.ID
		}
		french = s.ID
		papers = append(papers, map[string]any{"classId": seat.ClassID, "subjectId": s.ID, "examDate": today.AddDays(i - 10),
			"startTime": "09:30", "endTime": "11:30"})
	}
	testkit.Post[exam.Schedule](t, admin, "/school-admin/exam/schedule", map[string]any{"examId": e.ID, "papers": papers})
	group := testkit.Post[roster.Group](t, admin, "/school-admin/group/create",
		map[string]any{"name": "French", "subjectId": french, "divisionIds": []any{seat.DivisionID}})
	testkit.Put[any](t, admin, "/school-admin/group/"+group.ID.String()+"/members",
		map[string]any{"studentIds": []any{class.Students[3].ID, class.Students[4].ID}, "fromDate": today.AddDays(-60)})
	period := testkit.Post[timetable.Period](t, admin, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	testkit.Put[timetable.DivisionWeek](t, admin, "/school-admin/timetable/division/"+seat.DivisionID.String(), map[string]any{
		"slots": []map[string]any{{"dayOfWeek": (int(today.In(time.UTC).Weekday())+6)%7 + 1, "periodId": period.ID, "subjectId": maths}}})
	stage["division"], stage["exam"], stage["group"] = seat.DivisionID, e.ID, group.ID
	browse(t, app, "day", stage)
}
