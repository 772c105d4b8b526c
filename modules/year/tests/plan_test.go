package year_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/attendance"
	"homeroom/modules/exam"
	"homeroom/modules/fee"
	"homeroom/modules/fee/charging"
	"homeroom/modules/roster"
	"homeroom/modules/year"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// planned is a school of ten classes with divisions A and B, a class teacher and two students in each, in the month
// before its new year.
type planned struct {
	*testkit.School
	office     *testkit.Client
	teachers   []*testkit.Client // of the divisions
	this, next uuid.UUID
	classes    []roster.Class
	divisions  []roster.Division // by class, A before B
	french     [2]roster.Group   // of classes 9 and 10
}

const planLevels = 10

func plannedSchool(t *testing.T, s *testkit.School, start api.Date) *planned {
	t.Helper()
	p := &planned{School: s, office: s.As(t, api.SchoolAdmin)}
	year := func(name string, first, after api.Date) uuid.UUID {
		return testkit.Post[roster.AcademicYear](t, p.office, "/school-admin/academic-year/create",
			map[string]any{"name": name, "startDate": first, "endDate": after.AddDays(-1)}).ID
	}
	before, after := start, start
	before.Year, after.Year = start.Year-1, start.Year+1
	p.this, p.next = year("2026-27", before, start), year("2027-28", start, after)
	testkit.Post[roster.AcademicYear](t, p.office, "/school-admin/academic-year/"+p.this.String()+"/activate", nil)
	p.classes = make([]roster.Class, planLevels)
	file := "admissionNumber,firstName,class,division,rollNumber\n"
	for level := planLevels; level >= 1; level-- {
		fields := map[string]any{"name": fmt.Sprint("Class ", level), "level": level}
		if level < planLevels {
			fields["nextClassId"] = p.classes[level].ID
		}
		p.classes[level-1] = testkit.Post[roster.Class](t, p.office, "/school-admin/class/create", fields)
	}
	for level, class := range p.classes {
		for _, name := range []string{"A", "B"} {
			d := testkit.Post[roster.Division](t, p.office, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": name})
			p.divisions = append(p.divisions, d)
			p.teachers = append(p.teachers, p.hire(t, d))
			for i, child := range []string{"Zoya", "Asha"} {
				file += fmt.Sprintf("S-%02d-%s-%d,%s,%s,%s,%d\n", level+1, name, i, child, class.Name, name, i+1)
			}
		}
	}
	if a := p.office.Send(t, "POST", "/school-admin/student/import", "text/csv", []byte(file)); a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
	p.addGroups(t, before)
	testkit.Post[exam.Term](t, p.office, "/school-admin/exam/term/create", map[string]any{"academicYearId": p.this, "name": "Term 1",
		"startDate": before, "endDate": before.AddDays(152)})
	return p
}

// hire adds the class teacher of a division.
func (p *planned) hire(t *testing.T, d roster.Division) *testkit.Client {
	t.Helper()
	teacher, id := p.As(t, api.Teacher), api.NewID()
	err := p.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, ?, 'Meera', ?, 'TEACHER')`, id, teacher.UserID, id.String(), testkit.NewPhone()).Error
	if err != nil {
		t.Fatal(err)
	}
	testkit.Put[roster.AssignmentList](t, p.office, "/school-admin/employee/"+id.String()+"/assignments",
		map[string]any{"assignments": []map[string]any{{"classId": d.ClassID, "divisionId": d.ID, "isClassTeacher": true}}})
	return teacher
}

// addGroups makes French a group of class 9 and of class 10, with one member of 9-A.
func (p *planned) addGroups(t *testing.T, since api.Date) {
	t.Helper()
	subject := testkit.Post[roster.Subject](t, p.office, "/school-admin/subject/create", map[string]any{"name": "French", "code": "FR"})
	for i, level := range []int{9, 10} {
		p.french[i] = testkit.Post[roster.Group](t, p.office, "/school-admin/group/create", map[string]any{"name": fmt.Sprint("French ", level),
			"subjectId": subject.ID, "divisionIds": []uuid.UUID{p.divisions[2*(level-1)].ID}})
	}
	testkit.Put[roster.GroupMembers](t, p.office, "/school-admin/group/"+p.french[0].ID.String()+"/members",
		map[string]any{"studentIds": []uuid.UUID{p.student(t, "S-09-A-0")}, "fromDate": since})
}

func (p *planned) student(t *testing.T, number string) uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	if err := p.DB(t).Raw(`select id from student where admission_number = ?`, number).Scan(&ids).Error; err != nil || len(ids) != 1 {
		t.Fatalf("student %s: %v, %v", number, ids, err)
	}
	return ids[0]
}

// addFees gives class 1 a structure of 1,000.00.
func (p *planned) addFees(t *testing.T, due string) {
	t.Helper()
	head := testkit.Post[charging.Head](t, p.office, "/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	testkit.Post[charging.Structure](t, p.office, "/school-admin/fee/structure/create", map[string]any{"classId": p.classes[0].ID,
		"name": "Class 1, 2026-27", "heads": []map[string]any{{"feeHeadId": head.ID, "amount": 100_000}},
		"instalments": []map[string]any{{"name": "All", "dueDate": due, "percent": 100}}})
}

func (p *planned) path() string { return "/school-admin/academic-year/" + p.next.String() + "/plan" }

// confirm makes a plan as its dry run shows it.
func (p *planned) confirm(t *testing.T, choices map[string]any) year.Plan {
	t.Helper()
	ask := map[string]any{"dryRun": true}
	for k, v := range choices {
		ask[k] = v
	}
	dry := testkit.Post[year.Plan](t, p.office, p.path(), ask)
	delete(ask, "dryRun")
	ask["planHash"] = dry.PlanHash
	return testkit.Post[year.Plan](t, p.office, p.path(), ask)
}

// part is what a plan says of one part.
func part(t *testing.T, p year.Plan, name string) api.CarriedOver {
	t.Helper()
	i := slices.IndexFunc(p.Parts, func(c api.CarriedOver) bool { return c.Part == name })
	if i < 0 {
		t.Fatalf("the plan has no part %s: %+v", name, p.Parts)
	}
	return p.Parts[i]
}

func (p *planned) activeYear(t *testing.T) (name string) {
	t.Helper()
	if err := p.DB(t).Raw(`select name from academic_year where active`).Scan(&name).Error; err != nil {
		t.Fatal(err)
	}
	return name
}

// TestYearPlan_FirstMorning_AllTeachersMark lives the turn of a year: planned in March, in force on the first of April
// without anybody's hand.
func TestYearPlan_FirstMorning_AllTeachersMark(t *testing.T) {
	t.Parallel()
	clock := wait.ClockAt(time.Date(2027, 3, 29, 4, 30, 0, 0, time.UTC))
	// A database of its own: its clock is months ahead of the other tests'.
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_plan", func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	p := plannedSchool(t, app.NewSchoolAs(t, lifecycle.NewSchool{WeekendDays: []int16{}}), api.Date{Year: 2027, Month: time.April, Day: 1})
	p.addFees(t, "2026-05-31")
	at := func(day, hour, minute int) {
		clock.Set(time.Date(2027, time.March, day, hour, minute, 0, 0, p.Location()))
		p.office = p.As(t, api.SchoolAdmin)
	}
	parent := p.As(t, api.Parent)
	p.Link(t, parent, p.student(t, "S-05-A-0"))
	testkit.Post[attendance.Marked](t, p.teachers[8], "/teacher/attendance/mark", map[string]any{"divisionId": p.divisions[8].ID,
		"date": "2027-03-29", "records": []map[string]any{{"studentId": p.student(t, "S-05-A-0"), "status": "PRESENT"}}})
	plan := p.confirm(t, map[string]any{"feeRaisePercent": 7.5, // and somebody stays in each division of class 1
		"retained": []uuid.UUID{p.student(t, "S-01-A-0"), p.student(t, "S-01-B-0")}})
	if plan.State != "READY" || part(t, plan, "STUDENTS").Records != 40 || part(t, plan, "ASSIGNMENTS").Records != 20 ||
		part(t, plan, "GROUPS").Records != 1 || part(t, plan, "TERMS").Records != 1 || part(t, plan, "FEES").Records != 1 {
		t.Fatalf("plan %+v", plan)
	}

	at(31, 23, 50)
	p.RunScheduled(t, "turn-of-the-year")
	if p.activeYear(t) != "2026-27" || p.Count(t, "enrolment", "academic_year_id = ?", p.next) != 0 {
		t.Error("the new year is in force before its first day")
	}

	at(32, 0, 20)
	p.RunScheduled(t, "turn-of-the-year")
	p.RunScheduled(t, "turn-of-the-year") // nothing is done twice
	if got := p.activeYear(t); got != "2027-28" {
		t.Fatalf("%s is the active year", got)
	}

	at(32, 8, 0)
	marked := 0
	for i, teacher := range p.teachers {
		d := p.divisions[i]
		teacher.Token = app.Sign(t, p.School, teacher, api.Teacher)
		register := testkit.Get[attendance.DayRegister](t, teacher, "/teacher/attendance/register?divisionId="+d.ID.String())
		var records []map[string]any
		for _, s := range register.Students {
			records = append(records, map[string]any{"studentId": s.StudentID, "status": "PRESENT"})
		}
		want := 2
		if i < 4 { // one of two stayed in class 1
			want = 1
		}
		if len(records) != want || want == 2 && register.Students[0].FirstName != "Asha" {
			t.Errorf("register of division %d: %+v", i, register.Students)
		}
		testkit.Post[attendance.Marked](t, teacher, "/teacher/attendance/mark",
			map[string]any{"divisionId": d.ID, "date": "2027-04-01", "records": records})
		marked++
	}
	if marked != 20 {
		t.Errorf("%d of 20 teachers could mark", marked)
	}
	p.checkFirstDay(t)
	parent.Token = app.Sign(t, p.School, parent, api.Parent)
	child := "/parent/attendance/summary?studentId=" + p.student(t, "S-05-A-0").String()
	if old := testkit.Get[attendance.ChildSummary](t, parent, child+"&from=2026-04-01&to=2027-03-31"); old.Totals.Present != 1 {
		t.Errorf("a parent sees %+v of the old year", old)
	}
}

// checkFirstDay looks at what else the turn has brought.
func (p *planned) checkFirstDay(t *testing.T) {
	t.Helper()
	if n := p.Count(t, "student", "status = 'GRADUATED'"); n != 4 {
		t.Errorf("%d students graduated, want 4", n)
	}
	members := testkit.Get[roster.GroupMembers](t, p.office, "/school-admin/group/"+p.french[1].ID.String()+"/members")
	if members.Total != 1 || members.Members[0].StudentID != p.student(t, "S-09-A-0") {
		t.Errorf("French of class 10 has %+v", members)
	}
	s := testkit.Get[charging.Structure](t, p.office, "/school-admin/fee/structure/"+p.classes[0].ID.String())
	if s.Total != 107_500 || s.Name != "Class 1, 2027-28" || s.Instalments[0].DueDate.String() != "2027-05-31" {
		t.Errorf("fees of class 1: %+v", s)
	}
	terms := testkit.Get[api.Page[exam.Term]](t, p.office, "/school-admin/exam/term/list?filters[academicYearId]="+p.next.String())
	if terms.Total != 1 || terms.Items[0].StartDate.String() != "2027-04-01" || terms.Items[0].EndDate.String() != "2027-08-31" {
		t.Errorf("terms %+v", terms.Items)
	}
	paid := testkit.Post[fee.Collection](t, p.office, "/school-admin/fee/collection/record",
		map[string]any{"studentId": p.student(t, "S-01-A-0"), "amount": 5_000, "paymentMode": "CASH"})
	if paid.ReceiptNumber != "2027-28/R-000001" {
		t.Errorf("the day's first receipt is %s", paid.ReceiptNumber)
	}
	p.office.Refuses(t, "DELETE", p.path(), nil, 409, "")
	if plan := testkit.Get[year.Plan](t, p.office, p.path()); plan.State != "DONE" || plan.InUse == "" {
		t.Errorf("plan %+v", plan)
	}
}

func TestYearPlan_DryRun_NamesWhatIsMissingAndKeepsNothing(t *testing.T) {
	t.Parallel()
	p := plannedSchool(t, testkit.NewSchool(t), today().AddDays(30))
	extra := testkit.Post[roster.Division](t, p.office, "/school-admin/division/create", map[string]any{"classId": p.classes[4].ID, "name": "C"})
	testkit.Post[roster.StudentDetail](t, p.office, "/school-admin/student/create", map[string]any{"firstName": "Ravi", "divisionId": extra.ID})
	dry := testkit.Post[year.Plan](t, p.office, p.path(), map[string]any{"dryRun": true})
	missing := fmt.Sprint(dry.Parts)
	for _, want := range []string{"Ravi", "Class 6 has no division C", "Without a fee structure: Class 2"} {
		if !strings.Contains(missing, want) {
			t.Errorf("the dry run does not say %q: %s", want, missing)
		}
	}
	if p.Count(t, "enrolment", "academic_year_id = ? or end_date is not null", p.next) != 0 || p.Count(t, "year_plan", "true") != 0 ||
		p.Count(t, "teacher_assignment", "academic_year_id = ?", p.next) != 0 || p.Count(t, "promotion", "true") != 0 {
		t.Error("the dry run kept something")
	}
	if again := testkit.Post[year.Plan](t, p.office, p.path(), map[string]any{"dryRun": true}); again.PlanHash != dry.PlanHash {
		t.Error("the same dry run has another hash")
	}
	p.office.Refuses(t, "POST", p.path(), map[string]any{}, 422, "")
	p.office.Refuses(t, "POST", p.path(), map[string]any{"planHash": dry.PlanHash, "createDivisions": true}, 409, "")
	made := p.confirm(t, map[string]any{"createDivisions": true})
	if made.State != "READY" {
		t.Errorf("the plan is %s", made.State)
	}
	if s := part(t, made, "STUDENTS"); len(s.Missing) != 0 || s.Will[0] != "New divisions: Class 6 C" {
		t.Errorf("with new divisions: %+v", s)
	}
	forget(t, p)
	p.office.Refuses(t, "DELETE", p.path(), nil, 404, "")
}

func today() api.Date { return api.DateOf(time.Now().In(time.FixedZone("", 5*3600+1800))) }

// forget takes the plan back.
func forget(t *testing.T, p *planned) {
	t.Helper()
	if a := p.office.Call(t, "DELETE", p.path(), nil); a.Status >= 300 {
		t.Fatalf("DELETE %s: %d %s", p.path(), a.Status, a.Body)
	}
}

func TestYearPlan_Undo_GivesTheOldYearBack(t *testing.T) {
	t.Parallel()
	p := plannedSchool(t, testkit.NewSchool(t), today())
	p.addFees(t, today().AddDays(-100).String())
	state := func() (out string) {
		err := p.DB(t).Raw(`select concat_ws(' ', (select count(*) from enrolment where end_date is null and academic_year_id = ?),
			(select count(*) from enrolment), (select count(*) from student where status = 'ACTIVE' and leaving_date is null),
			(select count(*) from teacher_assignment), (select count(*) from fee_structure), (select count(*) from term),
			(select count(*) from student_group_member where to_date is null), (select count(*) from division),
			(select name from academic_year where active))`, p.this).Scan(&out).Error
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := state()
	// The first day is here: it is carried out at once.
	p.confirm(t, map[string]any{"createDivisions": true, "rollNumbers": "KEEP", "retained": []uuid.UUID{p.student(t, "S-01-A-0")}})
	if p.Count(t, "enrolment", "academic_year_id = ? and roll_number is not null", p.next) != 36 || state() == before {
		t.Errorf("after the turn: %s", state())
	}
	forget(t, p)
	if got := state(); got != before {
		t.Errorf("after undoing it: %s, want %s", got, before)
	}
	if again := p.confirm(t, nil); again.State != "DONE" || p.activeYear(t) != "2027-28" {
		t.Errorf("again: %+v", again)
	}
}
