package imports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/attendance"
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

// picture is a PNG of some size.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// album is a zip of files.
func album(t *testing.T, files map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// kinds are files of every kind, each of which needs those before it.
func (o *office) kinds(t *testing.T) []struct{ path, query, file string } {
	day := api.DateOf(o.App.Service.Kernel.Clock().In(o.School.Location())).AddDays(-10).String()
	long := api.DateOf(o.App.Service.Kernel.Clock().In(o.School.Location())).AddDays(-20).String()
	teacher := testkit.NewPhone()
	return []struct{ path, query, file string }{
		{"/school-admin/student/import", "?createClasses=true", "Adm No,Name,Class,DOB,Father Name,Father Mobile\n" +
			"A-1,Asha Rao,5-A,13/04/2016,Ravi Rao," + testkit.NewPhone() + "\nA-2,Vikram Rao,5-A,14/04/2016,Mohan Rao," + testkit.NewPhone() + "\n"},
		{"/school-admin/subject/import", "", "Subject,Code,Class,Max Marks,Periods per week\nMathematics,MATH,5,100,6\nEnglish,,5,100,5\n"},
		{"/school-admin/employee/import", "", "firstName,lastName,employeeType,phone,employeeCode\nMeera,Iyer,TEACHER," + teacher + ",T-1\n"},
		{"/school-admin/employee/assignments/import", "", "Teacher,Class,Section,Subject,Class Teacher\nMeera Iyer,5,A,,Yes\nT-1,5,A,MATH,\n"},
		{"/school-admin/guardian/import", "", "Adm No,Relation,Name,Mobile\na-1,Mother,Lata Rao," + testkit.NewPhone() + "\n"},
		{"/school-admin/timetable/import", "?createSubjects=true", "Day,Hour,Students Sets,Subject,Teachers,Room\nMonday,1,5 A,Mathematics,T-1,R1\n" +
			"Tue,08:45,5 A,english," + teacher + ",R1\nWed,1,5 A,Music,,\nWed,2,5 A,Music,,\n"},
		{"/school-admin/transport/route/import", "", "Route,Bus,Direction,Stop,Time,Latitude,Longitude\nHill,B 1,morning,Gate,7.05 am,12.97,77.59\n" +
			"Hill,B 1,morning,Mill,0.3,12.98,77.6\n"},
		{"/school-admin/transport/rider/import", "", "Adm No,Route,Stop\nA-1,hill,GATE\n"},
		{"/school-admin/attendance/import", "", "Adm No,Date,Status\nA-1," + day + ",P\nA-2," + day + ",A\n"},
		{"/school-admin/attendance/total/import", "", "Adm No,Up to,Working Days,Present\nA-1," + long + ",60,54.5\nA-2," + long + ",60,60\n"},
		{"/school-admin/exam/result/import", "?exam=Unit+test", "Adm No,Date,Out of,MATH,English\nA-1," + day + ",50,45,AB\nA-2," + day + ",50,50,30.5\n"},
		{"/school-admin/student/photo/import", "", album(t, map[string][]byte{"5A/a-1.png": picture(t, 3), "A_2.jpg": picture(t, 4)})},
		{"/school-admin/library/book/import", "", "Title,Author,Accession No\nMalgudi Days,R. K. Narayan,L-1\n"},
		{"/school-admin/fee/concession/import", "", "Adm No,Discount,Head,Category\nA-1,25%,Tuition,Sibling\nA-2,500,,\n"},
	}
}

func TestImport_NoGoodRows_IsAnswered(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, k := range o.kinds(t) {
		header, _, _ := strings.Cut(k.file, "\n")
		row := strings.TrimSuffix(strings.Repeat("?,", 1+strings.Count(header, ",")), ",")
		a := o.Send(t, "POST", k.path+"?mode=SKIP_BAD_ROWS&leaveOut=true", "text/csv", []byte(header+"\n"+row+"\n"))
		if a.Status != 200 && a.Status != 422 {
			t.Errorf("%s: %d %s", k.path, a.Status, a.Body)
		}
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

func TestUndo_MarkChangedSince_IsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const path = "/school-admin/attendance/import"
	students := o.kinds(t)[0]
	o.imports(t, students.path+students.query, students.file)
	day := api.DateOf(o.App.Service.Kernel.Clock().In(o.School.Location())).AddDays(-10)
	for weekday := day.In(time.UTC).Weekday(); weekday == time.Saturday || weekday == time.Sunday; weekday = day.In(time.UTC).Weekday() {
		day = day.AddDays(-1)
	}
	run := o.imports(t, path, "Adm No,Date,Status\nA-1,"+day.String()+",P\nA-2,"+day.String()+",A\n")
	type named struct{ ID uuid.UUID }
	marked := testkit.Get[api.Page[named]](t, o.Client, "/school-admin/student/list").Items[0].ID
	division := testkit.Get[api.Page[named]](t, o.Client, "/school-admin/division/list").Items[0].ID
	testkit.Post[any](t, o.Client, "/school-admin/attendance/mark", map[string]any{"divisionId": division, "date": day, "reason": "Came late",
		"records": []map[string]any{{"studentId": marked, "status": "LATE"}}})
	if a := o.undo(t, path, run); a.Status != 409 || !strings.Contains(string(a.Body), "1 of the import's records") {
		t.Errorf("a mark that was changed was taken back: %d %s", a.Status, a.Body)
	}
	if n := o.Count(t, "attendance", "true"); n != 2 {
		t.Errorf("%d marks are left, want 2", n)
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

func TestTimetable_OfFET_IsImported(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, k := range o.kinds(t)[:3] {
		o.imports(t, k.path+k.query, k.file)
	}
	file := `<?xml version="1.0" encoding="UTF-8"?>
<fet version="6.8.7"><Institution_Name>A school</Institution_Name>
<Hours_List><Number_of_Hours>2</Number_of_Hours><Hour><Name>1</Name></Hour><Hour><Name>2</Name></Hour></Hours_List>
<Activities_List>
 <Activity><Teacher>Meera Iyer</Teacher><Subject>Mathematics</Subject><Students>5 A</Students><Duration>2</Duration><Id>1</Id>
  <Active>true</Active></Activity>
 <Activity><Teacher>Nobody</Teacher><Subject>Chess</Subject><Students>9 Z</Students><Duration>1</Duration><Id>2</Id>
  <Active>false</Active></Activity>
</Activities_List>
<Time_Constraints_List><ConstraintActivityPreferredStartingTime><Weight_Percentage>100</Weight_Percentage><Activity_Id>1</Activity_Id>
 <Preferred_Day>Thursday</Preferred_Day><Preferred_Hour>1</Preferred_Hour></ConstraintActivityPreferredStartingTime></Time_Constraints_List>
<Space_Constraints_List><ConstraintActivityPreferredRoom><Activity_Id>1</Activity_Id><Room>Lab</Room></ConstraintActivityPreferredRoom>
</Space_Constraints_List></fet>`
	r := o.imports(t, "/school-admin/timetable/import", file)
	if r.Creates != 2 || o.Count(t, "timetable_slot", "day_of_week = 4 and room = 'Lab' and teacher_id is not null") != 2 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{strings.Replace(file, "<Activity_Id>1</Activity_Id>\n <Pref", "<Activity_Id>7</Activity_Id>\n <Pref", 1), "<html></html>"} {
		if a := o.Send(t, "POST", "/school-admin/timetable/import", "text/csv", []byte(bad)); a.Status != 422 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
}

func TestPhotos_WhatIsNone_IsNamedByItsFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.imports(t, "/school-admin/student/import", "admissionNumber,firstName\n2026/1,Asha\n2026/2,Ravi\n")
	const path = "/school-admin/student/photo/import"
	file := album(t, map[string][]byte{"2026-1.png": picture(t, 8), "bomb/2026-2.png": make([]byte, 6<<20), "9.png": picture(t, 2),
		"__MACOSX/2026-2.png": {1}, "x/2026_1.png": picture(t, 3), "2026 2.txt": []byte("no picture")})
	plan := o.imports(t, path+"?dryRun=true", file)
	if got := fmt.Sprint(plan.Errors); plan.Creates != 1 || got != "[{2 file is no picture (JPEG, PNG, GIF or WebP)} "+
		"{4 admissionNumber no student has this number} {5 file is empty, or larger than 5 MB} "+
		"{6 admissionNumber is the student of row 3, too}]" {
		t.Errorf("%d new, %s", plan.Creates, got)
	}
	run := o.imports(t, path+"?mode=SKIP_BAD_ROWS", file)
	if run.Creates != 1 || o.Count(t, "student", "photo_file_id is not null and admission_number = '2026/1'") != 1 || o.Count(t, "file", "true") != 1 {
		t.Errorf("%+v", run)
	}
	if again := o.imports(t, path+"?mode=SKIP_BAD_ROWS", file); again.Unchanged != 1 || again.MayUndo {
		t.Errorf("again: %+v", again)
	}
	if a := o.Send(t, "POST", path, "text/csv", []byte("PK\x03\x04 and no more")); a.Status != 422 {
		t.Errorf("a broken zip: %d", a.Status)
	}
}

func TestPastYear_TotalsAndResultsByFile_CountOnceAndTellNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, k := range o.kinds(t)[:2] {
		o.imports(t, k.path+k.query, k.file)
	}
	today := api.DateOf(o.App.Service.Kernel.Clock().In(o.School.Location()))
	day := func(n int) string { return today.AddDays(n).String() }
	const totals, days, results = "/school-admin/attendance/total/import", "/school-admin/attendance/import", "/school-admin/exam/result/import"
	o.imports(t, totals, "Adm No,Up to,Working Days,Present,Late\nA-1,"+day(-20)+",50,44.5,2\nA-2,"+day(-20)+",50,49,\n")
	if a := o.Send(t, "POST", days, "text/csv", []byte("Adm No,Date,Status\nA-1,"+day(-30)+",P\n")); a.Status != 422 {
		t.Errorf("a day of the total: %d %s", a.Status, a.Body)
	}
	marked := o.imports(t, days, "Adm No,Date,Status\nA-1,"+day(-8)+",A\nA-2,"+day(-8)+",P\nA-1,"+day(-9)+",P\nA-2,"+day(-9)+",P\n")
	if a := o.Send(t, "POST", totals, "text/csv", []byte("Adm No,From,Up to,Working Days,Present\nA-1,"+day(-19)+","+day(-1)+",10,9\n")); a.Status != 422 ||
		!strings.Contains(string(a.Body), "marked in the register already") {
		t.Errorf("a total of days that are marked: %d %s", a.Status, a.Body)
	}
	type sums struct {
		Totals attendance.AttendanceTotals `json:"totals"`
	}
	// Of 50 days A-1 was there on 44 and a half, two of them late, and away on 5; the days of the weekend do not count.
	open := o.Count(t, "attendance", "extract(isodow from date) < 6")
	whole := testkit.Get[sums](t, o.Client, "/school-admin/attendance/summary?from="+day(-100)).Totals
	if whole.CarriedOver != 100 || whole.Marked != 100+open || whole.Late != 2 || whole.HalfDays != 1 || whole.Absent < 5+1 || marked.Creates != 4 {
		t.Errorf("%d marks since: %+v", open, whole)
	}
	cut := testkit.Get[sums](t, o.Client, "/school-admin/attendance/summary?from="+day(-99)).Totals
	if cut.CarriedOver != 0 || cut.Marked != open {
		t.Errorf("a span that cuts the totals: %+v", cut)
	}

	run := o.imports(t, results, "Adm No,Exam,Subject,Marks,Max Marks,Date\nA-1,Unit test,MATH,45,50,"+day(-40)+
		"\nA-1,Unit test,English,AB,50,"+day(-39)+"\nA-2,Unit test,MATH,50,50,"+day(-40)+"\n")
	if n := o.Count(t, "exam", "status = 'PUBLISHED' and publication = 0"); run.Creates != 3 || n != 1 {
		t.Errorf("%d of 3 results are new, %d exams are published", run.Creates, n)
	}
	var asha string
	if err := o.DB(t).Raw(`select id from student where admission_number = 'A-1'`).Scan(&asha).Error; err != nil {
		t.Fatal(err)
	}
	card := o.Call(t, "GET", "/school-admin/exam/report-card/"+asha, nil)
	if card.Status != 200 || !strings.Contains(string(card.Body), "Unit test") || !strings.Contains(string(card.Body), `"present":4`) {
		t.Errorf("the report card: %d %s", card.Status, card.Body)
	}
	wrong := o.Send(t, "POST", results, "text/csv", []byte("Adm No,Exam,Subject,Marks,Max Marks,Date\nA-1,Unit test,MATH,44,50,"+day(-40)+
		"\nA-2,Unit test,English,51,50,"+day(-40)+"\nA-2,Unit test,Chess,1,,"+day(5)+"\n"))
	for _, says := range []string{"has 45 already", "at most 50", "no subject is called", "in the future"} {
		if wrong.Status != 422 || !strings.Contains(string(wrong.Body), says) {
			t.Errorf("%q is not said: %d %s", says, wrong.Status, wrong.Body)
		}
	}
	if o.Count(t, "notice", "true")+o.Count(t, "delivery", "true") != 0 {
		t.Error("somebody was told")
	}
}

// The school sends everything by SMS, of days long past too: what an import told anybody would be seen.
func TestImport_EveryKind_SendsNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	testkit.Put[any](t, o.Client, "/school-admin/setting", map[string]any{"noticePastDays": 366, "quietFrom": nil, "quietTo": nil})
	var rules []map[string]any
	for _, kind := range []string{"URGENT", "ATTENDANCE", "TRANSPORT", "RESULT", "FEE", "LEAVE_REQUEST", "MESSAGE", "LIBRARY", "TIMETABLE", "EXAM", "EVENT", "ANNOUNCEMENT"} {
		rules = append(rules, map[string]any{"type": kind, "ways": []string{"SMS"}, "waitMinutes": nil, "mayTurnOff": false})
	}
	testkit.Put[any](t, o.Client, "/school-admin/notification/rules", map[string]any{"rules": rules})
	taken := map[string]bool{"/school-admin/oneroster/import": true} // in oneroster_test.go: it is the kinds of people at once
	kinds := append(o.kinds(t), struct{ path, query, file string }{"/school-admin/fee/opening-balance/import", "", "admissionNumber,amount\nA-1,120.00\n"})
	for _, k := range kinds {
		o.imports(t, k.path+k.query, k.file)
		taken[k.path] = true
		testkit.Eventually(t, "its facts are heard", func() bool { return o.Count(t, "outbox", "next_at <= now()") == 0 })
		for _, queue := range []string{"delivery", "digest_entry"} {
			if n := o.Count(t, queue, "true"); n != 0 {
				t.Errorf("%s put %d rows into %s", k.path, n, queue)
			}
		}
		if n := o.Count(t, "notice", "not silent"); n != 0 {
			t.Errorf("%s wrote %d notices that are not silent", k.path, n)
		}
	}
	for _, r := range o.App.Service.Kernel.Rows {
		if r.Method != "POST" || !strings.HasPrefix(r.Path, "/school-admin/") || !strings.HasSuffix(r.Path, "/import") {
			continue
		}
		if !r.Silent {
			t.Errorf("%s is not silent", r.Path)
		}
		if !taken[r.Path] {
			t.Errorf("%s is a kind of import that no file here is of", r.Path)
		}
	}
}
