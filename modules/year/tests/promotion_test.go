package year_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/year"
	"homeroom/testkit"
)

const promotePath = "/school-admin/student/promote"

// office is a school with a year, classes 6 and 5 with two divisions each, and its administrator.
type office struct {
	*testkit.School
	*testkit.Client
	year    roster.AcademicYear
	classes []roster.Class
}

// admit adds the students of a file.
func (o *office) admit(t *testing.T, file string) {
	t.Helper()
	if a := o.Send(t, "POST", "/school-admin/student/import", "text/csv", []byte(file)); a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
}

// turning is an office with twelve students in class 5, and a next year that begins in
// so many days.
func turning(t *testing.T, days int) (o *office, next roster.AcademicYear, ids []uuid.UUID) {
	t.Helper()
	s := testkit.NewSchool(t)
	o = &office{School: s, Client: s.As(t, api.SchoolAdmin)}
	today := api.DateOf(time.Now().UTC())
	o.year = testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/create", map[string]any{
		"name": "this", "startDate": today.AddDays(days - 300).String(), "endDate": today.AddDays(days - 10).String()})
	testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/"+o.year.ID.String()+"/activate", nil)
	for _, level := range []int{6, 5} {
		fields := map[string]any{"name": fmt.Sprint("Class ", level), "level": level}
		if level == 5 {
			fields["nextClassId"] = o.classes[0].ID
		}
		class := testkit.Post[roster.Class](t, o.Client, "/school-admin/class/create", fields)
		o.classes = append(o.classes, class)
		for _, name := range []string{"A", "B"} {
			testkit.Post[roster.Division](t, o.Client, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": name})
		}
	}
	next = testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/create", map[string]any{
		"name": "next", "startDate": today.AddDays(days).String(), "endDate": today.AddDays(days + 300).String()})
	file := "admissionNumber,firstName,class,division,rollNumber,admissionDate\n"
	for i := range 12 {
		file += fmt.Sprintf("P-%02d,Child%02d,Class 5,%c,%d,2020-01-01\n", i, i, 'A'+rune(i%2), i+1)
	}
	o.admit(t, file)
	if err := o.DB(t).Raw(`select id from student order by admission_number`).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return o, next, ids
}

func TestPromotion_DryRunCommitAndUndo(t *testing.T) {
	t.Parallel()
	o, next, ids := turning(t, 30)
	ask := map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "retained": ids[:1], "left": ids[1:2], "dryRun": true}
	dry := testkit.Post[year.Promotion](t, o.Client, promotePath, ask)
	if dry.Promoted != 10 || dry.Retained != 1 || dry.Left != 1 || dry.ID != nil || len(dry.Students) != 12 ||
		o.Count(t, "enrolment", "end_date is not null") != 0 {
		t.Fatalf("dry run %+v", dry)
	}
	ask["dryRun"] = false
	first := testkit.Post[year.Promotion](t, o.Client, promotePath, ask)
	again := testkit.Post[year.Promotion](t, o.Client, promotePath, ask)
	if first.ID == nil || again.ID == nil || *first.ID != *again.ID || again.Promoted != 10 {
		t.Fatalf("first %+v\nagain %+v", first, again)
	}
	if n := o.Count(t, "enrolment", "academic_year_id = ?", next.ID); n != 11 {
		t.Errorf("%d enrolments in the new year", n)
	}
	for outcome, want := range map[string]int{"PROMOTED": 10, "RETAINED": 1, "LEFT": 1} {
		if n := o.Count(t, "enrolment", "outcome = ? and academic_year_id = ?", outcome, o.year.ID); n != want {
			t.Errorf("%d %s", n, outcome)
		}
	}
	if n := o.Count(t, "enrolment e join class k on k.id = e.class_id join division d on d.id = e.division_id",
		"k.name = 'Class 6' and d.name = 'A' and e.academic_year_id = ?", next.ID); n != 5 {
		t.Errorf("%d in 6-A", n)
	}
	undo := promotePath + "/" + first.ID.String() + "/undo"
	for range 2 {
		if p := testkit.Post[year.Promotion](t, o.Client, undo, nil); !p.Undone {
			t.Errorf("undone %+v", p)
		}
	}
	if n := o.Count(t, "enrolment", "end_date is null and outcome is null and academic_year_id = ?", o.year.ID); n != 12 ||
		o.Count(t, "enrolment", "true") != 12 || o.Count(t, "student", "status <> 'ACTIVE'") != 0 {
		t.Errorf("after undoing, %d sit where they sat", n)
	}
	second := testkit.Post[year.Promotion](t, o.Client, promotePath, ask)
	if second.Promoted != 10 || *second.ID == *first.ID {
		t.Errorf("promoted anew %+v", second)
	}
}

func TestPromotion_AskedForAtOnce_IsDoneOnce(t *testing.T) {
	t.Parallel()
	o, next, _ := turning(t, 30)
	got := make([]year.Promotion, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			got[i] = testkit.Post[year.Promotion](t, o.Client, promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID})
		})
	}
	wg.Wait()
	for _, p := range got {
		if p.ID == nil || *p.ID != *got[0].ID || p.Promoted != 12 {
			t.Errorf("answered %v, %d promoted", p.ID, p.Promoted)
		}
	}
	if n := o.Count(t, "promotion", "true"); n != 1 || o.Count(t, "enrolment", "true") != 24 {
		t.Errorf("%d promotions", n)
	}
}

