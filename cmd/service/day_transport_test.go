package service_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// busDay is the buses' part of a day at school, through the public API and Socket.IO alone.
type busDay struct {
	*day
	admin, driver   *testkit.Client
	bus, trip, home uuid.UUID
	children        []uuid.UUID
	parents         []*testkit.Client
}

func (d *busDay) furnish(t *testing.T) {
	d.admin = d.office
	phone := testkit.NewPhone()
	ravi := testkit.Post[roster.Employee](t, d.admin, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "phone": phone, "employeeType": "DRIVER"})
	d.bus = testkit.Post[transport.Bus](t, d.admin, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "capacity": 30, "driverId": ravi.ID}).ID
	d.driver = d.byPhone(t, "driver", phone)
	for i := range 4 {
		parent := testkit.NewPhone()
		child := testkit.Post[struct{ ID uuid.UUID }](t, d.admin, "/school-admin/student/create",
			map[string]any{"firstName": fmt.Sprintf("Child%d", i), "lastName": "Rao",
				"guardians": []any{map[string]any{"firstName": "Meera", "phone": parent, "relation": "MOTHER"}}})
		d.children = append(d.children, child.ID)
		d.parents = append(d.parents, d.byPhone(t, "parent", parent))
	}
	day := api.DateOf(time.Now().In(d.asSchool(t).Location()))
	for _, way := range []string{"pickup", "dropoff"} {
		route := testkit.Post[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/create",
			map[string]any{"name": "Hill Road " + way, "busId": d.bus, "direction": way, "stops": []any{
				map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59, "plannedTime": "07:00"},
				map[string]any{"name": "Lake", "lat": 12.99, "lng": 77.59, "plannedTime": "07:20"}}})
		var riders []any
		for i, c := range d.children {
			riders = append(riders, map[string]any{"studentId": c, "stopId": route.Stops[i%2].ID})
		}
		testkit.Put[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/"+route.ID.String()+"/students",
			map[string]any{"students": riders})
		trip := testkit.Post[transport.Scheduled](t, d.admin, "/school-admin/transport/trip/schedule",
			map[string]any{"routeId": route.ID, "tripType": way, "tripDate": day, "scheduledStartTime": "06:55"})
		if way == "pickup" {
			d.trip = trip.ID
		} else {
			d.home = trip.ID
		}
	}
}

func (d *busDay) notRiding(t *testing.T) {
	testkit.Post[transport.NotRidingAnswer](t, d.parents[3], "/parent/transport/not-riding", map[string]any{"studentId": d.children[3]})
}

func (d *busDay) command(t *testing.T, trip uuid.UUID, what string) testkit.Answer {
	t.Helper()
	return d.driver.Call(t, "POST", "/driver/bus-tracking/trips/"+trip.String()+"/"+what, map[string]any{})
}

// toldOf counts a parent's notices with a title.
func (d *busDay) toldOf(t *testing.T, child int, title string) int {
	t.Helper()
	return d.asSchool(t).Count(t, "notification", "student_id = ? and type = 'TRANSPORT' and title like ?", d.children[child], title)
}

func (d *busDay) start(t *testing.T) {
	if mine := testkit.Get[api.Page[transport.TripView]](t, d.driver, "/driver/trip/list"); mine.Total != 2 {
		t.Errorf("the driver's day %+v", mine)
	}
	for range 2 {
		if a := d.command(t, d.trip, "start"); a.Status != 200 {
			t.Fatalf("start: %d %s", a.Status, a.Body)
		}
	}
	for i, want := range []int{1, 1, 1, 0} {
		if n := d.toldOf(t, i, "The bus has started"); n != want {
			t.Errorf("the guardians of child %d were told %d times", i, n)
		}
	}
	list := testkit.Get[transport.TripStudents](t, d.driver, "/driver/student/list?tripId="+d.trip.String())
	if list.Counts["absent"] != 1 || list.Counts["waiting"] != 3 {
		t.Errorf("riders %+v", list.Counts)
	}
}

