package notification_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/testkit"
)

// planned is a school with two classes, their families and teachers, and a bus. Everybody has a name by which the table below
// says who hears of a change.
type planned struct {
	*testkit.School
	now       func() time.Time
	admin     *testkit.Client
	five, six testkit.Seat
	asha      testkit.Child // of class 5, takes art, rides the bus from the first stop
	bala      testkit.Child // of class 5, takes no art, rides from the second stop
	dev       testkit.Child // of class 6, does not ride

	called          map[*api.Row]bool // what the office called
	drivers         map[string]*testkit.Client
	names           map[uuid.UUID]string
	meera, nila     uuid.UUID // employees who teach class 5 and 6
	ravi, sami      uuid.UUID // and who drive bus 7 and 9
	maths, art      uuid.UUID
	period, group   uuid.UUID
	bus7, bus9, ids map[string]any
	route, lake     map[string]any
}

func newPlanned(t *testing.T, s *testkit.School, now func() time.Time) *planned {
	t.Helper()
	p := &planned{School: s, now: now, admin: s.As(t, api.SchoolAdmin), names: map[uuid.UUID]string{}, ids: map[string]any{},
		called: map[*api.Row]bool{}, drivers: map[string]*testkit.Client{}}
	p.names[p.admin.UserID], p.names[s.As(t, api.SchoolAdmin).UserID] = "admin", "admin"
	p.five, p.six = s.Seat(t, "Class 5"), s.Seat(t, "Class 6")
	p.asha, p.bala, p.dev = s.Child(t, p.five, 2), s.Child(t, p.five, 1), s.Child(t, p.six, 1)
	p.names[p.asha.Parents[0].UserID], p.names[p.bala.Parents[0].UserID], p.names[p.dev.Parents[0].UserID] = "asha", "bala", "dev"
	p.names[p.asha.Parents[1].UserID] = "who may not see asha"
	p.do(t, `update student_guardian set can_view_data = false where guardian_id = (select id from guardian where user_id = ?)`, p.asha.Parents[1].UserID)
	p.meera, p.nila = p.teacher(t, "meera", p.five), p.teacher(t, "nila", p.six)
	p.ravi, p.sami = p.driver(t, "ravi"), p.driver(t, "sami")
	p.maths = p.made(t, "/school-admin/subject/create", map[string]any{"name": "Mathematics", "code": "MAT", "maxMarks": 100, "passMarks": 33})
	p.art = p.made(t, "/school-admin/subject/create", map[string]any{"name": "Art", "code": "ART", "maxMarks": 100, "passMarks": 33})
	p.group = api.NewID()
	p.do(t, `insert into student_group (id, name, subject_id) values (?, 'Art', ?)`, p.group, p.art)
	p.do(t, `insert into student_group_division (group_id, division_id) values (?, ?)`, p.group, p.five.DivisionID)
	p.do(t, `insert into student_group_member (id, group_id, student_id, from_date) values (?, ?, ?, current_date - 30)`, api.NewID(), p.group, p.asha.ID)
	p.period = p.made(t, "/school-admin/timetable/period/create", map[string]any{"name": "Period 1", "startTime": "09:00", "endTime": "09:45"})
	p.week(t, p.five, p.lesson(1, p.maths, p.meera))
	p.week(t, p.six, p.lesson(2, p.maths, p.nila))

	p.bus7 = p.post(t, "/school-admin/transport/bus/create", map[string]any{"busNumber": "7", "driverId": p.ravi})
	p.bus9 = p.post(t, "/school-admin/transport/bus/create", map[string]any{"busNumber": "9", "driverId": p.sami})
	stop := func(name string, lat float64) map[string]any {
		return map[string]any{"name": name, "lat": lat, "lng": 77.59, "plannedTime": "07:00"}
	}
	p.route = p.post(t, "/school-admin/transport/route/create", map[string]any{"name": "Hill Road", "busId": p.bus7["id"], "direction": "pickup",
		"stops": []any{stop("Temple", 12.97), stop("Market", 12.98)}})
	p.lake = p.post(t, "/school-admin/transport/route/create", map[string]any{"name": "Lake Road", "busId": p.bus7["id"],
		"direction": "pickup", "stops": []any{stop("Bridge", 12.99)}})
	p.ride(t, p.route, p.asha, 0, p.bala, 1)
	return p
}

