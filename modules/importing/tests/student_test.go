package importing_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/sheet"
	"homeroom/testkit"
)

const importPath = "/school-admin/student/import"

// office is a school with a year, two classes and two divisions in each, and its administrator.
type office struct {
	*testkit.School
	*testkit.Client
	year    roster.AcademicYear
	classes []roster.Class
}

func newOffice(t *testing.T) *office {
	t.Helper()
	s := testkit.NewSchool(t)
	o := &office{School: s, Client: s.As(t, api.SchoolAdmin)}
	o.year = testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/"+o.year.ID.String()+"/activate", nil)
	for _, level := range []int{6, 5} {
		fields := map[string]any{"name": fmt.Sprint("Class ", level), "code": fmt.Sprint(level), "level": level}
		if len(o.classes) > 0 {
			fields["nextClassId"] = o.classes[0].ID
		}
		class := testkit.Post[roster.Class](t, o.Client, "/school-admin/class/create", fields)
		o.classes = append(o.classes, class)
		for _, name := range []string{"A", "B"} {
			testkit.Post[roster.Division](t, o.Client, "/school-admin/division/create", map[string]any{"classId": class.ID, "name": name})
		}
	}
	return o
}

// send imports a file; options are a query.
func (o *office) send(t *testing.T, file, options string) testkit.Answer {
	t.Helper()
	return o.Send(t, "POST", importPath+"?"+options, "text/csv", []byte(file))
}

func (o *office) imports(t *testing.T, file, options string) imports.ImportResult {
	t.Helper()
	a := o.send(t, file, options)
	if a.Status != 200 {
		t.Fatalf("import: %d %s", a.Status, a.Body)
	}
	var r imports.ImportResult
	a.Read(t, &r)
	return r
}

// family is a file of n students, every third of whom has the parent of the one before.
func family(n int, bad ...int) string {
	base := testkit.NewPhones()
	var b strings.Builder
	b.WriteString("admissionNumber,firstName,lastName,class,division,rollNumber,gender,dateOfBirth,guardian1FirstName,guardian1Phone,guardian1Relation\r\n")
	isBad := map[int]bool{}
	for _, i := range bad {
		isBad[i] = true
	}
	parent := 0
	for i := range n {
		if i%3 != 2 {
			parent++
		}
		born := "2015-03-0" + fmt.Sprint(i%9+1)
		if isBad[i] {
			born = "31/02/2015"
		}
		fmt.Fprintf(&b, "A-%04d,Child%d,Rao,Class %d,%c,%d,F,%s,Parent%d,%s%04d,mother\r\n", i+1, i, 5+i%2, 'A'+rune(i/2%2), i/4+1, born, parent,
			base, parent)
	}
	return b.String()
}

func TestImport_FixedFileSentAgain_CreatesNothingTwice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := family(300)
	broken := file
	for _, i := range []int{3, 40, 41, 99, 150, 222, 299} {
		broken = strings.Replace(broken, fmt.Sprintf("Child%d,", i), ",", 1)
	}
	dry := o.imports(t, broken, "dryRun=true")
	if dry.Bad != 7 || dry.ErrorCount != 7 || dry.Creates != 293 ||
		dry.Errors[0] != (sheet.RowError{Row: 5, Column: "firstName", Message: "is required"}) {
		t.Fatalf("dry run %+v", dry)
	}
	a := o.send(t, broken, "")
	if f := a.Failure(t); a.Status != 422 || len(f.Details) != 7 || f.Details[0].Field != "rows[5].firstName" {
		t.Fatalf("committing bad rows: %d %s", a.Status, a.Body)
	}
	if n := o.Count(t, "student", "true"); n != 0 {
		t.Fatalf("%d students after a refusal", n)
	}
	plan := o.imports(t, file, "dryRun=true")
	if plan.Creates != 300 || plan.Bad != 0 || plan.GuardiansNew != 200 || plan.GuardiansFound != 100 || plan.Enrolments != 300 ||
		o.Count(t, "student", "true") != 0 {
		t.Fatalf("plan %+v", plan)
	}
	done := o.imports(t, file, "planHash="+plan.PlanHash)
	if done.Creates != 300 || done.State != "DONE" {
		t.Fatalf("commit %+v", done)
	}
	again := o.imports(t, file, "")
	if again.Unchanged != 300 || again.Creates+again.Updates+again.GuardiansNew != 0 {
		t.Errorf("again %+v", again)
	}
	for table, want := range map[string]int{"student": 300, "guardian": 200, "student_guardian": 300, "enrolment": 300} {
		if n := o.Count(t, table, "true"); n != want {
			t.Errorf("%d rows in %s, want %d", n, table, want)
		}
	}
	run := testkit.Get[imports.ImportRun](t, o.Client, importPath+"/"+done.ID.String())
	if run.State != "DONE" || run.RowsRead != 300 || run.Percent != 100 {
		t.Errorf("run %+v", run)
	}
	page := testkit.Get[struct{ Total int }](t, o.Client, "/school-admin/student/list?filters[search]=child299")
	if page.Total != 1 {
		t.Errorf("search found %d", page.Total)
	}
}

