package roster_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// aboutADivision is a teacher's row as other modules have them.
type aboutADivision struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required"`
}

func teacherRow(_ *config.Config, o *service.Options) {
	o.ExtraRows = api.Rows(api.Post("/teacher/attendance/try", "attendance", "Write about a division",
		func(api.Ctx, aboutADivision) (api.Nothing, error) { return api.Nothing{}, nil },
		api.About(func(_ api.Ctx, r aboutADivision) (api.Target, error) {
			return api.Target{DivisionID: r.DivisionID}, nil
		})))
}

func TestAssignments_DecideWhatATeacherMayChange(t *testing.T) {
	t.Parallel()
	r := furnish(t, testkit.Start(t, teacherRow).NewSchool(t))
	e := r.employ(t, "Meera")
	meera := r.App.SignIn(t, "teacher", string(e.Phone))
	try := func(d roster.Division) int {
		t.Helper()
		return meera.Call(t, "POST", "/teacher/attendance/try", map[string]any{"divisionId": d.ID}).Status
	}
	if try(r.a) != 403 {
		t.Error("without an assignment")
	}
	list := r.assign(t, e, map[string]any{"classId": r.class.ID, "divisionId": r.a.ID, "subjectId": r.maths.ID})
	if got := list.Assignments; len(got) != 1 || got[0].ClassName != "Class 5" || got[0].DivisionName != "A" ||
		got[0].SubjectName != "Mathematics" || got[0].AcademicYearID == nil {
		t.Errorf("answered %+v", got)
	}
	if try(r.a) != 200 || try(r.b) != 403 {
		t.Errorf("assigned to A: %d %d", try(r.a), try(r.b))
	}
	if page := testkit.Get[api.Page[roster.Subject]](t, meera, "/teacher/subject/list"); page.Total != 1 || page.Items[0].Code != "MATH" {
		t.Errorf("my subjects %+v", page)
	}
	r.assign(t, e, map[string]any{"classId": r.class.ID, "divisionId": r.b.ID, "isClassTeacher": true})
	if try(r.a) != 403 || try(r.b) != 200 {
		t.Errorf("assigned to B: %d %d", try(r.a), try(r.b))
	}
	d := testkit.Get[roster.DivisionView](t, r.admin, "/school-admin/division/"+r.b.ID.String())
	if d.ClassTeacherID == nil || *d.ClassTeacherID != e.ID || d.ClassTeacherName != "Meera" {
		t.Errorf("the division says %+v", d)
	}
	page := testkit.Get[api.Page[roster.DivisionView]](t, r.admin, "/school-admin/division/list")
	if page.Items[0].ClassTeacherID != nil || page.Items[1].ClassTeacherID == nil {
		t.Errorf("the list says %+v", page.Items)
	}
	r.assign(t, e)
	if try(r.b) != 403 {
		t.Error("assigned to nothing")
	}
}

func TestAssignments_YearActivated_ItsTeachersTakeOverAtOnce(t *testing.T) {
	t.Parallel()
	r := furnish(t, testkit.Start(t, teacherRow).NewSchool(t))
	next := testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/create",
		map[string]any{"name": "2027-28", "startDate": "2027-06-01", "endDate": "2028-04-30"})
	old, coming := r.employ(t, "Meera"), r.employ(t, "Nila")
	r.assign(t, old, map[string]any{"classId": r.class.ID, "divisionId": r.a.ID})
	testkit.Put[roster.AssignmentList](t, r.admin, "/school-admin/employee/"+coming.ID.String()+"/assignments", map[string]any{
		"academicYearId": next.ID, "assignments": []map[string]any{{"classId": r.class.ID, "divisionId": r.a.ID}}})
	meera, nila := r.App.SignIn(t, "teacher", string(old.Phone)), r.App.SignIn(t, "teacher", string(coming.Phone))
	expect := func(when string, old, coming int) {
		t.Helper()
		body := map[string]any{"divisionId": r.a.ID}
		if a, b := meera.Call(t, "POST", "/teacher/attendance/try", body).Status, nila.Call(t, "POST", "/teacher/attendance/try", body).Status; a != old || b != coming {
			t.Errorf("%s: the old teacher %d, the coming one %d", when, a, b)
		}
	}
	expect("before", 200, 403)
	testkit.Post[roster.AcademicYear](t, r.admin, "/school-admin/academic-year/"+next.ID.String()+"/activate", nil)
	expect("after", 403, 200)
}

func TestAssignments_SecondClassTeacher_IsRefusedNamingTheFirst(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	teachers := []roster.EmployeeDetail{r.employ(t, "Meera", map[string]any{"lastName": "Iyer"}),
		r.employ(t, "Nila", map[string]any{"lastName": "Sen"})}
	lead := map[string]any{"assignments": []map[string]any{{"classId": r.class.ID, "divisionId": r.a.ID, "isClassTeacher": true}}}
	answers := make([]testkit.Answer, len(teachers))
	var group sync.WaitGroup
	for i, e := range teachers {
		group.Go(func() {
			answers[i], _ = r.admin.TryCall("PUT", "/school-admin/employee/"+e.ID.String()+"/assignments", lead)
		})
	}
	group.Wait()
	won, lost := 0, 1
	if answers[0].Status != 200 {
		won, lost = 1, 0
	}
	if answers[won].Status != 200 || answers[lost].Status != 409 {
		t.Fatalf("%d %s / %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}
	want := teachers[won].FirstName + " " + teachers[won].LastName + " is the class teacher of Class 5 A"
	if f := answers[lost].Failure(t); f.Message != want {
		t.Errorf("told %q, want %q", f.Message, want)
	}
}

func TestAssignments_ThatDoNotFit_AreAllNamed(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	other := testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 6"})
	theirs := newStaffroom(t)
	f := r.admin.Refuses(t, "PUT", "/school-admin/employee/"+e.ID.String()+"/assignments", map[string]any{"assignments": []map[string]any{
		{"classId": other.ID, "divisionId": r.a.ID},
		{"classId": theirs.class.ID},
		{"classId": r.class.ID, "isClassTeacher": true},
		{"classId": r.class.ID, "subjectId": theirs.maths.ID},
		{"classId": r.class.ID, "divisionId": theirs.a.ID},
	}}, 422, "")
	var fields []string
	for _, d := range f.Details {
		fields = append(fields, d.Field)
	}
	want := "assignments[0].divisionId assignments[1].classId assignments[2].divisionId assignments[3].subjectId assignments[4].divisionId"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("fields %s", got)
	}
	if n := r.Count(t, "teacher_assignment", "true"); n != 0 {
		t.Errorf("%d written", n)
	}
	driver := r.employ(t, "Ravi", map[string]any{"employeeType": "DRIVER"})
	r.admin.Refuses(t, "PUT", "/school-admin/employee/"+driver.ID.String()+"/assignments", map[string]any{"assignments": []any{}}, 409, "")
}
