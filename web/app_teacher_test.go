package web_test

import (
	"fmt"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// staffRoom is a school with a class of forty, whose class teacher has not signed in yet: one child of it is on leave today, for
// another leave was asked for, and a lesson lasts all day, in which the teacher stands in for a colleague. The library has two books.
func staffRoom(t *testing.T, app *testkit.App) map[string]any {
	t.Helper()
	s, clerk, _ := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}}) // today is a school day
	post := func(path string, data map[string]any) made {
		return testkit.Post[made](t, clerk, "/school-admin/"+path, data)
	}
	today := api.DateOf(app.Service.Kernel.Clock().In(s.Location()))
	year := post("academic-year/create", map[string]any{"name": "Year", "startDate": today.AddDays(-99), "endDate": today.AddDays(200)})
	testkit.Post[made](t, clerk, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	class := post("class/create", map[string]any{"name": "Class 5"})
	division := post("division/create", map[string]any{"classId": class.ID, "name": "A"})
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,guardian1Relation,guardian1FirstName,guardian1Phone"}
	phone, parentPhone := testkit.NewPhone(), testkit.NewPhone()
	for i := 1; i <= 40; i++ {
		guardian := testkit.NewPhone()
		if i <= 2 {
			guardian = parentPhone
		}
		rows = append(rows, fmt.Sprintf("S-%02d,Child%d,Rao,Class 5,A,%d,MOTHER,Meera,%s", i, i, i, guardian))
	}
	imported(t, clerk, rows...)
	teacher := func(name string, phone api.Phone, leads bool) made {
		one := post("employee/create", map[string]any{"firstName": name, "lastName": "Iyer", "phone": phone, "employeeType": "TEACHER"})
		testkit.Put[roster.AssignmentList](t, clerk, "/school-admin/employee/"+one.ID.String()+"/assignments",
			map[string]any{"assignments": []any{map[string]any{"classId": class.ID, "divisionId": division.ID, "isClassTeacher": leads}}})
		return one
	}
	meera := teacher("Meera", api.Phone(phone), true)
	anil := teacher("Anil", api.Phone(testkit.NewPhone()), false)
	maths := post("subject/create", map[string]any{"name": "Mathematics", "code": "M"})
	hindi := post("subject/create", map[string]any{"name": "Hindi", "code": "H"})
	allDay := post("timetable/period/create", map[string]any{"name": "Period 1", "startTime": "00:00", "endTime": "23:59"})
	var week []any
	for day := 1; day <= 7; day++ {
		week = append(week, map[string]any{"dayOfWeek": day, "periodId": allDay.ID, "subjectId": maths.ID, "teacherId": anil.ID, "room": "12"})
	}
	testkit.Put[struct{}](t, clerk, "/school-admin/timetable/division/"+division.ID.String(), map[string]any{"slots": week})
	type slot struct {
		ID        string `json:"id"`
		DayOfWeek int    `json:"dayOfWeek"`
	}
	weekly := testkit.Get[struct{ Slots []slot }](t, clerk, "/school-admin/timetable/division/"+division.ID.String())
	for _, one := range weekly.Slots {
		if one.DayOfWeek == (int(today.In(s.Location()).Weekday())+6)%7+1 {
			post("timetable/substitution", map[string]any{"slotId": one.ID, "date": today, "substituteTeacherId": meera.ID, "reason": "Ill"})
		}
	}
	exam := post("exam/create", map[string]any{"name": "Half-yearly", "academicYearId": year.ID, "classIds": []any{class.ID},
		"startDate": today.AddDays(-3), "endDate": today.AddDays(3)})
	post("exam/schedule", map[string]any{"examId": exam.ID, "papers": []any{map[string]any{"classId": class.ID, "subjectId": hindi.ID,
		"examDate": today.AddDays(-1), "startTime": "09:00", "endTime": "10:00", "maxMarks": 50, "passMarks": 20}}})
	book := post("library/book/create", map[string]any{"title": "Malgudi Days", "author": "R. K. Narayan", "category": "Stories"})
	post("library/copy/create", map[string]any{"bookId": book.ID, "accessionNumber": "L-1"})
	post("library/book/create", map[string]any{"title": "Train to Pakistan", "author": "Khushwant Singh"})
	return map[string]any{"phone": phone, "token": clerk.Token, "school": s.Name, "division": division.ID, "parentPhone": parentPhone,
		"today": today, "exam": exam.ID}
}

func TestApp_TeacherMarksARegisterInADeadSpot(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "app-teacher", staffRoom(t, app))
}

// TestApp_TeacherMarksALesson_WhereTheSchoolMarksByLesson also pastes a column of marks.
func TestApp_TeacherMarksALesson_WhereTheSchoolMarksByLesson(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	stage := staffRoom(t, app)
	clerk := app.Nobody()
	clerk.Token = stage["token"].(string)
	testkit.Put[struct{}](t, clerk, "/school-admin/setting", map[string]any{"attendanceBy": "PERIOD"})
	browse(t, app, "app-lesson", stage)
}