func TestImport_WithoutAdmissionNumbers_NumbersStudentsOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := "Name,DOB,Guardian 1 Name,Guardian 1 Phone\nAsha,2015-01-02,Meera,+919812345601\nAsha,2014-01-02,Meera,+919812345601\nRavi,,Meera,+919812345601\n"
	if r := o.imports(t, file, ""); r.Creates != 3 || r.GuardiansNew != 1 {
		t.Fatalf("%+v", r)
	}
	if r := o.imports(t, file, ""); r.Unchanged != 3 || r.Creates != 0 {
		t.Errorf("again: %+v", r)
	}
	var numbers []string
	if err := o.DB(t).Raw(`select admission_number from student order by 1`).Scan(&numbers).Error; err != nil || len(numbers) != 3 ||
		numbers[0] == numbers[1] || numbers[0] == "" {
		t.Errorf("numbers %v %v", numbers, err)
	}
}

func TestImport_ReadsHeadersAndCellsAsSpreadsheetsWriteThem(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i, file := range []string{
		"\xEF\xBB\xBFadmission_number,FIRST NAME,last-name,Class,DIVISION\r\nB-1,\"Asha\",\"Rao, junior\",class 5,a\r\n",
		"Section;Class;Surname;First Name;Admission No;Favourite colour\nA;5;\"Rao, junior\";Asha;B-1;blue\n",
		"firstName\tadmissionNumber\tlastName\n\nAsha\tb-1\tRao, junior\n",
	} {
		r := o.imports(t, file, "leaveOut=true")
		if i == 0 && r.Creates != 1 || i > 0 && r.Unchanged != 1 {
			t.Errorf("file %d: %+v", i, r)
		}
		if i == 1 && (len(r.UnknownColumns) != 1 || r.UnknownColumns[0] != "Favourite colour") {
			t.Errorf("unknown columns %v", r.UnknownColumns)
		}
	}
	if n := o.Count(t, "student", "last_name = 'Rao, junior'"); n != 1 {
		t.Errorf("%d students", n)
	}
	if r := o.imports(t, "\n\nfirstName,dateOfBirth\n\n\nAsha,\"20\n15\"\n\nRavi,tomorrow\n", "dryRun=1"); r.ErrorCount != 2 ||
		r.Errors[0].Row != 6 || r.Errors[1].Row != 8 {
		t.Errorf("rows as a spreadsheet numbers them: %+v", r.Errors)
	}
}

func TestImport_UnreadableFile_IsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, c := range []struct {
		file, says string
		status     int
	}{
		{"firstName,First Name\nA,B\n", "twice", 422},
		{"firstName,lastName\nAsha,Rao\nRavi,\"Rao\nx,y\n", "row 3, on line 3, opens a quote", 422},
		{"", "is empty", 422},
		{"firstName\n", "no rows", 422},
		{"\xFF\xFEf\x00", "no column that is known", 422},
		{"PK\x03\x04nothing", "is a workbook that cannot be read", 422},
		{"\xD0\xCF\x11\xE0", "save it as .xlsx", 422},
		{"colour\nblue\n", "no column that is known", 422},
		{"firstName\n=cmd|' /C calc'!A0\n", "is a formula", 422},
		{"firstName\n" + strings.Repeat("x\n", 100_001), "more than 100000 rows", 413},
		{"firstName\n" + strings.Repeat("x", 21<<20), "larger than 20 MiB", 413},
	} {
		a := o.send(t, c.file, "")
		f := a.Failure(t)
		if a.Status != c.status || !strings.Contains(f.Message+fmt.Sprint(f.Details), c.says) {
			t.Errorf("%.30q: want %d %q, got %d %s", c.file, c.status, c.says, a.Status, a.Body)
		}
	}
	if n := o.Count(t, "student", "true"); n != 0 {
		t.Errorf("%d students", n)
	}
	if n := o.Count(t, "import_run", "state <> 'REFUSED'"); n != 0 {
		t.Errorf("%d runs do not say that they were refused", n)
	}
	var refused []uuid.UUID
	if err := o.DB(t).Raw(`select id from import_run`).Scan(&refused).Error; err != nil || len(refused) == 0 {
		t.Fatalf("%d runs: %v", len(refused), err)
	}
	for _, id := range refused {
		a := o.Call(t, "GET", "/school-admin/student/import/"+id.String(), nil)
		if a.Status != 200 || !strings.Contains(string(a.Body), `"errors":[`) || !strings.Contains(string(a.Body), `"unknownColumns":[`) {
			t.Errorf("a refused run is %d %s", a.Status, a.Body)
		}
	}
}

