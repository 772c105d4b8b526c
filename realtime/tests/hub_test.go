package realtime_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/transport"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// line is a school with a bus on its way: a driver, and a parent whose child rides.
type line struct {
	*testkit.School
	admin, driver, parent *testkit.Client
	bus, trip, child      uuid.UUID
	began                 time.Time
}

func newLine(t *testing.T, app *testkit.App) *line {
	t.Helper()
	l := &line{School: app.NewSchool(t), began: time.Now()}
	l.admin, l.driver, l.parent = l.As(t, api.SchoolAdmin), l.As(t, api.Driver), l.As(t, api.Parent)
	driver := api.NewID()
	l.exec(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type) values (?, ?, 'E1', 'Ravi', '', 'DRIVER')`,
		driver, l.driver.UserID)
	l.bus = testkit.Post[transport.Bus](t, l.admin, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "driverId": driver}).ID
	route := testkit.Post[transport.RouteDetail](t, l.admin, "/school-admin/transport/route/create",
		map[string]any{"name": "Morning", "busId": l.bus, "direction": "pickup",
			"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59},
				map[string]any{"name": "Lake", "lat": 12.99, "lng": 77.59}}})
	l.child = testkit.Post[struct{ ID uuid.UUID }](t, l.admin, "/school-admin/student/create", map[string]any{"firstName": "Asha"}).ID
	l.exec(t, `with g as (insert into guardian (id, user_id, first_name, phone) select ?, id, 'Meera', phone from app_user where id = ?
		returning id)
		insert into student_guardian (id, student_id, guardian_id, relation) select ?, ?, id, 'MOTHER'
		from g`, api.NewID(), l.parent.UserID, api.NewID(), l.child)
	testkit.Put[transport.RouteDetail](t, l.admin, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": []any{map[string]any{"studentId": l.child, "stopId": route.Stops[1].ID}}})
	l.trip = testkit.Post[transport.Scheduled](t, l.admin, "/school-admin/transport/trip/schedule",
		map[string]any{"routeId": route.ID, "tripDate": api.DateOf(time.Now().In(l.Location())), "scheduledStartTime": "07:00"}).ID
	return l
}

func (l *line) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := l.DB(t).Exec(sql, args...).Error; err != nil {
		t.Fatal(err)
	}
}

// only is the id of a table's only row.
func (l *line) only(t *testing.T, table string) uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	if err := l.DB(t).Table(table).Pluck("id", &ids).Error; err != nil || len(ids) != 1 {
		t.Fatalf("%v %v", ids, err)
	}
	return ids[0]
}

func (l *line) command(t *testing.T, what string) {
	t.Helper()
	if a := l.driver.Call(t, "POST", "/driver/bus-tracking/trips/"+l.trip.String()+"/"+what, map[string]any{}); a.Status != 200 {
		t.Fatalf("%s: %d %s", what, a.Status, a.Body)
	}
}

// dial connects somebody to an instance. As any client it comes back where a full machine was too slow to say who it is.
func dial(t *testing.T, app *testkit.App, c *testkit.Client) *ioclient.Client {
	t.Helper()
	var client *ioclient.Client
	testkit.Eventually(t, "connecting", func() bool {
		var err error
		client, err = ioclient.Dial(t.Context(), app.URL, c.Token)
		if err != nil && !strings.Contains(err.Error(), `"statusCode":503`) {
			t.Fatalf("connecting: %v", err)
		}
		return err == nil
	})
	t.Cleanup(client.Close)
	return client
}

func call(t *testing.T, c *ioclient.Client, event string, data any) ioclient.Answer {
	t.Helper()
	a, err := c.Call(wait.Context(t), event, data)
	if err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	return a
}

// must is call for what has to succeed.
func must(t *testing.T, c *ioclient.Client, event string, data any) {
	t.Helper()
	if a := call(t, c, event, data); !a.OK {
		t.Fatalf("%s: %+v", event, a)
	}
}

func (l *line) room() map[string]any { return map[string]any{"schoolId": l.ID, "busId": l.bus} }

// at is a position n metres along the route, as of now.
func at(n int) map[string]any {
	return map[string]any{"lat": 12.97 + float64(n)/111_000, "lng": 77.59, "speed": 8.5, "heading": 0, "timestamp": time.Now().UnixMilli()}
}

type seen struct {
	BusID, TripID, StudentID uuid.UUID
	Lat, Lng, Speed          float64
	Timestamp                time.Time
	Status                   string
	EtaSeconds               *int
}

// hears waits for an event that fits.
func hears(t *testing.T, c *ioclient.Client, name string, fits func(seen) bool) seen {
	t.Helper()
	for limit := time.After(wait.Limit); ; {
		select {
		case e := <-c.Events:
			var s seen
			if err := json.Unmarshal(e.Data, &s); err != nil {
				t.Fatalf("%s: %v %s", e.Name, err, e.Data)
			}
			if e.Name == name && fits(s) {
				return s
			}
		case <-c.Closed:
			t.Fatalf("the connection ended while waiting for %s: %v", name, c.Err())
		case <-limit:
			t.Fatalf("did not hear %s", name)
		}
	}
}

func anything(seen) bool { return true }

func cutOff(t *testing.T, c *ioclient.Client, why error) {
	t.Helper()
	select {
	case <-c.Closed:
		if why != nil && !errors.Is(c.Err(), why) {
			t.Errorf("cut off with %v", c.Err())
		}
	case <-time.After(wait.Limit):
		t.Error("still connected")
	}
}

func TestWhoWatchesABusSeesItMoveAndAJoinerSeesWhereItIs(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l := newLine(t, app)
	l.command(t, "start")
	l.permit(t, api.Teacher, true, false)
	parent, driver, teacher := dial(t, app, l.parent), dial(t, app, l.driver), dial(t, app, l.As(t, api.Teacher))
	for _, c := range []*ioclient.Client{parent, driver, teacher} {
		must(t, c, "join-bus-room", l.room())
	}
	hears(t, parent, "trip-status", func(s seen) bool { return s.Status == "in_progress" && s.TripID == l.trip })
	sent := at(100)
	must(t, driver, "update-location", sent)
	for _, c := range []*ioclient.Client{parent, teacher, driver} {
		if s := hears(t, c, "location", anything); s.BusID != l.bus || s.TripID != l.trip || s.Lat != sent["lat"] || s.Speed != 8.5 ||
			s.Timestamp.UnixMilli() != sent["timestamp"] {
			t.Errorf("heard %+v", s)
		}
	}
	hears(t, parent, "eta", func(s seen) bool { return s.EtaSeconds != nil })
	if n := l.Count(t, "location", "trip_id = ?", l.trip); n != 1 {
		t.Errorf("an acknowledged position is not in the trail: %d", n)
	}
	late := dial(t, app, l.admin)
	must(t, late, "join-bus-room", l.room())
	hears(t, late, "location", func(s seen) bool { return s.Lat == sent["lat"] })

	// How a child boards is the affair of its people and the staff.
	other := newRider(t, l)
	stranger := dial(t, app, other)
	must(t, stranger, "join-bus-room", l.room())
	if a := l.driver.Call(t, "POST", "/driver/student/board", map[string]any{"tripId": l.trip, "studentId": l.child, "status": "boarded"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for _, c := range []*ioclient.Client{parent, teacher, driver, late} {
		if s := hears(t, c, "boarding", anything); s.StudentID != l.child || s.Status != "boarded" {
			t.Errorf("heard %+v", s)
		}
	}
	if a := l.driver.Call(t, "POST", "/driver/incident/report", map[string]any{"busId": l.bus, "type": "traffic_jam"}); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for limit := time.After(wait.Limit); ; {
		select {
		case e := <-stranger.Events:
			if e.Name == "boarding" {
				t.Fatalf("another parent heard %s", e.Data)
			}
			if e.Name != "incident" {
				continue
			}
		case <-limit:
			t.Fatal("no incident was heard")
		}
		break
	}
	must(t, parent, "leave-bus-room", l.room())
	l.command(t, "pause")
	hears(t, late, "trip-status", func(s seen) bool { return s.Status == "paused" })
	testkit.Eventually(t, "a paused bus reports nothing", func() bool { return !call(t, driver, "update-location", at(120)).OK })
}

// newRider is the parent of another child on the bus.
func newRider(t *testing.T, l *line) *testkit.Client {
	t.Helper()
	parent, child := l.As(t, api.Parent), api.NewID()
	l.exec(t, `insert into student (id, admission_number, first_name, admission_date) values (?, ?, 'Bela', current_date)`, child,
		child.String())
	l.exec(t, `insert into ride (id, student_id, route_id, stop_id, direction, start_date)
		select ?, ?, route_id, stop_id, direction, start_date from ride limit 1`, api.NewID(), child)
	l.exec(t, `with g as (insert into guardian (id, user_id, first_name, phone) select ?, id, 'Tara', phone from app_user where id = ?
		returning id)
		insert into student_guardian (id, student_id, guardian_id, relation) select ?, ?, id, 'MOTHER'
		from g`, api.NewID(), parent.UserID, api.NewID(), child)
	return parent
}

func TestWhoMayNotGetsAnErrorAndNothingIsStoredOrSentOn(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l, elsewhere := newLine(t, app), newLine(t, app)
	watcher := dial(t, app, l.admin)
	must(t, watcher, "join-bus-room", l.room())
	driver := dial(t, app, l.driver)
	if a := call(t, driver, "update-location", at(0)); a.OK || a.Error != "Conflict" {
		t.Errorf("no trip is running: %+v", a)
	}
	l.command(t, "start")
	elsewhere.command(t, "start")

	for who, c := range map[string]*testkit.Client{"another school's parent": elsewhere.parent, "another school's admin": elsewhere.admin,
		"a parent without a rider": l.As(t, api.Parent), "a driver of no bus": l.As(t, api.Driver)} {
		s := dial(t, app, c)
		if a := call(t, s, "join-bus-room", l.room()); a.OK || a.Error == "" || a.Message == "" {
			t.Errorf("%s joined: %+v", who, a)
		}
		forged := map[string]any{"schoolId": elsewhere.ID, "busId": l.bus}
		if a := call(t, s, "join-bus-room", forged); a.OK {
			t.Errorf("%s joined with another schoolId: %+v", who, a)
		}
	}
	forger := dial(t, app, l.parent)
	if a := call(t, forger, "join-bus-room", map[string]any{"schoolId": elsewhere.ID, "busId": l.bus}); a.OK ||
		a.Error != "PERMISSION_DENIED" {
		t.Errorf("a forged schoolId: %+v", a)
	}
	other := l.As(t, api.Driver)
	l.exec(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, 'E2', 'Mohan', '', 'DRIVER')`, api.NewID(), other.UserID)
	for who, c := range map[string]*testkit.Client{"a parent": l.parent, "an admin": l.admin, "a driver of another bus": other} {
		if a := call(t, dial(t, app, c), "update-location", at(50)); a.OK {
			t.Errorf("%s moved the bus: %+v", who, a)
		}
	}
	for what, data := range map[string]any{
		"out of range": map[string]any{"lat": 91, "lng": 0}, "nowhere": map[string]any{"lat": 0, "lng": 0},
		"words": map[string]any{"lat": "a", "lng": "b"}, "nothing": nil, "a list": []int{1},
		"the future": map[string]any{"lat": 12.97, "lng": 77.59, "timestamp": time.Now().Add(time.Hour).UnixMilli()},
		"long ago":   map[string]any{"lat": 12.97, "lng": 77.59, "timestamp": 1000},
	} {
		if a := call(t, driver, "update-location", data); a.OK {
			t.Errorf("%s: %+v", what, a)
		}
	}
	if a := call(t, driver, "no-such-event", nil); a.OK {
		t.Errorf("%+v", a)
	}
	if n := l.Count(t, "location", "true"); n != 0 {
		t.Errorf("%d positions were stored", n)
	}
	must(t, driver, "update-location", at(10))
	must(t, driver, "update-location", at(10))
	if a := call(t, driver, "update-location", at(90_000)); a.OK {
		t.Errorf("an impossible jump: %+v", a)
	}
	if s := hears(t, watcher, "location", anything); s.BusID != l.bus || s.Lat != at(10)["lat"] {
		t.Errorf("the watcher's first position is %+v", s)
	}
	if _, err := ioclient.Dial(t.Context(), app.URL, "nonsense"); !errors.Is(err, ioclient.ErrRefused) {
		t.Errorf("a bad token: %v", err)
	}
}

