package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// enrol imports the school's 300 students with their guardians from one file, whose
// seven bad rows are seen in a dry run and mended first.
func (d *day) enrol(t *testing.T) {
	file := d.studentFile()
	broken := file
	for _, i := range []int{3, 40, 41, 99, 150, 222, 299} {
		broken = strings.Replace(broken, fmt.Sprintf("Child%d,", i), ",", 1)
	}
	if dry := d.imports(t, broken, "dryRun=true"); dry.Bad != 7 || dry.Creates != 293 {
		t.Fatalf("dry run %+v", dry)
	}
	plan := d.imports(t, file, "dryRun=true")
	if plan.Bad != 0 || plan.Creates != 300 {
		t.Fatalf("the mended file %+v", plan)
	}
	if done := d.imports(t, file, "planHash="+plan.PlanHash); done.Creates != 300 || done.State != "DONE" {
		t.Fatalf("commit %+v", done)
	}
	if again := d.imports(t, file, ""); again.Unchanged != 300 || again.Creates+again.Updates+again.GuardiansNew != 0 {
		t.Errorf("sent again %+v", again)
	}
	page := testkit.Get[struct{ Items []roster.StudentItem }](t, d.office, "/school-admin/student/list?filters[search]=child")
	d.ids["/school-admin/student/"] = page.Items[0].ID

	// Every third child is the sibling of the one before, and their parent sees both.
	phone := d.parentPhone(2)
	parent := d.byPhone(t, "parent", phone)
	mine := testkit.Post[struct {
		Students []roster.StudentItem
		Total    int
	}](t, parent, "/parent/student/list", map[string]any{"academicYearId": d.ids["/school-admin/academic-year/"]})
	if mine.Total != 2 || mine.Students[0].FirstName != "Child1" || mine.Students[1].FirstName != "Child2" {
		t.Errorf("a parent of two sees %+v", mine)
	}
	parent.Refuses(t, "GET", "/parent/student/"+d.ids["/school-admin/student/"].String(), nil, 404, "STUDENT_NOT_FOUND")
}

func (d *day) studentFile() string {
	var b strings.Builder
	b.WriteString("admissionNumber,firstName,lastName,class,division,rollNumber,gender,dateOfBirth,guardian1FirstName,guardian1Phone,guardian1Relation\r\n")
	parent := 0
	for i := range 300 {
		if i%3 != 2 {
			parent++
		}
		fmt.Fprintf(&b, "GV-%04d,Child%d,Rao,Class 5,%c,%d,F,2015-03-0%d,Parent%d,%s,mother\r\n", i+1, i, 'A'+rune(i%2), i/2+1, i%9+1, parent,
			d.parentPhone(parent))
	}
	return b.String()
}

// parentPhone is the phone of the nth parent of the school's file.
func (d *day) parentPhone(n int) string { return fmt.Sprintf("%s%04d", d.phones, n) }

func (d *day) imports(t *testing.T, file, options string) imports.ImportResult {
	t.Helper()
	a := d.office.Send(t, "POST", "/school-admin/student/import?"+options, "text/csv", []byte(file))
	if a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
	var r imports.ImportResult
	a.Read(t, &r)
	return r
}

// staff employs a class teacher and sets a week with one clash, which is refused with
// both lessons named.
func (d *day) staff(t *testing.T) {
	class, division := d.ids["/school-admin/class/"], d.ids["/school-admin/division/"]
	phone := testkit.NewPhone()
	meera := testkit.Post[roster.Employee](t, d.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Meera", "lastName": "Iyer", "phone": phone, "employeeType": "TEACHER"})
	maths := testkit.Post[roster.Subject](t, d.office, "/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MATH"})
	first := testkit.Post[timetable.Period](t, d.office, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	testkit.Put[struct{}](t, d.office, "/school-admin/employee/"+meera.ID.String()+"/assignments",
		map[string]any{"assignments": []map[string]any{
			{"classId": class, "divisionId": division, "isClassTeacher": true}, {"classId": class, "divisionId": division, "subjectId": maths.ID}}})
	week := func(division uuid.UUID) testkit.Answer {
		return d.office.Call(t, "PUT", "/school-admin/timetable/division/"+division.String(), map[string]any{
			"slots": []map[string]any{{"dayOfWeek": 1, "periodId": first.ID, "subjectId": maths.ID, "teacherId": meera.ID}}})
	}
	if a := week(division); a.Status != 200 {
		t.Fatalf("the week of A: %d %s", a.Status, a.Body)
	}
	other := testkit.Post[roster.Division](t, d.office, "/school-admin/division/create", map[string]any{"classId": class, "name": "C"})
	refused := week(other.ID)
	if text := refused.Failure(t).Message; refused.Status != 409 || !strings.Contains(text, "Class 5 C Mathematics") ||
		!strings.Contains(text, "Class 5 A Mathematics") {
		t.Errorf("a teacher in two rooms: %d %s", refused.Status, refused.Body)
	}
	d.ids["/school-admin/employee/"], d.ids["/school-admin/subject/"] = meera.ID, maths.ID

	d.teacher = d.byPhone(t, "teacher", phone)
	d.teaches(t, d.teacher, division.String())
	there := testkit.Get[roster.DivisionRoster](t, d.teacher, "/teacher/class/"+division.String()+"/students")
	if there.Total != 150 || there.Students[0].FirstName != "Child0" {
		t.Errorf("her class has %d students", there.Total)
	}
	d.teacher.Refuses(t, "GET", "/teacher/class/"+other.ID.String()+"/students", nil, 403, "PERMISSION_DENIED")
}
