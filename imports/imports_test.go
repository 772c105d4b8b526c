package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/fee"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/testkit"
)

// logs are what a school keeps of what was done; they stay when an import is taken back.
var logs = map[string]bool{"audit_event": true, "outbox": true, "idempotency": true, "import_run": true, "import_change": true,
	"school_setting": true, "number_series": true}

// sums are the checksums of a school's tables, but for its logs.
func sums(t *testing.T, s *testkit.School) map[string]string {
	t.Helper()
	closing, err := s.App.Service.Export(t.Context(), s.ID, &strings.Builder{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range closing.Tables {
		if !logs[table.Name] {
			out[table.Name] = fmt.Sprint(table.Rows, " ", table.Set)
		}
	}
	return out
}

type office struct {
	*testkit.School
	*testkit.Client
}

func newOffice(t *testing.T) *office {
	t.Helper()
	s := testkit.NewSchool(t)
	o := &office{s, s.As(t, api.SchoolAdmin)}
	today := api.DateOf(s.App.Service.Kernel.Clock().In(s.Location()))
	year := testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/create",
		map[string]any{"name": "This year", "startDate": today.AddDays(-100), "endDate": today.AddDays(200)})
	testkit.Post[any](t, o.Client, "/school-admin/academic-year/"+year.ID.String()+"/activate", nil)
	for i, at := range []string{"08:00", "08:45"} {
		testkit.Post[timetable.Period](t, o.Client, "/school-admin/timetable/period/create",
			map[string]any{"name": fmt.Sprint("Period ", i+1), "startTime": at, "endTime": at[:3] + map[string]string{"00": "40", "45": "59"}[at[3:]]})
	}
	testkit.Post[any](t, o.Client, "/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	return o
}

// imports sends a file, which must be taken.
func (o *office) imports(t *testing.T, path, file string) imports.ImportResult {
	t.Helper()
	a := o.Send(t, "POST", path, "text/csv", []byte(file))
	var r imports.ImportResult
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	a.Read(t, &r)
	return r
}

func (o *office) undo(t *testing.T, path string, run imports.ImportResult) testkit.Answer {
	t.Helper()
	return o.Call(t, "POST", path+"/"+run.ID.String()+"/undo", nil)
}

// kinds are files of every kind, each of which needs those before it.
func (o *office) kinds(t *testing.T) []struct{ path, query, file string } {
	day := api.DateOf(o.App.Service.Kernel.Clock().In(o.School.Location())).AddDays(-10).String()
	teacher := testkit.NewPhone()
	return []struct{ path, query, file string }{
		{"/school-admin/student/import", "?createClasses=true", "Adm No,Name,Class,DOB,Father Name,Father Mobile\n" +
			"A-1,Asha Rao,5-A,13/04/2016,Ravi Rao," + testkit.NewPhone() + "\nA-2,Vikram Rao,5-A,14/04/2016,Mohan Rao," + testkit.NewPhone() + "\n"},
		{"/school-admin/subject/import", "", "Subject,Code,Class,Max Marks,Periods per week\nMathematics,MATH,5,100,6\nEnglish,,5,100,5\n"},
		{"/school-admin/employee/import", "", "firstName,lastName,employeeType,phone,employeeCode\nMeera,Iyer,TEACHER," + teacher + ",T-1\n"},
		{"/school-admin/employee/assignments/import", "", "Teacher,Class,Section,Subject,Class Teacher\nMeera Iyer,5,A,,Yes\nT-1,5,A,MATH,\n"},
		{"/school-admin/guardian/import", "", "Adm No,Relation,Name,Mobile\na-1,Mother,Lata Rao," + testkit.NewPhone() + "\n"},
		{"/school-admin/timetable/import", "", "Day,Hour,Students Sets,Subject,Teachers,Room\nMonday,1,5 A,Mathematics,T-1,R1\n" +
			"Tue,08:45,5 A,english," + teacher + ",R1\n"},
		{"/school-admin/transport/route/import", "", "Route,Bus,Direction,Stop,Time,Latitude,Longitude\nHill,B 1,morning,Gate,7.05 am,12.97,77.59\n" +
			"Hill,B 1,morning,Mill,0.3,12.98,77.6\n"},
		{"/school-admin/transport/rider/import", "", "Adm No,Route,Stop\nA-1,hill,GATE\n"},
		{"/school-admin/attendance/import", "", "Adm No,Date,Status\nA-1," + day + ",P\nA-2," + day + ",A\n"},
		{"/school-admin/library/book/import", "", "Title,Author,Accession No\nMalgudi Days,R. K. Narayan,L-1\n"},
		{"/school-admin/fee/concession/import", "", "Adm No,Discount,Head,Category\nA-1,25%,Tuition,Sibling\nA-2,500,,\n"},
	}
}

func TestImport_EveryKindTakenBack_LeavesTheSchoolEqual(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	kinds := o.kinds(t)
	before := make([]map[string]string, len(kinds))
	runs := make([]imports.ImportResult, len(kinds))
	for i, k := range kinds {
		before[i] = sums(t, o.School)
		options := "?"
		if k.query != "" {
			options = k.query + "&"
		}
		plan := o.imports(t, k.path+options+"dryRun=true", k.file)
		if plan.Bad > 0 || plan.Creates != plan.RowsRead || len(plan.UnknownColumns) > 0 {
			t.Fatalf("%s: the dry run %+v", k.path, plan)
		}
		for name, sum := range sums(t, o.School) {
			if before[i][name] != sum {
				t.Errorf("%s: the dry run changed %s", k.path, name)
			}
		}
		if runs[i] = o.imports(t, k.path+options+"planHash="+plan.PlanHash, k.file); runs[i].Creates != plan.Creates || !runs[i].MayUndo {
			t.Fatalf("%s: %+v", k.path, runs[i])
		}
		if again := o.imports(t, k.path+options+"dryRun=true", k.file); again.Unchanged != again.RowsRead {
			t.Errorf("%s again: %+v", k.path, again)
		}
	}
	if n := o.Count(t, "notice", "true"); n != 0 {
		t.Errorf("%d notices were written", n)
	}
	if a := o.undo(t, kinds[0].path, runs[0]); a.Status != 409 {
		t.Errorf("students whom much depends on were taken back: %d %s", a.Status, a.Body)
	}
	for i := len(kinds) - 1; i >= 0; i-- {
		k := kinds[i]
		if a := o.undo(t, k.path, runs[i]); a.Status != 200 {
			t.Fatalf("%s is not taken back: %d %s", k.path, a.Status, a.Body)
		}
		for name, sum := range sums(t, o.School) {
			if before[i][name] != sum {
				t.Errorf("%s taken back: %s is %s, was %s", k.path, name, sum, before[i][name])
			}
		}
		if a := o.undo(t, k.path, runs[i]); a.Status != 409 {
			t.Errorf("%s was taken back twice: %d", k.path, a.Status)
		}
		list := testkit.Get[api.Page[imports.RunSummary]](t, o.Client, k.path+"/list")
		if len(list.Items) != 1 || list.Items[0].UndoneAt == nil || list.Items[0].Creates != runs[i].Creates || list.Items[0].MayUndo {
			t.Errorf("%s: history %+v", k.path, list.Items)
		}
	}
}

func TestUndo_ChangesOfAFile_AreRestored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const path = "/school-admin/student/import"
	phone := testkit.NewPhone()
	first := o.imports(t, path+"?createClasses=true", "admissionNumber,firstName,class,division,rollNumber,guardian1FirstName,guardian1Phone\n"+
		"A-1,Asha,5,A,1,Lata,"+phone+"\nA-2,Ravi,5,A,2,Lata,"+phone+"\n")
	was := sums(t, o.School)
	swap := "admissionNumber,class,division,rollNumber,address,guardian2FirstName,guardian2Phone\n" +
		"A-1,5,A,2,1 Hill Road,Mohan," + testkit.NewPhone() + "\nA-2,5,A,1,2 Hill Road,,\nA-3,5,A,3,,,\n"
	if a := o.Send(t, "POST", path, "text/csv", []byte(swap)); a.Status != 422 {
		t.Fatalf("a new student without a name: %d", a.Status)
	}
	second := o.imports(t, path+"?mode=SKIP_BAD_ROWS", swap)
	if second.Updates != 2 || second.Bad != 1 {
		t.Fatalf("%+v", second)
	}
	if a := o.undo(t, path, first); a.Status != 409 {
		t.Errorf("what a later import changed was taken back: %d %s", a.Status, a.Body)
	}
	if a := o.undo(t, path, second); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for name, sum := range sums(t, o.School) {
		if was[name] != sum {
			t.Errorf("%s is %s, was %s", name, sum, was[name])
		}
	}
	if a := o.undo(t, path, first); a.Status != 200 || o.Count(t, "student", "true")+o.Count(t, "class", "true") != 0 {
		t.Errorf("the first: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "the guardian's way in is closed", func() bool {
		var n int
		err := o.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) from platform.account where school_id = $1
			and phone = $2 and not disabled`, o.School.ID, phone).Scan(&n)
		return err == nil && n == 0
	})
}

func TestOpeningBalances_TakenBack_LeaveNothingOwed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.imports(t, "/school-admin/student/import?createClasses=true", "admissionNumber,firstName,class,division\nA-1,Asha,5,A\nA-2,Ravi,5,A\n")
	const path = "/school-admin/fee/opening-balance/import"
	file := "Adm No,Balance\nA-1,\"1,500.00\"\nA-2,-200\n"
	run := o.imports(t, path, file)
	if run.Creates != 2 || len(run.Sums) != 4 {
		t.Fatalf("%+v", run)
	}
	dues := func() int64 { return testkit.Get[fee.Dues](t, o.Client, "/school-admin/fee/dues").Ageing.Total }
	if dues() != 1_500_00 {
		t.Errorf("%d due", dues())
	}
	if a := o.undo(t, path, run); a.Status != 200 || dues() != 0 {
		t.Errorf("%d %s, %d due", a.Status, a.Body, dues())
	}
	if again := o.imports(t, path, file); again.Creates != 2 || dues() != 1_500_00 {
		t.Errorf("again: %+v, %d due", again, dues())
	}
}

func TestImport_SentAgainWithItsID_IsAnsweredAsThen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := "/school-admin/subject/import?id=" + api.NewID().String()
	first := o.imports(t, path, "name\nMathematics\n")
	again := o.imports(t, path, "name\nMathematics\n")
	if again.ID != first.ID || again.Creates != 1 || again.State != "DONE" || o.Count(t, "subject", "true") != 1 {
		t.Errorf("again: %+v", again)
	}
	broken := api.NewID()
	if err := o.DB(t).Exec(`insert into import_run (id, kind, state, dry_run, beat_at) values (?, 'SUBJECT', 'RUNNING', false,
		now() - interval '1 hour')`, broken).Error; err != nil {
		t.Fatal(err)
	}
	if r := o.imports(t, "/school-admin/subject/import?id="+broken.String(), "name\nArt\n"); r.ID != broken || r.Creates != 1 {
		t.Errorf("a run that was interrupted: %+v", r)
	}
}

func TestTimetable_OfASC_IsImported(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, k := range o.kinds(t)[:3] {
		o.imports(t, k.path+k.query, k.file)
	}
	r := o.imports(t, "/school-admin/timetable/import", `<?xml version="1.0" encoding="windows-1252"?>
<timetable ascttversion="2024.1" importtype="database" options="">
 <periods><period name="1" short="1" period="1" starttime="8:00" endtime="8:40"/><period name="2" short="2" period="2" starttime="8:45"
  endtime="8:59"/></periods>
 <teachers><teacher id="T" name="Meera Iyer" short="MI"/></teachers>
 <classrooms><classroom id="R" name="Lab" short="L"/></classrooms>
 <subjects><subject id="S" name="Mathematics" short="Ma"/></subjects>
 <classes><class id="C" name="5 A" short="5A"/></classes>
 <groups><group id="G" name="Entire class" classid="C" entireclass="1"/></groups>
 <lessons><lesson id="L" classids="C" subjectid="S" periodspercard="2" teacherids="T" groupids="G" classroomids="R"/></lessons>
 <cards><card lessonid="L" classroomids="R" period="1" days="00100"/></cards>
</timetable>`)
	if r.Creates != 2 || o.Count(t, "timetable_slot", "day_of_week = 3 and room = 'Lab' and teacher_id is not null") != 2 {
		t.Errorf("%+v", r)
	}
}
