package web_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/sheet"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestImportStory_OfficesWorkbook_IsMappedFixedAndTaken is a school with a year and no class, and an office's workbook.
func TestImportStory_OfficesWorkbook_IsMappedFixedAndTaken(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, _, stage := office(t, app, lifecycle.NewSchool{})
	school.Seat(t, "Class 9")
	book, err := os.ReadFile("../modules/importing/tests/testdata/offices/02-IN-workbook.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	stage["book"] = base64.StdEncoding.EncodeToString(book)
	browse(t, app, "import", stage)
	for table, want := range map[string]int{"student": 101, "class": 6, "subject": 0, "class_subject": 0} {
		if got := school.Count(t, table, "true"); got != want {
			t.Errorf("%d rows in %s, want %d", got, table, want)
		}
	}
	if n := school.Count(t, "student s", "not exists (select from student_guardian g where g.student_id = s.id)"); n != 0 {
		t.Errorf("%d children have no guardian", n)
	}
}

func TestImport_FileOfBadRows_HasTheColumnThatIsNotRead(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("src/pages/import/check.tsx")
	if err != nil {
		t.Fatal(err)
	}
	if want := "const whatToChange = '" + sheet.WhatToChange + "'"; !strings.Contains(string(source), want) {
		t.Errorf("the page does not say %s: the service would take the column for one of the office's", want)
	}
}

// TestGoLive_SchoolOf600_BySpreadsheetsAlone plays a school that begins in the middle of a year: nothing of it is made but in the
// console, from workbooks as offices keep them. Nobody hears of what was before, and the next instalment is charged whole.
func TestGoLive_SchoolOf600_BySpreadsheetsAlone(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, clerk, stage := office(t, app, lifecycle.NewSchool{})
	today := api.DateOf(time.Now().In(school.Location()))
	written := func(d api.Date) string { return d.In(time.UTC).Format("02/01/2006") }
	days := make([]api.Date, 0, 65)
	for d := today.AddDays(-1); len(days) < cap(days); d = d.AddDays(-1) {
		if w := d.In(time.UTC).Weekday(); w != time.Saturday && w != time.Sunday {
			days = append(days, d)
		}
	}
	children := [][]any{{"HILL SCHOOL"}, {"Admission register"}, {}, {"Sl. No.", "Adm. No.", "Name of the student", "Class", "Section",
		"Roll No.", "Gender", "D.O.B.", "Father's Name", "Father Mobile", "Mother's Name", "Mother Mobile", "House"}}
	arrears := [][]any{{"Fee arrears of last year"}, {"Adm. No.", "Name", "Balance"}}
	registers := [][]any{{"Adm. No.", "Date", "Attendance"}}
	phone := func() string { return strings.TrimPrefix(testkit.NewPhone(), "+91") }
	for i := range 600 {
		number, name := fmt.Sprintf("HS/%03d", i+1), fmt.Sprintf("Child%c %c. Rao", 'a'+rune(i%26), 'A'+rune(i/26))
		children = append(children, []any{i + 1, number, name, fmt.Sprint("Class ", i/120+1), string('A' + rune(i/40%3)), i%40 + 1,
			[]string{"M", "F"}[i%2], fmt.Sprintf("%02d/%02d/%d", i%28+1, i%12+1, 2020-i/120), fmt.Sprintf("Mr. Ravi%c Rao", 'a'+rune(i%26)),
			phone(), "Mrs. Lata Rao", phone(), []string{"Red", "Blue"}[i%2]})
		if i%4 == 0 {
			arrears = append(arrears, []any{number, name, 1_250.5})
		}
		for n, d := range days {
			registers = append(registers, []any{number, written(d), []string{"P", "A"}[(i+n)%20/19]})
		}
	}
	stage["from"], stage["to"] = today.AddDays(-120).String(), today.AddDays(240).String()
	stage["children"], stage["arrears"], stage["registers"] = workbook(t, children), workbook(t, arrears), workbook(t, registers)
	browse(t, app, "go-live", stage)

	for what, got := range map[string][2]int{
		"children":                   {school.Count(t, "student", "date_of_birth is not null and gender <> ''"), 600},
		"mothers of children":        {school.Count(t, "student_guardian", "relation = 'MOTHER'"), 600},
		"fathers of children":        {school.Count(t, "student_guardian", "relation = 'FATHER'"), 600},
		"guardians":                  {school.Count(t, "guardian", "true"), 1200},
		"divisions":                  {school.Count(t, "division", "true"), 15},
		"children since the start":   {school.Count(t, "enrolment", "start_date = ?", today.AddDays(-120).String()), 600},
		"marks":                      {school.Count(t, "attendance", "true"), 600 * 65},
		"absences":                   {school.Count(t, "attendance", "status = 'ABSENT'"), 600 * 65 / 20},
		"messages":                   {school.Count(t, "delivery", "true"), 0},
		"messages of a digest":       {school.Count(t, "digest_entry", "true"), 0},
		"notices that are not quiet": {school.Count(t, "notice", "not silent"), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%d %s, want %d", got[0], what, got[1])
		}
	}
	const owed = 150 * 1_250_50
	dues := testkit.Get[fee.Dues](t, clerk, "/school-admin/fee/dues")
	if dues.Ageing.Total != owed || dues.Total != 150 {
		t.Errorf("%d families owe %d, want 150 and %d", dues.Total, dues.Ageing.Total, owed)
	}

	stage["due"] = []string{today.AddDays(-60).String(), today.AddDays(30).String()}
	browse(t, app, "go-live", stage)
	dues = testkit.Get[fee.Dues](t, clerk, "/school-admin/fee/dues")
	if want := int64(owed + 600*12_000_00); dues.Total != 600 || dues.Ageing.Total != want {
		t.Errorf("%d families owe %d, want 600 and %d: half a year's fee each", dues.Total, dues.Ageing.Total, want)
	}
}

// workbook is an .xlsx of one sheet, in base64.
func workbook(t *testing.T, rows [][]any) string {
	t.Helper()
	book := excelize.NewFile()
	out, err := book.NewStreamWriter("Sheet1")
	for i, row := range rows {
		if err == nil {
			err = out.SetRow(fmt.Sprint("A", i+1), row)
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(file.Bytes())
}
