package event_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/event"
	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func fields(f testkit.Failure) string {
	var out []string
	for _, d := range f.Details {
		out = append(out, d.Field)
	}
	return strings.Join(out, " ")
}

// tomorrow is a day that is to come, in every time zone.
func tomorrow() string { return api.DateOf(time.Now().UTC()).AddDays(2).String() }

func sportsDay(more ...map[string]any) map[string]any {
	data := map[string]any{"title": "Sports day", "description": "Races", "eventDate": tomorrow(), "startTime": "09:00", "endTime": "12:30",
		"venue": "Ground", "targetAudience": "ALL"}
	for _, m := range more {
		for k, v := range m {
			data[k] = v
		}
	}
	return data
}

func TestATeacherAddsListsChangesAndDeletesEvents(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	teacher := s.As(t, api.Teacher)
	a := teacher.Call(t, "POST", "/teacher/co-curricular/add-event", sportsDay())
	var made event.Event
	a.Read(t, &made)
	if a.Status != 201 || made.Status != "UPCOMING" || made.StartTime != "09:00" || made.EndTime != "12:30" ||
		made.EventDate.String() != tomorrow() || made.TargetAudience != "ALL" || len(made.ClassIDs) != 0 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	list := testkit.Get[event.Events](t, teacher, "/teacher/co-curricular/get-events")
	if len(list.Events) != 1 || list.Events[0].ID != made.ID || list.Events[0].Venue != "Ground" {
		t.Errorf("list %+v", list)
	}
	changed := testkit.Put[event.Event](t, teacher, "/teacher/co-curricular/update-event",
		map[string]any{"id": made.ID, "venue": "Hall", "status": "UPCOMING", "version": 1})
	if changed.Venue != "Hall" || changed.Title != "Sports day" || changed.Version != 2 {
		t.Errorf("changed %+v", changed)
	}
	teacher.Refuses(t, "PUT", "/teacher/co-curricular/update-event", map[string]any{"id": made.ID, "venue": "Roof", "version": 1}, 409, "")
	teacher.Refuses(t, "PUT", "/teacher/co-curricular/update-event", map[string]any{"id": api.NewID(), "venue": "Roof"}, 404, "")
	if f := teacher.Refuses(t, "PUT", "/teacher/co-curricular/update-event", map[string]any{"venue": "Roof"}, 422, ""); fields(f) != "id" {
		t.Errorf("fields %s", fields(f))
	}
	if a := teacher.Call(t, "DELETE", "/teacher/co-curricular/delete-event/"+made.ID.String(), nil); a.Status != 204 || len(a.Body) != 0 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if list := testkit.Get[event.Events](t, teacher, "/teacher/co-curricular/get-events"); len(list.Events) != 0 {
		t.Errorf("after deleting %+v", list)
	}
	if n := s.Count(t, "audit_event", "entity = 'event'"); n != 3 {
		t.Errorf("%d audit rows", n)
	}
}

func TestEventsAreListedByTheMomentTheyBegin(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for _, e := range []struct{ title, day, start string }{{"noon", "2026-03-02", "12:00"}, {"morning", "2026-03-02", "08:00"},
		{"whole day", "2026-03-02", ""}, {"before", "2026-03-01", "18:00"}} {
		testkit.Post[event.Event](t, admin, "/school-admin/event/create",
			map[string]any{"title": e.title, "eventDate": e.day, "startTime": e.start})
	}
	titles := func(list []event.Event) string {
		var out []string
		for _, e := range list {
			out = append(out, e.Title)
		}
		return strings.Join(out, ", ")
	}
	list := func(query string) string {
		return titles(testkit.Get[api.Page[event.Event]](t, admin, "/school-admin/event/list?"+query).Items)
	}
	if got := list(""); got != "before, whole day, morning, noon" {
		t.Errorf("forwards %s", got)
	}
	if got := list("sort[field]=eventDate&sort[order]=desc"); got != "noon, morning, whole day, before" {
		t.Errorf("backwards %s", got)
	}
	if got := list("filters[from]=2026-03-02&filters[search]=NOO"); got != "noon" {
		t.Errorf("searched %s", got)
	}
	teacher := s.As(t, api.Teacher)
	if got := titles(testkit.Get[event.Events](t, teacher,
		"/teacher/co-curricular/get-events?from=2026-03-01&to=2026-03-01&status=COMPLETED").Events); got != "before" {
		t.Errorf("the teacher's %s", got)
	}
	teacher.Refuses(t, "GET", "/teacher/co-curricular/get-events?from=2026-02-30", nil, 422, "")
}

