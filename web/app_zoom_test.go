package web_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/exam"
	"homeroom/modules/message"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// everyPage is greenValley with something on every page of the app, and the values of the pages' addresses.
func everyPage(t *testing.T, app *testkit.App) map[string]any {
	t.Helper()
	_, stage := greenValley(t, app)
	clerk := app.Nobody()
	clerk.Token = stage["token"].(string)
	asha, phones := stage["asha"], stage["phones"].(map[string]any)
	paid := testkit.Post[made](t, clerk, "/school-admin/fee/collection/record",
		map[string]any{"studentId": asha, "amount": 200_000, "paymentMode": "CASH"})
	returned := testkit.Post[made](t, clerk, "/school-admin/fee/refund",
		map[string]any{"studentId": asha, "amount": 50_000, "paymentMode": "CASH", "reason": "Paid twice"})
	testkit.Post[made](t, signedInAs(t, app, "driver", phones["driver"].(string)), "/driver/incident/report",
		map[string]any{"busId": stage["bus"], "type": "traffic_jam", "description": "Market Street is closed"})
	testkit.Put[any](t, clerk, "/school-admin/exam/report-card/"+asha.(uuid.UUID).String()+"/remark", map[string]any{"remark": "Works hard"})
	news := testkit.Post[made](t, clerk, "/school-admin/announcement/create", map[string]any{"title": "School closes early",
		"body": "At noon on Friday."})
	testkit.Post[any](t, clerk, "/school-admin/announcement/"+news.ID.String()+"/publish", nil)
	sports := testkit.Post[made](t, clerk, "/school-admin/event/create", map[string]any{"title": "Sports day", "startTime": "10:00",
		"eventDate": stage["today"].(api.Date).AddDays(9), "venue": "Field", "capacity": 40, "description": "Bring a hat."})
	mother := signedIn(t, app, phones["mother"].(string))
	thread := testkit.Post[message.Message](t, mother, "/parent/message/send",
		map[string]any{"toOffice": true, "subject": "Friday", "body": "Is there school on Friday?"}).ThreadID
	paper := testkit.Get[exam.Schedule](t, clerk, "/school-admin/exam/"+stage["exam"].(uuid.UUID).String()+"/schedule").Papers[0]
	group := testkit.Post[made](t, clerk, "/school-admin/group/create", map[string]any{"name": "Early group", "subjectId": paper.SubjectID,
		"kind": "BATCH", "divisionIds": []any{stage["division"]}})
	testkit.Put[any](t, clerk, "/school-admin/group/"+group.ID.String()+"/members",
		map[string]any{"studentIds": []any{asha}, "fromDate": paper.ExamDate})
	period := testkit.Post[made](t, clerk, "/school-admin/timetable/period/create",
		map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	testkit.Put[any](t, clerk, "/school-admin/timetable/group/"+group.ID.String(), map[string]any{"slots": []any{
		map[string]any{"dayOfWeek": 1, "periodId": period.ID, "teacherId": stage["teacher"]}}})
	id := func(of any) map[string]any { return map[string]any{"id": of} }
	trip := id(stage["trips"].(map[string]any)["morning"])
	stage["phones"] = map[string]any{"parent": phones["mother"], "teacher": phones["teacher"], "driver": phones["driver"]}
	stage["values"] = map[string]any{"student": asha, "division": stage["division"], "exam": stage["exam"], "paper": paper.ID, "group": group.ID,
		"/receipt/:id": id(paid.ID), "/refund/:id": id(returned.ID), "/messages/thread/:id": id(thread), "/messages/announcement/:id": id(news.ID),
		"/events/:id":         id(sports.ID),
		"/register/:kind/:id": map[string]any{"kind": "day", "id": stage["division"]}, "/trip/:id": trip, "/trip/:id/incident": trip, "/trip/:id/hand-over": trip}
	return stage
}

func TestApp_EveryPageAtTwiceItsSize_LosesNothing(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "app-zoom", everyPage(t, app))
}

// TestApp_EveryPage_IsForEverybodyAndAThumb also taps each type of notice in each role.
func TestApp_EveryPage_IsForEverybodyAndAThumb(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	stage := everyPage(t, app)
	stage["trip"] = stage["trips"].(map[string]any)["morning"]
	browse(t, app, "app-walk", stage)
}

// TestApp_TeacherEntersMarksOfAGroup also sees the photo of a student.
func TestApp_TeacherEntersMarksOfAGroup(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	stage := everyPage(t, app)
	clerk := app.Nobody()
	clerk.Token = stage["token"].(string)
	asha := testkit.Get[roster.StudentDetail](t, clerk, "/school-admin/student/"+stage["asha"].(uuid.UUID).String())
	testkit.Put[any](t, clerk, "/school-admin/student/"+asha.ID.String(),
		map[string]any{"version": asha.Version, "photoFileId": uploadPhoto(t, clerk)})
	browse(t, app, "app-group-marks", stage)
}

// formsHeldElsewhere are rows of a form, which another file holds as a whole.
var formsHeldElsewhere = map[string]bool{"src/app/teacher/register-row.tsx": true}

var typedInto = regexp.MustCompile(`<textarea|<input(?:[^>]*\n)*?\s+(?:[^>]*\s)?(?:type="tel"|className="input)`)

// TestApp_EveryForm_HoldsANewVersion: a form that does not say so is loaded anew with what is typed in it.
func TestApp_EveryForm_HoldsANewVersion(t *testing.T) {
	t.Parallel()
	forms := 0
	err := filepath.WalkDir("src/app", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tsx") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !typedInto.Match(text) {
			return err
		}
		forms++
		if !bytes.Contains(text, []byte("useHold(")) && !formsHeldElsewhere[filepath.ToSlash(path)] {
			t.Errorf("%s has a field to type into and no useHold()", path)
		}
		return nil
	})
	if err != nil || forms < 10 {
		t.Errorf("%d forms were found, %v", forms, err)
	}
}
