package transport_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

// depot is a school with a bus, its driver, a morning route of three stops a kilometre
// apart, and children who ride it with their parents.
type depot struct {
	*testkit.School
	admin    *testkit.Client
	driver   *testkit.Client
	driverID uuid.UUID // the employee
	bus      transport.Bus
	route    transport.RouteDetail
	children []child
}

type child struct {
	id     uuid.UUID
	name   string
	parent *testkit.Client
}

// The stops go north from here, about 1,110 metres each.
const (
	baseLat, baseLng = 12.97, 77.59
	step             = 0.01
)

func newDepot(t *testing.T, children int) *depot {
	t.Helper()
	return furnish(t, testkit.NewSchool(t), children)
}

func furnish(t *testing.T, s *testkit.School, children int) *depot {
	t.Helper()
	d := &depot{School: s, admin: s.As(t, api.SchoolAdmin)}
	d.driver, d.driverID = d.hire(t)
	d.bus = testkit.Post[transport.Bus](t, d.admin, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": "7", "capacity": 40, "driverId": d.driverID})
	d.route = d.newRoute(t, "Hill Road, morning", "pickup", d.bus.ID)
	for i := range children {
		d.children = append(d.children, d.admit(t, string(rune('A'+i))+"sha"))
	}
	d.ride(t, d.route, d.children...)
	return d
}

// hire signs a driver in who is an employee of the school.
func (d *depot) hire(t *testing.T) (*testkit.Client, uuid.UUID) {
	t.Helper()
	client, id := d.As(t, api.Driver), api.NewID()
	err := d.DB(t).Exec(`insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, ?, 'Ravi', '', 'DRIVER')`, id, client.UserID, id.String()).Error
	if err != nil {
		t.Fatal(err)
	}
	return client, id
}

func (d *depot) newRoute(t *testing.T, name, direction string, bus uuid.UUID) transport.RouteDetail {
	t.Helper()
	stop := func(i int, name, at string) map[string]any {
		return map[string]any{"name": name, "lat": baseLat + float64(i)*step, "lng": baseLng, "plannedTime": at}
	}
	return testkit.Post[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/create",
		map[string]any{"name": name, "busId": bus, "direction": direction,
			"stops": []any{stop(0, "Temple", "07:00"), stop(1, "Market", "07:10"), stop(2, "Lake", "07:20")}})
}

// admit makes a student with one parent, who is signed in.
func (d *depot) admit(t *testing.T, name string) child {
	t.Helper()
	s := testkit.Post[struct{ ID uuid.UUID }](t, d.admin, "/school-admin/student/create",
		map[string]any{"firstName": name, "lastName": "Rao"})
	c := child{id: s.ID, name: name + " Rao", parent: d.As(t, api.Parent)}
	guardian := api.NewID()
	err := d.DB(t).Exec(`with g as (insert into guardian (id, user_id, first_name, phone) select ?, id, 'Meera', phone from app_user
		where id = ? returning id)
		insert into student_guardian (id, student_id, guardian_id, relation) select ?, ?, id, 'MOTHER'
		from g`, guardian, c.parent.UserID, api.NewID(), c.id).Error
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ride has the children ride a route: the first at the first stop, and so on.
func (d *depot) ride(t *testing.T, route transport.RouteDetail, children ...child) {
	t.Helper()
	entries := []map[string]any{}
	for i, c := range children {
		entries = append(entries, map[string]any{"studentId": c.id, "stopId": route.Stops[i%len(route.Stops)].ID})
	}
	testkit.Put[transport.RouteDetail](t, d.admin, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": entries})
}

func (d *depot) today() string { return api.DateOf(time.Now().In(d.Location())).String() }

func (d *depot) inDays(n int) string {
	return api.DateOf(time.Now().In(d.Location())).AddDays(n).String()
}

// schedule schedules a trip of today.
func (d *depot) schedule(t *testing.T, route uuid.UUID, at string) transport.Scheduled {
	t.Helper()
	return testkit.Post[transport.Scheduled](t, d.admin, "/school-admin/transport/trip/schedule",
		map[string]any{"routeId": route, "tripDate": d.today(), "scheduledStartTime": at})
}

// start schedules a trip of the route and starts it.
func (d *depot) start(t *testing.T) uuid.UUID {
	t.Helper()
	trip := d.schedule(t, d.route.ID, "07:00")
	if got := d.command(t, trip.ID, "start"); got.Status != "in_progress" {
		t.Fatalf("started: %+v", got.Trip)
	}
	return trip.ID
}

func (d *depot) command(t *testing.T, trip uuid.UUID, what string) transport.TripDetail {
	t.Helper()
	return testkit.Post[transport.TripDetail](t, d.driver, "/driver/bus-tracking/trips/"+trip.String()+"/"+what, map[string]any{})
}

func (d *depot) board(t *testing.T, trip uuid.UUID, c child, status string) transport.Boarding {
	t.Helper()
	return testkit.Post[transport.Boarding](t, d.driver, "/driver/student/board",
		map[string]any{"tripId": trip, "studentId": c.id, "status": status})
}

// told counts what a parent was told with a title, besides that the child rides, with which a depot begins.
func (d *depot) told(t *testing.T, c *testkit.Client, title string) int {
	t.Helper()
	return d.Count(t, "notification", "user_id = ? and type = 'TRANSPORT' and title like ? and title <> 'School bus'", c.UserID, title)
}
