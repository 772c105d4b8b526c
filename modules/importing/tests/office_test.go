package importing_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/sheet"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// newOfficeIn is a school of a country with a year and no class yet.
func newOfficeIn(t *testing.T, country string) *office {
	t.Helper()
	currency := map[string]string{"IN": "INR", "GB": "GBP", "US": "USD", "KE": "KES", "EG": "EGP"}[country]
	s := testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{Currency: currency, Locale: "en-" + country})
	o := &office{School: s, Client: s.As(t, api.SchoolAdmin)}
	o.year = testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	testkit.Post[roster.AcademicYear](t, o.Client, "/school-admin/academic-year/"+o.year.ID.String()+"/activate", nil)
	return o
}

// TestImport_OfficesOwnFiles_AreRightAtTheFirstDryRun reads files as offices keep them. Beside each is what a careful clerk would
// have typed: every child, and every guardian with a phone.
func TestImport_OfficesOwnFiles_AreRightAtTheFirstDryRun(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/offices/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".want.csv") })
	if len(files) < 10 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			o := newOfficeIn(t, filepath.Base(path)[3:5])
			dry := o.imports(t, string(body), "dryRun=true&createClasses=true")
			want := readWant(t, strings.TrimSuffix(path, filepath.Ext(path))+".want.csv")
			if dry.Bad*100 > dry.RowsRead || dry.RowsRead != len(want) {
				t.Fatalf("%d of %d rows are bad, want at most 1 %% of %d: %+v", dry.Bad, dry.RowsRead, len(want), dry.Errors)
			}
			o.imports(t, string(body), "createClasses=true&leaveOut=true&planHash="+dry.PlanHash)
			wrong := 0
			for number, fields := range o.children(t) {
				if fields != want[number] {
					wrong++
					t.Logf("%s is\n%s\nwant\n%s", number, fields, want[number])
				}
			}
			if wrong*100 > len(want) {
				t.Errorf("%d of %d rows are not as they were written; understood: %+v", wrong, len(want), dry.Understood)
			}
			if n := o.Count(t, "student s", "not exists (select from student_guardian g where g.student_id = s.id)"); n != 0 {
				t.Errorf("%d children have no guardian", n)
			}
		})
	}
}

func readWant(t *testing.T, path string) map[string]string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows[1:] {
		out[r[0]] = strings.Join(r[1:], " | ")
	}
	return out
}

// children is what the school has of each child, in the form of the wanted files.
func (o *office) children(t *testing.T) map[string]string {
	t.Helper()
	var rows []struct{ Number, Fields string }
	err := o.DB(t).Raw(`select s.admission_number as number, concat_ws(' | ', s.first_name, s.last_name,
			coalesce(substring(k.name from '[0-9]+'), array_position('{I,II,III,IV,V}', k.name)::text), d.name, e.roll_number, s.gender, s.date_of_birth,
			(select string_agg(x.relation || ' ' || trim(g.first_name || ' ' || g.last_name) || ' ' || g.phone, '; ' order by x.relation)
				from student_guardian x join guardian g on g.id = x.guardian_id where x.student_id = s.id)) as fields
		from student s left join enrolment e on e.student_id = s.id left join class k on k.id = e.class_id left join division d on d.id = e.division_id`).
		Scan(&rows).Error
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.Number] = r.Fields
	}
	return out
}

func TestImport_UnknownColumn_NeedsAYesAndIsRemembered(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := "Pupil code,Name,House,Dad,Dad tel no\nB-1,Asha Rao,Red,Ravi Rao,9812345601\n"
	dry := o.imports(t, file, "dryRun=true")
	if want := []string{"Pupil code", "House", "Dad tel no"}; !slices.Equal(dry.UnknownColumns, want) || dry.Columns[0].Samples[0] != "B-1" {
		t.Fatalf("unknown %v, want %v; %+v", dry.UnknownColumns, want, dry.Columns)
	}
	if a := o.send(t, file, "mode=SKIP_BAD_ROWS"); a.Status != 422 || !strings.Contains(string(a.Body), "House") {
		t.Errorf("without a yes: %d %s", a.Status, a.Body)
	}
	mapping := "mapping=" + url.QueryEscape(`{"Pupil code":"admissionNumber","House":"","Dad tel no":"fatherPhone"}`)
	plan := o.imports(t, file, "dryRun=true&"+mapping)
	if plan.Bad != 0 || plan.GuardiansNew != 1 || len(plan.UnknownColumns) != 0 {
		t.Fatalf("with a mapping: %+v", plan)
	}
	o.imports(t, file, mapping+"&planHash="+plan.PlanHash)
	again := o.imports(t, strings.ReplaceAll(file, "B-1", "B-2"), "")
	if again.Creates != 1 || again.GuardiansFound != 1 || again.Columns[0].By != "REMEMBERED" || again.Columns[2].By != "REMEMBERED" {
		t.Errorf("the next file: %+v", again)
	}
	if n := o.Count(t, "student", "admission_number in ('B-1', 'B-2')"); n != 2 {
		t.Errorf("%d students", n)
	}
	for mapping, says := range map[string]string{`{"Name":"colour"}`: "is not a column", `{"Colour":"class"}`: "has no column", `[1]`: "JSON object"} {
		if a := o.send(t, file, "dryRun=1&mapping="+url.QueryEscape(mapping)); a.Status != 422 || !strings.Contains(string(a.Body), says) {
			t.Errorf("%s: %d %s", mapping, a.Status, a.Body)
		}
	}
}

