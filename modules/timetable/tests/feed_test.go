package timetable_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	ics "github.com/arran4/golang-ical"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/timetable"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// feedPath is the path of a calendar's address.
func feedPath(t *testing.T, f timetable.FeedAddress) string {
	t.Helper()
	u, err := url.Parse(f.URL)
	if err != nil || !strings.HasSuffix(u.Path, ".ics") {
		t.Fatalf("address %q: %v", f.URL, err)
	}
	return u.Path
}

func readCalendar(t *testing.T, app *testkit.App, path string) (*ics.Calendar, string) {
	t.Helper()
	a := app.Nobody().Call(t, "GET", path, nil)
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/calendar") {
		t.Fatalf("%d %s %s", a.Status, a.Header.Get("Content-Type"), a.Body)
	}
	cal, err := ics.ParseCalendar(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatalf("%v in\n%s", err, a.Body)
	}
	return cal, string(a.Body)
}

func TestTeacherFeed_HasTheWeekInTheSchoolsTimeZone(t *testing.T) {
	t.Parallel()
	r := furnish(t, testkit.Shared(t).NewSchoolAs(t, lifecycle.NewSchool{TimeZone: "Europe/Lisbon"}))
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "501")))
	b := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.b), week(lesson(2, r.first, r.art, nila.ID, "")))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(a.Slots[0], monday, nila.ID))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(b.Slots[0], tuesday, meera.ID))
	teacher := r.App.SignIn(t, "teacher", string(meera.Phone))
	path := feedPath(t, testkit.Post[timetable.FeedAddress](t, teacher, "/teacher/timetable/feed", map[string]any{}))
	cal, text := readCalendar(t, r.App, path)
	if len(cal.Events()) != 2 {
		t.Errorf("%d events in\n%s", len(cal.Events()), text)
	}
	for _, want := range []string{
		"X-WR-TIMEZONE:Europe/Lisbon", "BEGIN:VTIMEZONE", "TZID:Europe/Lisbon", "BEGIN:DAYLIGHT", "TZOFFSETTO:+0100",
		"DTSTART;TZID=Europe/Lisbon:20260601T090000", "DTEND;TZID=Europe/Lisbon:20260601T094500", "RRULE:FREQ=WEEKLY;UNTIL=20270430T225959Z",
		"EXDATE;TZID=Europe/Lisbon:20261130T090000", // Nila holds it
		"DTSTART;TZID=Europe/Lisbon:20261201T090000", "In place of Nila", "LOCATION:501", "SUMMARY:Mathematics · Class 5 A",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if start, err := cal.Events()[1].GetStartAt(); err != nil || start.Location().String() != "Europe/Lisbon" {
		t.Errorf("starts %v: %v", start, err)
	}

	// A new address ends the old one, and the account's end ends both.
	again := feedPath(t, testkit.Post[timetable.FeedAddress](t, teacher, "/teacher/timetable/feed", map[string]any{}))
	r.App.Nobody().Refuses(t, "GET", path, nil, 404, "")
	readCalendar(t, r.App, again)
	if d := r.admin.Call(t, "DELETE", "/school-admin/employee/"+meera.ID.String(), nil); d.Status != 204 {
		t.Fatalf("%d %s", d.Status, d.Body)
	}
	r.App.Nobody().Refuses(t, "GET", again, nil, 404, "")
}

// Who had the phone before, or has the one that was written down by mistake, is not to know where a child is.
func TestFeed_PhoneChanged_Ends(t *testing.T) {
	t.Parallel()
	r := furnish(t, testkit.NewSchool(t))
	meera := r.employ(t, "Meera")
	teacher := r.App.SignIn(t, "teacher", string(meera.Phone))
	path := feedPath(t, testkit.Post[timetable.FeedAddress](t, teacher, "/teacher/timetable/feed", map[string]any{}))
	employee := "/school-admin/employee/" + meera.ID.String()
	testkit.Put[any](t, r.admin, employee, map[string]any{"designation": "Teacher"})
	readCalendar(t, r.App, path)
	testkit.Put[any](t, r.admin, employee, map[string]any{"phone": testkit.NewPhone()})
	r.App.Nobody().Refuses(t, "GET", path, nil, 404, "")
}