func TestImport_FormFields_MayFollowTheFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "pupils.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("firstName\nAsha\n"))
	_ = form.WriteField("dryRun", "true")
	_ = form.Close()
	a := o.Send(t, "POST", importPath, form.FormDataContentType(), b.Bytes())
	var r imports.ImportResult
	a.Read(t, &r)
	if a.Status != 200 || !r.DryRun || r.Creates != 1 || o.Count(t, "student", "true") != 0 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if run := testkit.Get[imports.ImportRun](t, o.Client, importPath+"/"+r.ID.String()); run.FileName != "pupils.csv" {
		t.Errorf("run %+v", run)
	}
	if a := o.Send(t, "POST", importPath, "application/json", []byte("{}")); a.Status != 400 {
		t.Errorf("JSON: %d", a.Status)
	}
	if a := o.send(t, "firstName\nA\n", "mode="+url.QueryEscape("whatever")); a.Status != 422 {
		t.Errorf("mode: %d", a.Status)
	}
}

func TestImport_WithoutADateOfAdmission_IsFromTheStartOfTheYear(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := "firstName,lastName,class,division,admissionDate,Sits here since\r\nAsha,Rao,Class 5,A,,\r\nBina,Rao,Class 5,A,2026-10-05,\r\nChand,Rao,Class 5,A,2024-06-10,\r\n" +
		"Divya,Rao,Class 5,A,,2026-09-07\r\nEsha,Rao,Class 5,A,2024-06-10,2026-09-08\r\nFarid,Rao,Class 5,A,,2025-09-08\r\n"
	if dry := o.imports(t, file, "dryRun=true"); dry.Enrolments != 6 || dry.FromYearStart != 3 {
		t.Errorf("dry run %+v", dry)
	}
	o.imports(t, file, "")
	if again := o.imports(t, file, "dryRun=true"); again.Unchanged != 6 {
		t.Errorf("sent again: %+v", again)
	}
	for name, bad := range map[string]string{"Late": ",2030-01-01", "Early": "2026-10-05,2026-10-04"} {
		row := "firstName,class,division,admissionDate,enrolledFrom\r\n" + name + ",Class 5,A," + bad + "\r\n"
		if r := o.imports(t, row, "dryRun=true"); r.Bad != 1 || r.Errors[0].Column != "enrolledFrom" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, want := range map[string]string{"Asha": "2026-06-01", "Bina": "2026-10-05", "Chand": "2026-06-01", "Divya": "2026-09-07", "Esha": "2026-09-08",
		"Farid": "2026-06-01"} {
		if n := o.Count(t, "enrolment e join student s on s.id = e.student_id", "s.first_name = ? and e.start_date = ?", name, want); n != 1 {
			t.Errorf("%s does not sit there since %s", name, want)
		}
	}
	today := "firstName,lastName,class,division\r\nDev,Rao,Class 5,A\r\n"
	if dry := o.imports(t, today, "dryRun=true&since=TODAY"); dry.FromYearStart != 0 {
		t.Errorf("since today: %+v", dry)
	}
	o.imports(t, today, "since=TODAY")
	if n := o.Count(t, "enrolment e join student s on s.id = e.student_id", "s.first_name = 'Dev' and e.start_date > '2026-06-01'"); n != 1 {
		t.Error("Dev sits there since the year began")
	}
	// Who is known and sat nowhere this year begins as a new one does.
	o.imports(t, "admissionNumber,firstName\r\nE-1,Eva\r\nE-2,Fay\r\n", "")
	if dry := o.imports(t, "admissionNumber,class,division\r\nE-1,Class 5,A\r\n", "dryRun=true"); dry.FromYearStart != 1 {
		t.Errorf("placed later: %+v", dry)
	}
	o.imports(t, "admissionNumber,class,division\r\nE-1,Class 5,A\r\n", "")
	o.imports(t, "admissionNumber,class,division\r\nE-2,Class 5,A\r\n", "since=TODAY")
	for number, want := range map[string]string{"E-1": "=", "E-2": ">"} {
		if n := o.Count(t, "enrolment e join student s on s.id = e.student_id", "s.admission_number = ? and e.start_date "+want+" '2026-06-01'", number); n != 1 {
			t.Errorf("%s does not sit there since a day %s the year's first", number, want)
		}
	}
}