func TestImport_DatesOfBothOrders_AreAskedAbout(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := "firstName,dob\nAsha,25/04/2016\nRavi,04/25/2016\nMeera,03/04/2016\n"
	dry := o.imports(t, file, "dryRun=true")
	if dry.Bad != 1 || dry.Understood.DateOrder != "" || !strings.Contains(dry.Errors[0].Message, "may be 2016-04-03 or 2016-03-04") {
		t.Fatalf("%+v %+v", dry.Understood, dry.Errors)
	}
	said := o.imports(t, file, "dateOrder=MDY")
	if said.Understood.DateOrderBy != "REQUEST" || o.Count(t, "student", "first_name = 'Meera' and date_of_birth = '2016-03-04'") != 1 {
		t.Errorf("%+v", said)
	}
	// A bad row is sent again in a file without the rows that show the order.
	shown := o.imports(t, "firstName,dob,fatherPhone\nZoya,04/25/2016,\nTara,03/04/2016,981\n", "dryRun=true")
	bad := slices.DeleteFunc(shown.Rows, func(r imports.ShownRow) bool { return r.WhatToChange == "" })
	if len(bad) != 1 || bad[0].Cells[1] != "2016-03-04" {
		t.Errorf("the bad rows are %+v, understood %+v", bad, shown.Understood)
	}
	only := o.imports(t, "firstName,dob\nDev,03/04/2016\n", "")
	if only.Understood.DateOrderBy != "SCHOOL" || only.Understood.AmbiguousDates != 1 || o.Count(t, "student", "date_of_birth = '2016-04-03'") != 1 {
		t.Errorf("%+v", only.Understood)
	}
}

func TestImport_BadRow_SaysAllItsErrorsInOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := "Name,Class,DOB,Father Name,Father Mobile\nAsha Rao,Class 99,31/02/2015,Ravi Rao,98123\nBina Rao,Class 98,,Ravi Rao,9812345601\nChand Rao,5-A,1/2/2015,Ravi Rao,\nDev Rao,5-A,1/2/2015,Ravi Rao,9812345601\n"
	dry := o.imports(t, file, "dryRun=true")
	var got []string
	for _, e := range dry.Errors {
		got = append(got, fmt.Sprint(e.Row, " ", e.Column))
	}
	if want := []string{"2 DOB", "2 Father Mobile", "2 Class", "3 Class", "4 Father Mobile"}; !slices.Equal(got, want) {
		t.Fatalf("errors %q, want %q: %+v", got, want, dry.Errors)
	}
	bad := slices.DeleteFunc(slices.Clone(dry.Rows), func(r imports.ShownRow) bool { return r.WhatToChange == "" })
	if len(bad) != 3 || bad[0].Cells[4] != "98123" || !strings.Contains(bad[0].WhatToChange, "DOB must be a date") || !strings.Contains(bad[0].WhatToChange, "Class 99") {
		t.Errorf("bad rows %+v", bad)
	}
	if want := []string{"Class 99", "Class 98"}; !slices.Equal(dry.NewClasses, want) {
		t.Errorf("new classes %v, want %v", dry.NewClasses, want)
	}
	// Mended with the column that says what to change still there, and sent again.
	rows := [][]string{{"Name", "Class", "DOB", "Father Name", "Father Mobile", "What to change"},
		{"Asha Rao", "Class 7", "28/02/2015", "Ravi Rao", "9812345601", bad[0].WhatToChange}}
	mended, err := sheet.Bytes(rows)
	if err != nil {
		t.Fatal(err)
	}
	done := o.imports(t, string(mended), "createClasses=true")
	if done.Creates != 1 || o.Count(t, "class", "name = 'Class 7' and level = 7") != 1 {
		t.Errorf("mended: %+v", done)
	}
	run := o.Call(t, "GET", importPath+"/"+done.ID.String(), nil)
	if strings.Contains(string(run.Body), "9812345601") || strings.Contains(string(run.Body), "Asha") {
		t.Errorf("the run keeps the file's rows: %s", run.Body)
	}
}