func TestBadEventsAreRefusedWithEveryField(t *testing.T) {
	t.Parallel()
	s, theirs := testkit.NewSchool(t), testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	class := testkit.Post[roster.Class](t, theirs.As(t, api.SchoolAdmin), "/school-admin/class/create", map[string]any{"name": "Class 5"})
	create := "/school-admin/event/create"
	for _, bad := range []struct {
		data map[string]any
		want string
	}{
		{sportsDay(map[string]any{"eventDate": "2026-02-30", "startTime": "24:00", "title": ""}), "eventDate startTime title"},
		{sportsDay(map[string]any{"endTime": "09:00", "classIds": []uuid.UUID{class.ID}, "organiserId": api.NewID()}),
			"endTime organiserId classIds[0]"},
		{sportsDay(map[string]any{"targetAudience": "MARTIANS", "capacity": 0}), "targetAudience capacity"},
		{sportsDay(map[string]any{"targetAudience": "CLASSES"}), "classIds"},
	} {
		if f := admin.Refuses(t, "POST", create, bad.data, 422, ""); fields(f) != bad.want {
			t.Errorf("%v: %s", bad.data, fields(f))
		}
	}
	if n := s.Count(t, "event", "true"); n != 0 {
		t.Errorf("%d events were written", n)
	}
}

func TestAnEventIsCancelledOnceAndStaysSo(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	made := testkit.Post[event.Event](t, admin, "/school-admin/event/create", sportsDay())
	path := "/school-admin/event/" + made.ID.String()
	admin.Refuses(t, "PUT", path, map[string]any{"status": "COMPLETED"}, 409, "")
	off := testkit.Put[event.Event](t, admin, path, map[string]any{"status": "CANCELLED", "cancelReason": "Rain"})
	if off.Status != "CANCELLED" || off.CancelReason != "Rain" {
		t.Errorf("cancelled %+v", off)
	}
	if f := admin.Refuses(t, "PUT", path, map[string]any{"title": "Again"}, 409, ""); !strings.Contains(f.Message, "CANCELLED") {
		t.Errorf("message %q", f.Message)
	}
	list := testkit.Get[api.Page[event.Event]](t, admin, "/school-admin/event/list?filters[status]=CANCELLED")
	if list.Total != 1 {
		t.Errorf("list %+v", list)
	}
	over := testkit.Post[event.Event](t, admin, "/school-admin/event/create", sportsDay(map[string]any{"eventDate": "2026-01-10"}))
	if over.Status != "COMPLETED" {
		t.Errorf("over %+v", over)
	}
	admin.Refuses(t, "PUT", "/school-admin/event/"+over.ID.String(), map[string]any{"status": "CANCELLED"}, 409, "")
}

func TestAnEventsStateFollowsTheClocksAtTheSchool(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	set := func(at time.Time) { now.Store(&at) }
	set(time.Now())
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = func() time.Time { return *now.Load() } })
	type when struct {
		days       int // from today at the school
		start, end string
		want       string
	}
	for _, at := range []struct {
		zone         string
		hour, minute int
		events       []when
	}{
		{"Asia/Kolkata", 1, 0, []when{
			{0, "00:30", "02:00", "ONGOING"}, {0, "01:00", "02:00", "ONGOING"}, {0, "01:01", "02:00", "UPCOMING"},
			{0, "00:10", "01:00", "COMPLETED"},
			{-1, "19:00", "20:00", "COMPLETED"}, {0, "", "", "ONGOING"}, {-1, "", "", "COMPLETED"}, {1, "", "", "UPCOMING"},
			{0, "00:30", "", "ONGOING"}, {0, "", "00:59", "COMPLETED"},
		}},
		{"America/Los_Angeles", 23, 0, []when{
			{0, "22:00", "23:00", "COMPLETED"}, {0, "22:00", "23:01", "ONGOING"}, {0, "23:30", "23:59", "UPCOMING"},
			{1, "00:30", "08:00", "UPCOMING"}, {1, "", "", "UPCOMING"}, {0, "", "", "ONGOING"},
		}},
		{"Pacific/Auckland", 8, 0, []when{
			{0, "07:00", "09:00", "ONGOING"}, {-1, "07:00", "09:00", "COMPLETED"}, {-1, "20:00", "23:59", "COMPLETED"},
			{0, "20:00", "21:00", "UPCOMING"}, {0, "", "", "ONGOING"},
		}},
	} {
		place, err := time.LoadLocation(at.zone)
		if err != nil {
			t.Fatal(err)
		}
		y, m, d := time.Now().In(place).Date()
		set(time.Date(y, m, d, at.hour, at.minute, 0, 0, place))
		s := app.NewSchoolAs(t, lifecycle.NewSchool{TimeZone: at.zone})
		admin := s.As(t, api.SchoolAdmin)
		today := api.Date{Year: y, Month: m, Day: d}
		for _, e := range at.events {
			made := testkit.Post[event.Event](t, admin, "/school-admin/event/create",
				sportsDay(map[string]any{"eventDate": today.AddDays(e.days).String(), "startTime": e.start, "endTime": e.end}))
			if made.Status != e.want {
				t.Errorf("%s at %02d:%02d, %+v: %s", at.zone, at.hour, at.minute, e, made.Status)
			}
			list := testkit.Get[api.Page[event.Event]](t, admin, "/school-admin/event/list?filters[status]="+e.want)
			if len(list.Items) == 0 {
				t.Errorf("%s: no event is %s", at.zone, e.want)
			}
		}
	}
}
