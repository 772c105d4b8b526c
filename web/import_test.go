package web_test

import (
	"encoding/base64"
	"os"
	"testing"

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