// position is so many metres along the route, some time ago.
func position(metres int, ago time.Duration) map[string]any {
	return map[string]any{"lat": 12.97 + float64(metres)/111_195, "lng": 77.59, "speed": 8, "heading": 0,
		"timestamp": time.Now().Add(-ago).UnixMilli()}
}

func (d *busDay) dial(t *testing.T, c *testkit.Client) *ioclient.Client {
	t.Helper()
	s, err := ioclient.Dial(t.Context(), d.at.next().URL, c.Token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func ask(t *testing.T, c *ioclient.Client, event string, data any) ioclient.Answer {
	t.Helper()
	a, err := c.Call(wait.Context(t), event, data)
	if err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	return a
}

func (d *busDay) drive(t *testing.T) {
	phone := d.dial(t, d.driver)
	// Forty positions of the last four minutes, with a tunnel between the 20th and the 40th.
	var missed []map[string]any
	var answers []<-chan json.RawMessage
	for i := range 60 {
		p := position(i*35, time.Duration(60-i)*time.Second)
		if i >= 20 && i < 40 {
			missed = append([]map[string]any{p}, missed...)
			continue
		}
		answer, err := phone.Ask("update-location", p)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	for i, answer := range answers {
		var a ioclient.Answer
		if err := json.Unmarshal(<-answer, &a); err != nil || !a.OK {
			t.Fatalf("position %d: %v %+v", i, err, a)
		}
	}
	testkit.Eventually(t, "the second stop's families are told", func() bool { return d.toldOf(t, 1, "The bus is near") == 1 })
	before := testkit.Get[transport.Live](t, d.parents[0], "/bus-tracking/bus/"+d.bus.String()+"/live")
	for range 2 {
		if a := d.driver.Call(t, "POST", "/driver/bus-tracking/trips/"+d.trip.String()+"/locations", map[string]any{"locations": missed}); a.Status != 200 {
			t.Fatalf("what was missed: %d %s", a.Status, a.Body)
		}
	}
	after := testkit.Get[transport.Live](t, d.parents[0], "/bus-tracking/bus/"+d.bus.String()+"/live")
	if before.Location == nil || after.Location == nil || after.Location.Lat != before.Location.Lat || after.IsStale {
		t.Errorf("the marker went from %+v to %+v", before.Location, after.Location)
	}
	trail := testkit.Get[transport.Trail](t, d.admin, "/school-admin/transport/trip/"+d.trip.String()+"/trail")
	if trail.Total != 60 {
		t.Errorf("the trail has %d positions", trail.Total)
	}
	for child, want := range map[int]int{0: 1, 1: 1, 2: 1, 3: 0} {
		if n := d.toldOf(t, child, "The bus is near"); n != want {
			t.Errorf("child %d: told %d times that the bus is near", child, n)
		}
	}
}

func (d *busDay) watch(t *testing.T) {
	room := map[string]any{"schoolId": d.school, "busId": d.bus}
	phone := d.dial(t, d.driver)
	stranger := d.dial(t, d.app.NewSchool(t).As(t, api.Parent))
	if a := ask(t, stranger, "join-bus-room", room); a.OK || a.Error == "" {
		t.Errorf("the stranger: %+v", a)
	}
	// Apps of three generations, over the transports they use, on three parents' phones.
	var apps []*appWatching
	for i, app := range [][2]string{{"2", "polling"}, {"3", "upgrade"}, {"4", "websocket"}} {
		apps = append(apps, d.openApp(t, app[0], app[1], d.parents[i]))
	}
	for _, app := range apps {
		app.until("it is in the room", func(line appLine) bool { return line.Joined })
	}
	p := position(2150, 0)
	if a := ask(t, phone, "update-location", p); !a.OK {
		t.Fatalf("the driver: %+v", a)
	}
	for _, app := range apps {
		app.until("it sees the bus", func(line appLine) bool { return line.Location != nil && line.Location.Lat == p["lat"] })
	}
	select {
	case e := <-stranger.Events:
		t.Errorf("the stranger heard %s %s", e.Name, e.Data)
	default:
	}
}

func (d *busDay) tap(t *testing.T, trip uuid.UUID, child int, status string) {
	t.Helper()
	testkit.Post[transport.Boarding](t, d.driver, "/driver/student/board",
		map[string]any{"tripId": trip, "studentId": d.children[child], "status": status})
}

func (d *busDay) board(t *testing.T) {
	d.tap(t, d.trip, 0, "boarded")
	d.tap(t, d.trip, 0, "boarded")
	d.tap(t, d.trip, 1, "boarded")
	d.tap(t, d.trip, 2, "no_show")
	if n := d.toldOf(t, 0, "On the bus"); n != 1 {
		t.Errorf("told %d times", n)
	}
	if n := d.toldOf(t, 2, "Not at the stop"); n != 1 {
		t.Errorf("told %d times", n)
	}
	testkit.Post[transport.Incident](t, d.driver, "/driver/incident/report",
		map[string]any{"busId": d.bus, "tripId": d.trip, "type": "traffic_jam", "description": "Ring road"})
	if list := testkit.Get[api.Page[transport.Incident]](t, d.parents[0], "/bus-tracking/incidents/"+d.bus.String()); list.Total != 1 {
		t.Errorf("incidents %+v", list)
	}
}

func (d *busDay) end(t *testing.T) {
	d.tap(t, d.trip, 0, "alighted")
	if a := d.command(t, d.trip, "end"); a.Status != 409 || !strings.Contains(a.Failure(t).Message, "Child1 Rao") {
		t.Fatalf("with a child aboard: %d %s", a.Status, a.Body)
	}
	d.tap(t, d.trip, 1, "alighted")
	if a := d.command(t, d.trip, "end"); a.Status != 200 {
		t.Fatalf("end: %d %s", a.Status, a.Body)
	}
}

// mismatch has the teacher's mark as the fact that other modules hear of it by.
func (d *busDay) mismatch(t *testing.T) {
	s := d.asSchool(t)
	fact := fmt.Sprintf(`{"divisionId": %q, "date": %q, "absent": [%q, %q]}`, uuid.New(), today(s), d.children[1], d.children[2])
	if err := s.DB(t).Exec(`insert into outbox (id, kind, payload, occurred_at) values (?, 'attendance.marked', ?, now())`, api.NewID(),
		fact).Error; err != nil {
		t.Fatal(err)
	}
	d.app.Service.Relay.Wake(d.school)
	testkit.Eventually(t, "the office is alerted", func() bool {
		return s.Count(t, "notification", "title like 'Came by bus%' and body like '%Child1 Rao%'") == 1
	})
	if n := s.Count(t, "notification", "title like 'Came by bus%'"); n != 1 {
		t.Errorf("the office has %d alerts", n)
	}
}

func (d *busDay) driveHome(t *testing.T) {
	if a := d.command(t, d.home, "start"); a.Status != 200 {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
	for i, status := range []string{"boarded", "boarded", "absent"} {
		d.tap(t, d.home, i, status)
	}
	d.tap(t, d.home, 0, "alighted")
	d.tap(t, d.home, 1, "alighted")
	if a := d.command(t, d.home, "end"); a.Status != 200 {
		t.Fatalf("end: %d %s", a.Status, a.Body)
	}
	if n := d.asSchool(t).Count(t, "boarding", "status in ('waiting', 'boarded')"); n != 0 {
		t.Errorf("%d children are unaccounted for", n)
	}
	if n := d.asSchool(t).Count(t, "boarding", "true"); n != 8 {
		t.Errorf("the log of the day has %d lines", n)
	}
	written := d.asSchool(t).Count(t, "location", "true")
	var counted, lost float64 // by whichever instance a position came to
	for _, app := range d.at.apps {
		m := scrape(t, app.URL)
		counted += m[`homeroom_positions_total{outcome="written"}`]
		lost += m[`homeroom_positions_total{outcome="lost"}`]
	}
	if counted < float64(written) || lost != 0 {
		t.Errorf("of %d positions in the trail the metrics say %v written, %v lost", written, counted, lost)
	}
}