func TestABusReportsFiveTimesASecondAndNoMore(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.PositionsPerSecond = 0 })
	l := newLine(t, app)
	l.command(t, "start")
	driver := dial(t, app, l.driver)
	began, good := time.Now(), 0
	var answers []<-chan json.RawMessage
	for i := range 30 {
		p := at(i)
		p["timestamp"] = time.Now().Add(time.Duration(i) * time.Millisecond).UnixMilli()
		answer, err := driver.Ask("update-location", p)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		var a ioclient.Answer
		if err := json.Unmarshal(<-answer, &a); err != nil {
			t.Fatal(err)
		}
		if a.OK {
			good++
		} else if a.Error != "Too Many Requests" {
			t.Errorf("%+v", a)
		}
	}
	if most := 6 + int(5*time.Since(began).Seconds()); good < 5 || good > most {
		t.Errorf("%d of 30 were taken, want at most %d", good, most)
	}
}

func TestASocketLivesNoLongerThanItsSession(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l := newLine(t, app)
	two := testkit.Start(t)
	here, there := dial(t, app, l.parent), dial(t, two, l.parent)
	if a := l.parent.Call(t, "POST", "/auth/logout", map[string]any{}); a.Status != 200 {
		t.Fatalf("logout: %d %s", a.Status, a.Body)
	}
	cutOff(t, here, ioclient.ErrSignedOut)
	cutOff(t, there, ioclient.ErrSignedOut)
	driver := dial(t, two, l.driver)
	if a := app.SuperAdmin(t).Call(t, "POST", "/super-admin/school/"+l.ID.String()+"/suspend", nil); a.Status != 200 {
		t.Fatalf("suspend: %d %s", a.Status, a.Body)
	}
	cutOff(t, driver, ioclient.ErrSignedOut)
	if _, err := ioclient.Dial(t.Context(), app.URL, l.admin.Token); !errors.Is(err, ioclient.ErrRefused) {
		t.Errorf("a suspended school: %v", err)
	}
}