func TestChildFeed_IsServedToLinkedGuardiansOnly(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(a.Slots[0], monday, nila.ID))
	parent, student := r.child(t)
	ask := map[string]any{"studentId": student}
	r.As(t, api.Parent).Refuses(t, "POST", "/parent/timetable/feed", ask, 404, "STUDENT_NOT_FOUND")
	path := feedPath(t, testkit.Post[timetable.FeedAddress](t, parent, "/parent/timetable/feed", ask))
	_, text := readCalendar(t, r.App, path)
	for _, want := range []string{"RECURRENCE-ID;TZID=Asia/Kolkata:20261130T090000", "Nila in place of Meera", "TZOFFSETTO:+0530"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if d := parent.Call(t, "DELETE", "/parent/timetable/feed/"+student.String(), nil); d.Status != 204 {
		t.Fatalf("%d %s", d.Status, d.Body)
	}
	r.App.Nobody().Refuses(t, "GET", path, nil, 404, "")
	path = feedPath(t, testkit.Post[timetable.FeedAddress](t, parent, "/parent/timetable/feed", ask))
	readCalendar(t, r.App, path)
	if err := r.DB(t).Exec(`delete from student_guardian where student_id = ?`, student).Error; err != nil {
		t.Fatal(err)
	}
	r.App.Nobody().Refuses(t, "GET", path, nil, 404, "")
}

func TestFeed_LeavesOutTheClasssHolidays(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	meera, nila := r.employ(t, "Meera"), r.employ(t, "Nila")
	a := testkit.Put[timetable.DivisionWeek](t, r.admin, weekPath(r.a), week(lesson(1, r.first, r.maths, meera.ID, "")))
	testkit.Post[timetable.Substitution](t, r.admin, "/school-admin/timetable/substitution", substitution(a.Slots[0], monday, nila.ID))
	other := testkit.Post[roster.Class](t, r.admin, "/school-admin/class/create", map[string]any{"name": "Class 9"})
	for _, h := range []map[string]any{
		{"name": "Diwali", "startDate": "2026-11-07", "endDate": "2026-11-10"}, // a Monday is among them
		{"name": "Theirs", "startDate": "2026-11-16", "classIds": []any{r.a.ClassID}},
		{"name": "Others'", "startDate": "2026-11-23", "classIds": []any{other.ID}},
		{"name": "Founder's day", "startDate": monday},
	} {
		testkit.Post[struct{}](t, r.admin, "/school-admin/attendance/holiday/create", h)
	}
	parent, student := r.child(t)
	ask := map[string]any{"studentId": student}
	teacher := r.App.SignIn(t, "teacher", string(meera.Phone))
	for what, address := range map[string]timetable.FeedAddress{
		"parent":  testkit.Post[timetable.FeedAddress](t, parent, "/parent/timetable/feed", ask),
		"teacher": testkit.Post[timetable.FeedAddress](t, teacher, "/teacher/timetable/feed", map[string]any{}),
	} {
		_, text := readCalendar(t, r.App, feedPath(t, address))
		for _, day := range []string{"20261109", "20261116", "20261130"} {
			if strings.Count(text, "EXDATE;TZID=Asia/Kolkata:"+day+"T090000") != 1 {
				t.Errorf("the %s's calendar has a lesson on %s:\n%s", what, day, text)
			}
		}
		if strings.Contains(text, "20261123") || strings.Contains(text, "in place of") {
			t.Errorf("the %s's calendar:\n%s", what, text)
		}
	}
}

func TestFeed_WrongOrEndedAddress_IsNotFound(t *testing.T) {
	t.Parallel()
	r := newStaffroom(t)
	e := r.employ(t, "Meera")
	teacher := r.App.SignIn(t, "teacher", string(e.Phone))
	path := feedPath(t, testkit.Post[timetable.FeedAddress](t, teacher, "/teacher/timetable/feed", map[string]any{}))
	for _, bad := range []string{"/calendar/abc.ics", "/calendar/%20.ics", path[:len(path)-8] + "AAAA.ics", "/calendar/" +
		strings.Repeat("A", 64) + ".ics"} {
		r.App.Nobody().Refuses(t, "GET", bad, nil, 404, "")
	}
	readCalendar(t, r.App, path)
	if d := teacher.Call(t, "DELETE", "/teacher/timetable/feed", nil); d.Status != 204 {
		t.Fatalf("%d %s", d.Status, d.Body)
	}
	r.App.Nobody().Refuses(t, "GET", path, nil, 404, "")
}
