package web_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestPapers_ArePrintedWhereTheOfficeLooksForThem is a school with a class, an exam and a payment.
func TestPapers_ArePrintedWhereTheOfficeLooksForThem(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{})
	seat := school.Seat(t, "Class 5")
	today := api.DateOf(app.Service.Kernel.Clock().In(school.Location()))
	imported(t, admin, "admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate",
		"P-1,Asha,Rao,Class 5,A,1,"+today.AddDays(-30).String(), "P-2,श्रीकृष्ण,द्विवेदी,Class 5,A,2,"+today.AddDays(-30).String())
	class := testkit.Get[roster.DivisionRoster](t, admin, "/school-admin/division/"+seat.DivisionID.String()+"/students")
	testkit.Post[any](t, admin, "/school-admin/fee/collection/record",
		map[string]any{"studentId": class.Students[0].ID, "amount": 100_00, "paymentMode": "CASH"})
	e := testkit.Post[exam.Exam](t, admin, "/school-admin/exam/create",
		map[string]any{"name": "Half-yearly", "classIds": []uuid.UUID{seat.ClassID}})
	maths := testkit.Post[roster.Subject](t, admin, "/school-admin/subject/create",
		map[string]any{"name": "Mathematics", "code": "MAT", "maxMarks": 100, "passMarks": 35})
	schedule := testkit.Post[exam.Schedule](t, admin, "/school-admin/exam/schedule", map[string]any{"examId": e.ID, "papers": []any{map[string]any{
		"classId": seat.ClassID, "subjectId": maths.ID, "examDate": today.AddDays(1), "startTime": "09:30", "endTime": "11:30"}}})
	testkit.Post[exam.Uploaded](t, admin, "/school-admin/exam/result/upload", map[string]any{"examId": e.ID, "results": []any{
		map[string]any{"paperId": schedule.Papers[0].ID, "studentId": class.Students[0].ID, "marksObtained": 81}}})
	period := testkit.Post[timetable.Period](t, admin, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	meera := testkit.Post[roster.EmployeeDetail](t, admin, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "phone": testkit.NewPhone(), "employeeType": "TEACHER"})
	testkit.Put[timetable.DivisionWeek](t, admin, "/school-admin/timetable/division/"+seat.DivisionID.String(), map[string]any{"slots": []any{
		map[string]any{"dayOfWeek": 1, "periodId": period.ID, "subjectId": maths.ID, "teacherId": meera.ID}}})
	stage["exam"], stage["student"] = e.ID, class.Students[0].ID
	browse(t, app, "papers", stage)
}
