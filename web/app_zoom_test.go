package web_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/exam"
	"homeroom/modules/message"
	"homeroom/testkit"
)

// everyPage is greenValley with something on every page of the app, and the values of the pages' addresses.
func everyPage(t *testing.T, app *testkit.App) map[string]any {
	t.Helper()
	_, stage := greenValley(t, app)
	clerk := app.Nobody()
	clerk.Token = stage["token"].(string)
	asha := stage["asha"]
	paid := testkit.Post[made](t, clerk, "/school-admin/fee/collection/record",
		map[string]any{"studentId": asha, "amount": 200_000, "paymentMode": "CASH"})
	news := testkit.Post[made](t, clerk, "/school-admin/announcement/create", map[string]any{"title": "School closes early",
		"body": "At noon on Friday."})
	testkit.Post[any](t, clerk, "/school-admin/announcement/"+news.ID.String()+"/publish", nil)
	phones := stage["phones"].(map[string]any)
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
		"/receipt/:id": id(paid.ID), "/messages/thread/:id": id(thread), "/messages/announcement/:id": id(news.ID),
		"/register/:kind/:id": map[string]any{"kind": "day", "id": stage["division"]}, "/trip/:id": trip, "/trip/:id/incident": trip, "/trip/:id/hand-over": trip}
	return stage
}

func TestApp_EveryPageAtTwiceItsSize_LosesNothing(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	browse(t, app, "app-zoom", everyPage(t, app))
}