// ride says who rides a route: a child and the number of its stop, one after another.
func (p *planned) ride(t *testing.T, route map[string]any, who ...any) {
	t.Helper()
	riders := []any{}
	for i := 0; i < len(who); i += 2 {
		stop := route["stops"].([]any)[who[i+1].(int)].(map[string]any)
		riders = append(riders, map[string]any{"studentId": who[i].(testkit.Child).ID, "stopId": stop["id"]})
	}
	p.put(t, "/school-admin/transport/route/"+route["id"].(string)+"/students", map[string]any{"students": riders})
}

func (p *planned) do(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := p.DB(t).Exec(sql, args...).Error; err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (p *planned) post(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	p.called[p.App.Row("POST", path)] = true
	return testkit.Post[map[string]any](t, p.admin, path, body)
}

func (p *planned) put(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	p.called[p.App.Row("PUT", path)] = true
	return testkit.Put[map[string]any](t, p.admin, path, body)
}

func (p *planned) remove(t *testing.T, path string) {
	t.Helper()
	p.called[p.App.Row("DELETE", path)] = true
	if a := p.admin.Call(t, "DELETE", path, nil); a.Status != 204 && a.Status != 200 {
		t.Fatalf("DELETE %s: %d %s", path, a.Status, a.Body)
	}
}

// made is the id of what a call made.
func (p *planned) made(t *testing.T, path string, body any) uuid.UUID {
	t.Helper()
	return uuid.MustParse(p.post(t, path, body)["id"].(string))
}

func (p *planned) teacher(t *testing.T, name string, seat testkit.Seat) uuid.UUID {
	t.Helper()
	return p.employee(t, name, p.Teacher(t, seat).UserID)
}

func (p *planned) employee(t *testing.T, name string, user uuid.UUID) uuid.UUID {
	t.Helper()
	p.names[user] = name
	var ids []uuid.UUID
	if err := p.DB(t).Raw(`update employee set first_name = ? where user_id = ? returning id`, name, user).Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

func (p *planned) driver(t *testing.T, name string) uuid.UUID {
	t.Helper()
	p.drivers[name] = p.As(t, api.Driver)
	user := p.drivers[name].UserID
	p.do(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type) values (?, ?, ?, ?, '', 'DRIVER')`,
		api.NewID(), user, user.String(), name)
	return p.employee(t, name, user)
}

func (p *planned) lesson(day int, subject, teacher uuid.UUID) map[string]any {
	return map[string]any{"dayOfWeek": day, "periodId": p.period, "subjectId": subject, "teacherId": teacher}
}

func (p *planned) week(t *testing.T, seat testkit.Seat, lessons ...map[string]any) []any {
	t.Helper()
	return p.put(t, "/school-admin/timetable/division/"+seat.DivisionID.String(), map[string]any{"slots": lessons})["slots"].([]any)
}

// groupWeek has the group of art meet on one day of the week.
func (p *planned) groupWeek(t *testing.T, day int) {
	t.Helper()
	p.put(t, "/school-admin/timetable/group/"+p.group.String(), map[string]any{"slots": []any{
		map[string]any{"dayOfWeek": day, "periodId": p.period, "teacherId": p.nila}}})
}

// bus is a bus as it is now.
func (p *planned) bus(t *testing.T, number string) map[string]any {
	t.Helper()
	of := map[string]map[string]any{"7": p.bus7, "9": p.bus9}
	return testkit.Get[map[string]any](t, p.admin, "/school-admin/transport/bus/"+of[number]["id"].(string))
}

func (p *planned) day(n int) api.Date { return api.DateOf(p.now().In(p.Location())).AddDays(n) }

// monday is a Monday to come.
func (p *planned) monday() api.Date {
	for n := 1; ; n++ {
		if day := p.day(n); day.In(time.UTC).Weekday() == time.Monday {
			return day
		}
	}
}

func (p *planned) paper(subject uuid.UUID, day api.Date, from string, invigilator any) map[string]any {
	return map[string]any{"classId": p.five.ClassID, "subjectId": subject, "examDate": day, "startTime": from, "endTime": "12:00",
		"invigilatorId": invigilator}
}

func (p *planned) schedule(t *testing.T, replace bool, papers ...map[string]any) {
	t.Helper()
	p.post(t, "/school-admin/exam/schedule", map[string]any{"examId": p.ids["exam"], "papers": papers, "replace": replace})
}

func (p *planned) trip(t *testing.T, day int, at string) string {
	t.Helper()
	return p.post(t, "/school-admin/transport/trip/schedule", map[string]any{"routeId": p.route["id"], "tripDate": p.day(day), "scheduledStartTime": at,
		"runsOnHolidays": true})["id"].(string)
}

// heard are the names of those who were told something since the last call, and have it unread. Each of them got one push.
func (p *planned) heard(t *testing.T) []string {
	t.Helper()
	testkit.Eventually(t, "all facts are published", func() bool { return p.Count(t, "outbox", "next_at <= ?", p.now()) == 0 })
	var users []uuid.UUID
	if err := p.DB(t).Raw(`select distinct user_id from notification where read_at is null`).Scan(&users).Error; err != nil {
		t.Fatal(err)
	}
	var pushed []struct {
		UserID uuid.UUID
		N      int
	}
	if err := p.DB(t).Raw(`select user_id, count(*) as n from delivery where channel = 'PUSH' and recipient like 'user\_%' group by user_id`).
		Scan(&pushed).Error; err != nil {
		t.Fatal(err)
	}
	for _, to := range pushed {
		if to.N != 1 || !slices.Contains(users, to.UserID) {
			t.Errorf("%s got %d pushes; %d people have a line in their log", p.names[to.UserID], to.N, len(users))
		}
	}
	if len(pushed) != len(users) {
		t.Errorf("%d people got a push, want %d", len(pushed), len(users))
	}
	p.forget(t)
	names := []string{}
	for _, id := range users {
		names = append(names, p.names[id])
	}
	slices.Sort(names)
	return names
}

// forget has nobody have heard anything.
func (p *planned) forget(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "all facts are published", func() bool { return p.Count(t, "outbox", "next_at <= ?", p.now()) == 0 })
	err := p.DB(t).Transaction(func(tx *gorm.DB) error {
		for _, sql := range []string{
			`lock table notice, notification, delivery in exclusive mode`, // the senders lock their rows in orders of their own
			`delete from delivery`, `delete from notification`, `delete from notice`,
		} {
			if err := tx.Exec(sql).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// changesNoPlan are the office's changes of these modules that nobody is told of, or that have tables of their own, and why.
var changesNoPlan = map[string]string{
	"PUT /school-admin/exam/:id":                        "the days are those of its papers",
	"POST /school-admin/exam/grade-scale/create":        "what is published keeps its grades",
	"PUT /school-admin/exam/grade-scale/:id":            "what is published keeps its grades",
	"DELETE /school-admin/exam/grade-scale/:id":         "no class goes by it",
	"POST /school-admin/exam/term/create":               "a term is a heading of report cards",
	"PUT /school-admin/exam/term/:id":                   "a term is a heading of report cards",
	"DELETE /school-admin/exam/term/:id":                "it has no exams",
	"POST /school-admin/timetable/period/create":        "it has no lessons",
	"DELETE /school-admin/timetable/period/:id":         "it has no lessons",
	"PUT /school-admin/leave/entitlements":              "they are no leave",
	"POST /school-admin/transport/bus/create":           "it drives no route",
	"DELETE /school-admin/transport/bus/:id":            "it drives no route",
	"POST /school-admin/transport/route/create":         "nobody rides it",
	"DELETE /school-admin/transport/route/:id":          "nobody rides it",
	"POST /school-admin/transport/trip/:id/rider":       "a step of the trip: its start",
	"POST /school-admin/transport/incident/:id/resolve": "a step of the trip: an incident",
	"POST /school-admin/transport/incident/:id/release": "a step of the trip: an incident",
	"POST /school-admin/transport/incident/:id/discard": "a step of the trip: an incident",
}

// plans are the permissions of modules with plans.
var plans = []string{"exam", "event", "timetable", "transport", "leave"}

// checkEveryChangeHasARow holds the table against the endpoints: the next one by which an office changes a plan needs a row in it.
func (p *planned) checkEveryChangeHasARow(t *testing.T) {
	t.Helper()
	rows, left := p.App.Service.Kernel.Rows, maps.Clone(changesNoPlan)
	for i := range rows {
		r := &rows[i]
		if r.Action == api.Read || r.Silent || !strings.HasPrefix(r.Path, "/school-admin/") ||
			!slices.Contains(plans, r.Module) && !strings.HasPrefix(r.Path, "/school-admin/attendance/holiday/") {
			continue
		}
		name := r.Method + " " + r.Path
		if _, told := left[name]; told == p.called[r] {
			t.Errorf("%s: the table of changes has %t, changesNoPlan has %t: want it in one of them", name, p.called[r], told)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%s is no endpoint", name)
	}
}

// TestPlans_WhenTheyChange_ReachThoseConcernedAlone is the table of changes and who hears of each: all of them, and nobody else.
func TestPlans_WhenTheyChange_ReachThoseConcernedAlone(t *testing.T) {
	t.Parallel()
	app, _, clock := apart(t)
	school := app.NewSchool(t)
	clock.onMonday(school, 10, 0) // bala's leave is on the next one, when no bus is planned
	p := newPlanned(t, school, clock.Now)
	p.heard(t)
	clear(p.called)
	const events, holidays, trips = "/school-admin/event/", "/school-admin/attendance/holiday/", "/school-admin/transport/trip/"
	at := func(name string) string { return fmt.Sprint(p.ids[name]) }
	minutesLater := func(t *testing.T) {
		t.Helper()
		clock.turn(6 * time.Minute)
		p.admin = p.As(t, api.SchoolAdmin) // a token lasts a quarter of an hour
		p.names[p.admin.UserID] = "admin"
	}
	for _, c := range []struct {
		change string
		do     func(t *testing.T)
		who    string // in the order of the alphabet
	}{
		{"an exam is planned", func(t *testing.T) {
			p.ids["exam"] = p.made(t, "/school-admin/exam/create", map[string]any{"name": "Half-yearly", "classIds": []uuid.UUID{p.five.ClassID}})
			p.schedule(t, false, p.paper(p.maths, p.day(10), "09:00", p.meera), p.paper(p.art, p.day(11), "09:00", nil))
		}, ""},
		{"its timetable is published", func(t *testing.T) {
			p.post(t, "/school-admin/exam/"+at("exam")+"/publish", map[string]any{"what": "SCHEDULE"})
		}, "asha bala meera"},
		{"a paper is moved", func(t *testing.T) { p.schedule(t, false, p.paper(p.maths, p.day(12), "09:00", p.meera)) }, "asha bala meera"},
		{"a paper is saved as it is", func(t *testing.T) { p.schedule(t, false, p.paper(p.maths, p.day(12), "09:00", p.meera)) }, ""},
		{"a paper of an elective is moved", func(t *testing.T) { p.schedule(t, false, p.paper(p.art, p.day(11), "10:00", nil)) }, "asha"},
		{"a paper has another invigilator", func(t *testing.T) { p.schedule(t, false, p.paper(p.maths, p.day(12), "09:00", p.nila)) }, "meera nila"},
		{"a paper is removed", func(t *testing.T) { p.schedule(t, true, p.paper(p.maths, p.day(12), "09:00", p.nila)) }, "asha"},
		{"an exam's timetable is taken back", func(t *testing.T) {
			p.post(t, "/school-admin/exam/"+at("exam")+"/unpublish", map[string]any{"what": "SCHEDULE"})
		}, "asha bala nila"},

		{"an exam with a published timetable is deleted", func(t *testing.T) {
			p.post(t, "/school-admin/exam/"+at("exam")+"/publish", map[string]any{"what": "SCHEDULE"})
			p.heard(t)
			p.remove(t, "/school-admin/exam/"+at("exam"))
		}, "asha bala nila"},

		{"an event for everybody", func(t *testing.T) {
			p.ids["all"] = p.made(t, events+"create", map[string]any{"title": "Sports day", "eventDate": p.day(20)})
		}, "asha bala dev meera nila"},
		{"an event for teachers", func(t *testing.T) {
			p.made(t, events+"create", map[string]any{"title": "Staff meeting", "eventDate": p.day(20), "targetAudience": "TEACHERS"})
		}, "meera nila"},
		{"an event for a class", func(t *testing.T) {
			p.ids["five"] = p.made(t, events+"create", map[string]any{"title": "Museum", "eventDate": p.day(20), "classIds": []uuid.UUID{p.five.ClassID}})
		}, "asha bala"},
		{"an event of the past", func(t *testing.T) {
			p.made(t, events+"create", map[string]any{"title": "Founder's day", "eventDate": p.day(-3)})
		}, ""},
		{"an event is described anew", func(t *testing.T) { p.put(t, events+at("five"), map[string]any{"description": "Bring a hat"}) }, ""},
		{"an event is moved", func(t *testing.T) { p.put(t, events+at("five"), map[string]any{"eventDate": p.day(21)}) }, "asha bala"},
		{"an event is for another class, and a child is signed up", func(t *testing.T) {
			testkit.Post[any](t, p.asha.Parents[0], "/parent/event/sign-up", map[string]any{"eventId": p.ids["five"], "studentId": p.asha.ID})
			p.put(t, events+at("five"), map[string]any{"classIds": []uuid.UUID{p.six.ClassID}, "venue": "Hall"})
		}, "asha bala dev"},
		{"an event is cancelled", func(t *testing.T) {
			p.put(t, events+at("five"), map[string]any{"status": "CANCELLED", "cancelReason": "Rain"})
		}, "asha dev"},
		{"an event is deleted", func(t *testing.T) { p.remove(t, events+at("all")) }, "asha bala dev meera nila"},

		{"a holiday of the school", func(t *testing.T) {
			p.ids["holiday"] = p.made(t, holidays+"create", map[string]any{"name": "Flood", "startDate": p.day(5)})
		}, "asha bala dev meera nila"},
		{"a holiday becomes one of a class", func(t *testing.T) {
			p.put(t, holidays+at("holiday"), map[string]any{"classIds": []uuid.UUID{p.five.ClassID}})
		}, "dev nila"},
		{"a holiday is moved", func(t *testing.T) {
			p.put(t, holidays+at("holiday"), map[string]any{"startDate": p.day(6), "endDate": p.day(7)})
		}, "asha bala meera"},
		{"a holiday is taken back", func(t *testing.T) { p.remove(t, holidays+at("holiday")) }, "asha bala meera"},
		{"a holiday far ahead", func(t *testing.T) {
			p.made(t, holidays+"create", map[string]any{"name": "Diwali", "startDate": p.day(60)})
		}, ""},
		{"a holiday of the past", func(t *testing.T) {
			p.made(t, holidays+"create", map[string]any{"name": "Storm", "startDate": p.day(-3)})
		}, ""},

		{"leave is decided", func(t *testing.T) {
			leave := testkit.Post[map[string]any](t, p.bala.Parents[0], "/parent/leave/apply", map[string]any{"studentId": p.bala.ID, "leaveType": "SICK",
				"fromDate": p.monday(), "toDate": p.monday(), "reason": "Fever"})
			p.heard(t)
			p.post(t, "/school-admin/leave/decide", map[string]any{"leaveId": leave["id"], "status": "APPROVED"})
		}, "bala"},
		{"a trip under way is handed over", func(t *testing.T) {
			trip := p.trip(t, 0, "10:30")
			testkit.Post[any](t, p.drivers["ravi"], "/driver/bus-tracking/trips/"+trip+"/start", map[string]any{})
			p.forget(t)
			p.post(t, trips+trip+"/driver", map[string]any{"driverId": p.sami, "reason": "Ill"})
			p.do(t, `update trip set status = 'completed', ended_at = started_at where id = ?`, trip)
		}, "asha bala ravi sami"},
		{"a trip is scheduled", func(t *testing.T) { p.ids["trip"] = p.trip(t, 2, "07:00") }, ""},
		{"a trip starts later", func(t *testing.T) {
			p.put(t, trips+at("trip"), map[string]any{"scheduledStartTime": "07:30"})
		}, "asha bala ravi"},
		{"a trip starts earlier", func(t *testing.T) {
			p.put(t, trips+at("trip"), map[string]any{"scheduledStartTime": "06:30"})
		}, "asha bala ravi"},
		{"a trip has another bus, and with it another driver", func(t *testing.T) {
			p.put(t, trips+at("trip"), map[string]any{"busId": p.bus9["id"]})
		}, "asha bala ravi sami"},
		{"a trip has another driver", func(t *testing.T) {
			p.put(t, trips+at("trip"), map[string]any{"driverId": p.ravi})
		}, "asha bala ravi sami"},
		{"a trip is cancelled, and a rider said not to ride", func(t *testing.T) {
			testkit.Post[any](t, p.bala.Parents[0], "/parent/transport/not-riding",
				map[string]any{"studentId": p.bala.ID, "date": p.day(2), "tripType": "pickup"})
			p.heard(t)
			p.post(t, trips+at("trip")+"/cancel", map[string]any{"reason": "Flood"})
		}, "asha ravi"},
		{"a stop is elsewhere", func(t *testing.T) {
			stops := p.route["stops"].([]any)
			moved := stops[0].(map[string]any)
			moved["lat"] = 12.972
			p.put(t, "/school-admin/transport/route/"+p.route["id"].(string), map[string]any{"stops": stops})
		}, "asha"},
		{"the bus comes to a stop at another time", func(t *testing.T) {
			stops := p.route["stops"].([]any)
			stops[1].(map[string]any)["plannedTime"] = "07:10"
			p.put(t, "/school-admin/transport/route/"+p.route["id"].(string), map[string]any{"stops": stops})
		}, "bala"},
		{"a stop is renamed", func(t *testing.T) {
			stops := p.route["stops"].([]any)
			stops[0].(map[string]any)["name"] = "Old temple"
			p.put(t, "/school-admin/transport/route/"+p.route["id"].(string), map[string]any{"stops": stops})
		}, ""},
		{"a day off, on which the bus would have run", func(t *testing.T) {
			p.post(t, trips+"schedule", map[string]any{"routeId": p.route["id"], "tripDate": p.day(9), "scheduledStartTime": "07:00"})
			p.ids["off"] = p.made(t, holidays+"create", map[string]any{"name": "Election", "startDate": p.day(9)})
		}, "asha bala dev meera nila ravi"},
		{"it is a school day after all", func(t *testing.T) { p.remove(t, holidays+at("off")) }, "asha bala dev meera nila ravi"},
		{"a route has another bus", func(t *testing.T) {
			p.put(t, "/school-admin/transport/route/"+p.route["id"].(string), map[string]any{"busId": p.bus9["id"]})
		}, "asha bala"},
		{"somebody else drives a bus for a day", func(t *testing.T) {
			p.put(t, "/school-admin/transport/bus/"+p.bus9["id"].(string)+"/driver", map[string]any{"driverId": p.ravi, "fromDate": p.day(3), "toDate": p.day(3)})
			p.ids["substitute"] = p.bus(t, "9")["substitutes"].([]any)[0].(map[string]any)["id"]
		}, "asha bala ravi sami"},
		{"its own driver drives it after all", func(t *testing.T) {
			p.remove(t, "/school-admin/transport/substitute/"+at("substitute"))
		}, "asha bala ravi sami"},
		{"a bus has another driver", func(t *testing.T) {
			p.put(t, "/school-admin/transport/bus/"+p.bus7["id"].(string), map[string]any{"driverId": p.sami})
		}, "ravi sami"},

		{"a rider has another stop", func(t *testing.T) { p.ride(t, p.route, p.asha, 1, p.bala, 1) }, "asha"},
		{"riders are saved as they are", func(t *testing.T) { p.ride(t, p.route, p.asha, 1, p.bala, 1) }, ""},
		{"a rider is moved to another route", func(t *testing.T) {
			p.ride(t, p.route, p.bala, 1)
			p.ride(t, p.lake, p.asha, 0)
			minutesLater(t)
		}, "asha"},
		{"a rider is taken off a route, and put on no other", func(t *testing.T) {
			p.ride(t, p.lake)
			minutesLater(t)
		}, "asha"},
		{"somebody rides a bus that comes before long", func(t *testing.T) {
			p.trip(t, 1, "07:00")
			p.ride(t, p.route, p.bala, 1, p.dev, 0)
		}, "dev sami"},
		{"nobody rides any more", func(t *testing.T) {
			p.ride(t, p.route)
			minutesLater(t)
		}, "bala dev sami"},

		{"a substitution", func(t *testing.T) {
			slots := testkit.Get[map[string]any](t, p.admin, "/school-admin/timetable/division/"+p.five.DivisionID.String())["slots"].([]any)
			p.ids["slot"] = slots[0].(map[string]any)["id"]
			p.ids["substitution"] = p.made(t, "/school-admin/timetable/substitution",
				map[string]any{"slotId": p.ids["slot"], "date": p.monday(), "substituteTeacherId": p.nila})
		}, "nila"},
		{"a substitution is taken back, and classes are told", func(t *testing.T) {
			p.put(t, "/school-admin/setting", map[string]any{"substitutionsToClasses": true})
			p.remove(t, "/school-admin/timetable/substitution/"+at("substitution"))
		}, "asha bala nila"},
		{"a substitution, and classes are told", func(t *testing.T) {
			p.made(t, "/school-admin/timetable/substitution", map[string]any{"slotId": p.ids["slot"], "date": p.monday(), "substituteTeacherId": p.nila})
		}, "asha bala nila"},
		{"a teacher is absent, and classes are told", func(t *testing.T) {
			p.put(t, "/school-admin/timetable/cover", map[string]any{"date": p.monday().AddDays(7), "absentTeacherIds": []any{p.meera},
				"substitutions": []any{map[string]any{"slotId": p.ids["slot"], "substituteTeacherId": p.nila}}})
		}, "asha bala nila"},
		{"a timetable is changed", func(t *testing.T) {
			p.week(t, p.five, p.lesson(1, p.maths, p.meera), p.lesson(3, p.maths, p.meera))
		}, "asha bala meera"},
		{"a group has its first lesson", func(t *testing.T) { p.groupWeek(t, 4) }, ""},
		{"a group's lesson is on another day", func(t *testing.T) { p.groupWeek(t, 5) }, "asha nila"},
		{"a timetable is saved as it is", func(t *testing.T) {
			p.week(t, p.five, p.lesson(1, p.maths, p.meera), p.lesson(3, p.maths, p.meera))
		}, ""},
		{"a period is at another time", func(t *testing.T) {
			p.put(t, "/school-admin/timetable/period/"+p.period.String(), map[string]any{"startTime": "09:05"})
		}, "asha bala dev meera nila"},

		{"a fine is charged", func(t *testing.T) {
			p.post(t, "/school-admin/fee/fine", map[string]any{"studentId": p.asha.ID, "amount": 5000, "reason": "Broken window"})
		}, "asha"},
	} {
		c.do(t)
		if got := strings.Join(p.heard(t), " "); got != c.who {
			t.Errorf("%s: heard by %q, want %q", c.change, got, c.who)
		}
	}
	p.checkEveryChangeHasARow(t)
}

// TestPlans_ChangedAtNight_AreUrgentIfTheyBeginBeforeLong is the table of changes at 22:30: those of tomorrow go out at once and
// say so, those of a later day wait for the morning.
func TestPlans_ChangedAtNight_AreUrgentIfTheyBeginBeforeLong(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t, func(_ *config.Config, o *service.Options) { o.NoQuietHours = false })
	school := app.NewSchool(t)
	clock.onMonday(school, 22, 30)
	p := newPlanned(t, school, clock.Now)
	sent.without(p.asha.Parents[0].UserID)
	p.ids["exam"] = p.made(t, "/school-admin/exam/create", map[string]any{"name": "Half-yearly", "classIds": []uuid.UUID{p.five.ClassID}})
	p.schedule(t, false, p.paper(p.maths, p.day(10), "09:00", nil))
	p.post(t, fmt.Sprintf("/school-admin/exam/%s/publish", p.ids["exam"]), map[string]any{"what": "SCHEDULE"})
	omar := p.teacher(t, "omar", p.six)
	slots := p.week(t, p.five, p.lesson(2, p.maths, p.meera), p.lesson(4, p.maths, p.meera))
	trips := map[int]string{1: p.trip(t, 1, "07:00"), 3: p.trip(t, 3, "07:00")}
	p.heard(t)
	for _, c := range []struct {
		change string
		do     func(t *testing.T, day int)
	}{
		{"a paper is moved", func(t *testing.T, day int) { p.schedule(t, false, p.paper(p.maths, p.day(day), "09:00", nil)) }},
		{"an event is added", func(t *testing.T, day int) {
			p.made(t, "/school-admin/event/create", map[string]any{"title": "Sports day", "eventDate": p.day(day), "startTime": "10:00"})
		}},
		{"a trip is cancelled", func(t *testing.T, day int) {
			p.post(t, "/school-admin/transport/trip/"+trips[day]+"/cancel", map[string]any{"reason": "Flood"})
		}},
		{"a substitution", func(t *testing.T, day int) {
			p.made(t, "/school-admin/timetable/substitution", map[string]any{"slotId": slots[day/2].(map[string]any)["id"], "date": p.day(day),
				"substituteTeacherId": omar})
		}},
		{"a timetable is changed", func(t *testing.T, day int) {
			if day == 1 {
				p.week(t, p.five, p.lesson(2, p.art, p.meera))
			} else {
				p.week(t, p.five, p.lesson(2, p.maths, p.meera))
			}
		}},
		{"a holiday is declared", func(t *testing.T, day int) {
			p.made(t, "/school-admin/attendance/holiday/create", map[string]any{"name": "Flood", "startDate": p.day(day)})
		}},
	} {
		for _, day := range []int{3, 1} {
			p.do(t, `delete from notice`)
			c.do(t, day)
			var got struct{ Notices, Urgent, Endless int }
			err := p.DB(t).Raw(`select count(*) as notices, count(*) filter (where urgent) as urgent, count(*) filter (where until is null) as endless
				from notice`).Scan(&got).Error
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			if day == 1 {
				want = got.Notices
			}
			if got.Notices == 0 || got.Urgent != want {
				t.Errorf("%s, %d days ahead: %d of %d notices are urgent, want %d", c.change, day, got.Urgent, got.Notices, want)
			}
			if got.Endless > 0 && c.change != "a timetable is changed" {
				t.Errorf("%s, %d days ahead: %d notices are of use for ever", c.change, day, got.Endless)
			}
		}
	}
	// The school is closed: nobody waits for the morning, and who has no app gets an SMS.
	closed := func() []delivery.Message {
		return slices.DeleteFunc(by(delivery.SMS, sent.got(p.ID)), func(m delivery.Message) bool { return m.Title != "No school" })
	}
	testkit.Eventually(t, "an SMS is sent with no minute passed", func() bool { return len(closed()) > 0 })
	if m := closed()[0]; !strings.HasPrefix(m.Body, "There is no school tomorrow: Flood.") {
		t.Errorf("at 22:30 it says %q", m.Body)
	}
}

func TestHoliday_FarAhead_IsToldWhenItIsNear(t *testing.T) {
	t.Parallel()
	app, _, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	day := api.DateOf(clock.Now().In(o.Location())).AddDays(20)
	testkit.Post[map[string]any](t, o.admin, "/school-admin/attendance/holiday/create", map[string]any{"name": "Diwali", "startDate": day})
	o.settled(t, clock)
	told := func() int {
		return o.Count(t, "notification", "type = 'EVENT' and user_id = ?", asha.Parents[0].UserID)
	}
	if n := told(); n != 0 {
		t.Errorf("told %d times 20 days before, want 0", n)
	}
	clock.turn(7 * 24 * time.Hour)
	testkit.Eventually(t, "the family is told", func() bool { return told() == 1 })
}