func TestPromotion_LastClassGraduates_UnmappedDivisionIsLeftOut(t *testing.T) {
	t.Parallel()
	o, next, ids := turning(t, 0) // the new year begins today
	c := testkit.Post[roster.Division](t, o.Client, "/school-admin/division/create", map[string]any{"classId": o.classes[1].ID, "name": "C"})
	o.admit(t, "firstName,class,division,admissionDate\nOdd,Class 5,C,2020-01-01\nOld,Class 6,A,2020-01-01\n")
	five := testkit.Post[year.Promotion](t, o.Client, promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID})
	if five.LeftOut != 1 || five.Promoted != 12 || o.Count(t, "enrolment", "division_id = ? and end_date is null", c.ID) != 1 {
		t.Errorf("class 5: %d left out, %d promoted", five.LeftOut, five.Promoted)
	}
	six := testkit.Post[year.Promotion](t, o.Client, promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[0].ID})
	if six.Graduated != 1 || six.Promoted != 0 || o.Count(t, "student", "status = 'GRADUATED'") != 1 {
		t.Errorf("class 6: %+v", six)
	}
	o.Refuses(t, "POST", promotePath+"/"+six.ID.String()+"/undo", nil, 409, "")
	o.Refuses(t, "POST", promotePath+"/"+uuid.NewString()+"/undo", nil, 404, "")
	for field, v := range map[string]any{"toYearId": o.year.ID, "classId": uuid.New(), "fromYearId": uuid.New(),
		"retained": []uuid.UUID{uuid.New()}, "divisionMap": map[string]any{c.ID.String(): ids[0]}} {
		ask := map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID}
		ask[field] = v
		o.Refuses(t, "POST", promotePath, ask, 422, "")
	}
}

func TestPromotion_ChosenStudents_TheRestWait(t *testing.T) {
	t.Parallel()
	o, next, ids := turning(t, 30)
	ask := map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "students": ids[:3], "retained": ids[3:4], "left": ids[4:5]}
	for range 2 { // again, it is the same
		p := testkit.Post[year.Promotion](t, o.Client, promotePath, ask)
		if p.Promoted != 3 || p.Retained != 1 || p.Left != 1 || len(p.Students) != 5 || p.ID == nil {
			t.Fatalf("%+v", p)
		}
	}
	if n := o.Count(t, "promotion", "true"); n != 1 ||
		o.Count(t, "enrolment", "academic_year_id = ? and end_date is null and outcome is null", o.year.ID) != 7 {
		t.Errorf("%d promotions", n)
	}
	for field, list := range map[string][]uuid.UUID{"students": ids[:6], "retained": ids[5:6],
		"left": {uuid.New()}} { // settled, named twice, unknown
		o.Refuses(t, "POST", promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "students": ids[5:7], field: list},
			422, "")
	}
	none := testkit.Post[year.Promotion](t, o.Client, promotePath,
		map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "students": []any{}, "retained": ids[5:6]})
	if none.Promoted != 0 || none.Retained != 1 {
		t.Errorf("%+v", none)
	}
	rest := testkit.Post[year.Promotion](t, o.Client, promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID})
	if rest.Promoted != 6 || len(rest.Students) != 6 {
		t.Errorf("%+v", rest)
	}
}

func TestPromotion_LeavingStudent_StaysUntilTheYearEnds(t *testing.T) {
	t.Parallel()
	o, next, ids := turning(t, 30)
	p := testkit.Post[year.Promotion](t, o.Client, promotePath,
		map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "left": ids[:2]})
	student := func(id uuid.UUID) roster.StudentDetail {
		return testkit.Get[roster.StudentDetail](t, o.Client, "/school-admin/student/"+id.String())
	}
	if s := student(ids[0]); s.Status != "ACTIVE" || s.LeavingStatus == nil || *s.LeavingStatus != "WITHDRAWN" || s.LeavingDate == nil ||
		s.DivisionID == nil {
		t.Errorf("weeks before: %+v", s)
	}
	o.RunScheduled(t, "let-students-leave")
	if s := student(ids[0]); s.Status != "ACTIVE" {
		t.Errorf("weeks before, at night: %+v", s)
	}
	testkit.Post[year.Promotion](t, o.Client, promotePath+"/"+p.ID.String()+"/undo", nil)
	if s := student(ids[0]); s.Status != "ACTIVE" || s.LeavingStatus != nil || s.LeavingDate != nil {
		t.Errorf("undone: %+v", s)
	}
	testkit.Post[year.Promotion](t, o.Client, promotePath, map[string]any{"toYearId": next.ID, "classId": o.classes[1].ID, "left": ids[:2]})
	last := student(ids[0]).LeavingDate
	db := o.DB(t)
	for _, day := range []api.Date{*last, last.AddDays(1), last.AddDays(1)} {
		if _, err := roster.LeaveDue(db, day, time.Now()); err != nil {
			t.Fatal(err)
		}
		want := 0
		if last.Before(day) {
			want = 2
		}
		if n := o.Count(t, "student", "status = 'WITHDRAWN' and leaving_status is null"); n != want {
			t.Errorf("on %s %d have left", day, n)
		}
	}
	if n := o.Count(t, "audit_event", "actor_role = 'SYSTEM' and entity = 'student'"); n != 2 {
		t.Errorf("%d are in the book", n)
	}
}
