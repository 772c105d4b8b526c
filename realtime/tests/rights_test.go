package realtime_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/rbac"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// permit gives a role of the school rights on transport, or takes them.
func (l *line) permit(t *testing.T, role api.RoleType, read, write bool) {
	t.Helper()
	l.permitRole(t, rbac.RoleID(l.ID, role), read, write)
}

func (l *line) permitRole(t *testing.T, role uuid.UUID, read, write bool) {
	t.Helper()
	for _, m := range testkit.Get[struct{ Modules []rbac.Module }](t, l.admin, "/school-admin/permission/modules").Modules {
		if m.Name != "transport" {
			continue
		}
		a := l.admin.Call(t, "PUT", "/school-admin/permission/update",
			map[string]any{"roleId": role, "permissions": []map[string]any{{"moduleId": m.ID, "canRead": read, "canWrite": write}}})
		if a.Status != 200 {
			t.Fatalf("changing permissions: %d %s", a.Status, a.Body)
		}
		return
	}
	t.Fatal("there is no module transport")
}

func (l *line) livePath() string { return "/bus-tracking/bus/" + l.bus.String() + "/live" }

// teacher signs somebody in who holds a role of their own, of teachers.
func (l *line) teacher(t *testing.T) (c *testkit.Client, role uuid.UUID) {
	t.Helper()
	role = testkit.Post[rbac.Role](t, l.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Bus duty", "type": "TEACHER"}).ID
	c = l.As(t, api.Teacher)
	l.exec(t, `update app_user set role_id = ? where id = ?`, role, c.UserID)
	l.App.Service.Auth.SessionsChanged(c.UserID)
	return c, role
}

// Each role with and without the right: the two ways in say the same.
func TestJoin_AnswersAsTheEndpointDoes(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l := newLine(t, app)
	people := map[api.RoleType]*testkit.Client{api.SchoolAdmin: l.admin, api.Teacher: l.As(t, api.Teacher), api.Parent: l.parent,
		api.Driver: l.driver}
	check := func(when string, role api.RoleType, want int) {
		t.Helper()
		c := people[role]
		testkit.Eventually(t, when, func() bool { return c.Call(t, "GET", l.livePath(), nil).Status == want })
		a := call(t, dial(t, app, c), "join-bus-room", l.room())
		if got := a.StatusCode; want != 200 && got != want {
			t.Errorf("%s, %s: the endpoint answers %d, a join %+v", when, role, want, a)
		}
		if a.OK != (want == 200) {
			t.Errorf("%s, %s: the endpoint answers %d, a join %+v", when, role, want, a)
		}
	}
	check("in a new school", api.Teacher, 403)
	for _, role := range []api.RoleType{api.Teacher, api.Parent, api.Driver} {
		l.permit(t, role, true, true)
		check("given the right", role, 200)
		l.permit(t, role, false, false)
		check("without the right", role, 403)
	}
	check("all the time", api.SchoolAdmin, 200)
	l.permit(t, api.SchoolAdmin, false, false)
	check("without the right", api.SchoolAdmin, 403)
}

func TestReport_NeedsTheRightOfTheEndpoint(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l := newLine(t, app)
	l.command(t, "start")
	driver := dial(t, app, l.driver)
	must(t, driver, "update-location", at(10))
	l.permit(t, api.Driver, true, false)
	testkit.Eventually(t, "the driver reports no more", func() bool { return call(t, driver, "update-location", at(20)).StatusCode == 403 })
	for role, c := range map[string]*testkit.Client{"a parent": l.parent, "the office": l.admin} {
		if a := call(t, dial(t, app, c), "update-location", at(30)); a.StatusCode != 403 {
			t.Errorf("%s reports: %+v", role, a)
		}
	}
}

// Whatever takes the sight of a bus away takes people out of its room, on every instance.
func TestRoom_IsLeftWithTheRight(t *testing.T) {
	t.Parallel()
	one, two := testkit.Shared(t), testkit.Start(t)
	second := func(t *testing.T, l *line) uuid.UUID {
		id := api.NewID()
		l.exec(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
			values (?, ?, 'E2', 'Mohan', '', 'DRIVER')`, id, l.As(t, api.Driver).UserID)
		return id
	}
	today := func(l *line) api.Date { return api.DateOf(time.Now().In(l.Location())) }
	for what, c := range map[string]struct {
		who func(*testing.T, *line) *testkit.Client
		end func(*testing.T, *line)
	}{
		"a parent's right": {
			func(_ *testing.T, l *line) *testkit.Client { return l.parent },
			func(t *testing.T, l *line) { l.permit(t, api.Parent, false, false) },
		},
		"a driver's right": {
			func(_ *testing.T, l *line) *testkit.Client { return l.driver },
			func(t *testing.T, l *line) { l.permit(t, api.Driver, false, false) },
		},
		"a teacher's right": {
			func(t *testing.T, l *line) *testkit.Client {
				l.permit(t, api.Teacher, true, false)
				return l.As(t, api.Teacher)
			},
			func(t *testing.T, l *line) { l.permit(t, api.Teacher, false, false) },
		},
		"the right of a role of the school's own": {
			func(t *testing.T, l *line) *testkit.Client {
				c, role := l.teacher(t)
				l.permitRole(t, role, true, false)
				return c
			},
			func(t *testing.T, l *line) {
				var roles []uuid.UUID
				if err := l.DB(t).Raw(`select id from role where name = 'Bus duty'`).Scan(&roles).Error; err != nil {
					t.Fatal(err)
				}
				l.permitRole(t, roles[0], false, false)
			},
		},
		"a driver who is replaced": {
			func(_ *testing.T, l *line) *testkit.Client { return l.driver },
			func(t *testing.T, l *line) {
				testkit.Put[transport.BusDetail](t, l.admin, "/school-admin/transport/bus/"+l.bus.String()+"/driver",
					map[string]any{"driverId": second(t, l)})
			},
		},
		"a driver with a substitute": {
			func(_ *testing.T, l *line) *testkit.Client { return l.driver },
			func(t *testing.T, l *line) {
				testkit.Put[transport.BusDetail](t, l.admin, "/school-admin/transport/bus/"+l.bus.String()+"/driver",
					map[string]any{"driverId": second(t, l), "fromDate": today(l), "toDate": today(l)})
			},
		},
		"another bus": {
			func(_ *testing.T, l *line) *testkit.Client { return l.parent },
			func(t *testing.T, l *line) {
				bus := testkit.Post[transport.Bus](t, l.admin, "/school-admin/transport/bus/create", map[string]any{"busNumber": "8"}).ID
				testkit.Put[transport.TripDetail](t, l.admin, "/school-admin/transport/trip/"+l.trip.String(), map[string]any{"busId": bus})
				testkit.Put[transport.RouteDetail](t, l.admin, "/school-admin/transport/route/"+l.only(t, "route").String(),
					map[string]any{"busId": bus})
			},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := newLine(t, one)
			who := c.who(t, l)
			for _, app := range []*testkit.App{one, two} {
				watcher := dial(t, app, who)
				testkit.Eventually(t, "the room is joined", func() bool { return call(t, watcher, "join-bus-room", l.room()).OK })
			}
			c.end(t, l)
			for _, app := range []*testkit.App{one, two} {
				testkit.Eventually(t, "the room is left", func() bool { return app.Service.Hub.Members(l.ID, l.bus) == 0 })
			}
		})
	}
}

// Who drives the bus that day sees where it is; who boards is the affair of the trip's driver.
func TestDriver_HearsWhoBoardsOnTheirOwnTripAlone(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	l := newLine(t, app)
	second, employee := l.As(t, api.Driver), api.NewID()
	l.exec(t, `insert into employee (id, user_id, employee_code, first_name, phone, employee_type)
		values (?, ?, 'E2', 'Mohan', '', 'DRIVER')`, employee, second.UserID)
	testkit.Post[transport.Scheduled](t, l.admin, "/school-admin/transport/trip/schedule", map[string]any{
		"routeId": l.only(t, "route"), "driverId": employee, "tripDate": api.DateOf(time.Now().In(l.Location())), "scheduledStartTime": "17:00"})
	other, mine := dial(t, app, second), dial(t, app, l.driver)
	must(t, other, "join-bus-room", l.room())
	must(t, mine, "join-bus-room", l.room())
	l.command(t, "start")
	second.Refuses(t, "GET", "/bus-tracking/trip/"+l.trip.String()+"/students", nil, 404, "")
	if a := l.driver.Call(t, "POST", "/driver/student/board", map[string]any{"tripId": l.trip, "studentId": l.child, "status": "boarded"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if s := hears(t, mine, "boarding", anything); s.StudentID != l.child {
		t.Errorf("the trip's driver heard %+v", s)
	}
	if a := l.driver.Call(t, "POST", "/driver/incident/report", map[string]any{"busId": l.bus, "type": "traffic_jam"}); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for {
		e := wait.Receive[ioclient.Event](t, "an incident is heard", other.Events)
		if e.Name == "boarding" {
			t.Fatalf("the driver of another trip heard %s", e.Data)
		}
		if e.Name == "incident" {
			return
		}
	}
}