func TestRenewKeepsASocketPastItsTokensEnd(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	l := newLine(t, app)
	kept, dropped := dial(t, app, l.admin), dial(t, app, l.admin)
	must(t, kept, "join-bus-room", l.room())
	clock.Pass(10 * time.Minute)
	if a := call(t, kept, "renew", map[string]any{"token": l.parent.Token}); a.OK {
		t.Errorf("somebody else's token: %+v", a)
	}
	fresh := app.Sign(t, l.School, l.admin, api.SchoolAdmin)
	must(t, kept, "renew", map[string]any{"token": fresh})
	clock.Pass(6 * time.Minute)
	cutOff(t, dropped, ioclient.ErrDropped)
	must(t, kept, "leave-bus-room", l.room())
}

func TestAParentIsOutOfTheRoomAsSoonAsTheyMayNotSeeTheChildOrItRidesNoMore(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	for what, end := range map[string]func(*testing.T, *line){
		"unlinked": func(t *testing.T, l *line) {
			path := "/school-admin/student/" + l.child.String() + "/guardians/" + l.only(t, "guardian").String()
			if a := l.admin.Call(t, "PUT", path, map[string]any{"canViewData": false}); a.Status != 200 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
		},
		"off the bus": func(t *testing.T, l *line) {
			testkit.Put[transport.RouteDetail](t, l.admin, "/school-admin/transport/route/"+l.only(t, "route").String()+"/students",
				map[string]any{"students": []any{}})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := newLine(t, app)
			parent := dial(t, app, l.parent)
			must(t, parent, "join-bus-room", l.room())
			if n := app.Service.Hub.Members(l.ID, l.bus); n != 1 {
				t.Fatalf("%d are in the room", n)
			}
			end(t, l)
			testkit.Eventually(t, "the parent is out", func() bool { return app.Service.Hub.Members(l.ID, l.bus) == 0 })
		})
	}
}
