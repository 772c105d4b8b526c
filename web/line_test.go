package web_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestLine_SlowAndCut_NothingIsLost opens pages on a line of 300 ms, reads on without one, and goes on after a crash.
func TestLine_SlowAndCut_NothingIsLost(t *testing.T) {
	t.Parallel()
	browse(t, testkit.Shared(t), "line", classInExam(t, testkit.Shared(t)))
}

// TestPages_Opened_AskBeforeTheirScriptIsThere also counts how many formatters a page makes.
func TestPages_Opened_AskBeforeTheirScriptIsThere(t *testing.T) {
	t.Parallel()
	_, stage := greenValley(t, testkit.Shared(t))
	browse(t, testkit.Shared(t), "first", stage)
}

// TestPages_DataArrives_NothingMoves walks through all pages of an office and of the platform on a line of 300 ms.
func TestPages_DataArrives_NothingMoves(t *testing.T) {
	t.Parallel()
	stage := classInExam(t, testkit.Shared(t))
	stage["superEmail"] = superAdmin(t, testkit.Shared(t))
	testkit.Shared(t).SuperAdmin(t).Call(t, "POST", "/super-admin/migration/run", nil) // another story may: the page says more then
	browse(t, testkit.Shared(t), "still", stage)
}

// TestConsole_EveryPage_IsForEverybody walks through them on a phone, in the dark and from right to left.
func TestConsole_EveryPage_IsForEverybody(t *testing.T) {
	t.Parallel()
	stage := classInExam(t, testkit.Shared(t))
	stage["superEmail"] = superAdmin(t, testkit.Shared(t))
	browse(t, testkit.Shared(t), "console-walk", stage)
}

// TestBulkMove_LineCut_MovesAllOrNobody moves 25 students to another class on a line of 300 ms.
func TestBulkMove_LineCut_MovesAllOrNobody(t *testing.T) {
	t.Parallel()
	browse(t, testkit.Shared(t), "bulk", classInExam(t, testkit.Shared(t)))
}

// classInExam is an office with thirty children in 5-A and nobody in 6-A, open every day, and an exam to be marked.
func classInExam(t *testing.T, app *testkit.App) map[string]any {
	t.Helper()
	school, admin, stage := office(t, app, lifecycle.NewSchool{WeekendDays: []int16{}})
	seat := school.Seat(t, "Class 5")
	school.Seat(t, "Class 6")
	today := api.DateOf(app.Service.Kernel.Clock().In(school.Location()))
	rows := []string{"admissionNumber,firstName,lastName,class,division,rollNumber,admissionDate"}
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("D-%d,Child,%02d,Class 5,A,%d,%s", i+1, i+1, i+1, today.AddDays(-60)))
	}
	imported(t, admin, rows...)
	e := testkit.Post[exam.Exam](t, admin, "/school-admin/exam/create",
		map[string]any{"name": "Half-yearly", "classIds": []uuid.UUID{seat.ClassID}})
	s := testkit.Post[roster.Subject](t, admin, "/school-admin/subject/create",
		map[string]any{"name": "Science", "code": "SCI", "maxMarks": 100, "passMarks": 35})
	testkit.Post[exam.Schedule](t, admin, "/school-admin/exam/schedule", map[string]any{"examId": e.ID, "papers": []any{
		map[string]any{"classId": seat.ClassID, "subjectId": s.ID, "examDate": today.AddDays(-3), "startTime": "09:30", "endTime": "11:30"}}})
	stage["division"], stage["exam"] = seat.DivisionID, e.ID
	return stage
}

func TestConsole_HashedFile_IsNeverAskedForAgain(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	page := app.Nobody().Call(t, "GET", "/console/", nil)
	if got := page.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("the page: Cache-Control %q, want no-store", got)
	}
	names := regexp.MustCompile(`(?:src|href)="(/console/[^"]+\.(?:js|css))"`).FindAllStringSubmatch(string(page.Body), -1)
	if len(names) < 3 {
		t.Fatalf("the page names %d files", len(names))
	}
	for _, name := range names {
		if got := app.Nobody().Call(t, "GET", name[1], nil).Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", name[1], got)
		}
	}
	for _, name := range []string{"sw.js", "icon.svg"} {
		if got := app.Nobody().Call(t, "GET", "/console/"+name, nil).Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q, want no-cache", name, got)
		}
	}
}

func TestDates_AreAsTheSchoolWritesThem(t *testing.T) {
	t.Parallel()
	browse(t, testkit.Shared(t), "dates", classInExam(t, testkit.Shared(t)))
}
