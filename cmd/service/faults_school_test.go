package service_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// anyMark finds the mark of any school in an answer.
var anyMark = regexp.MustCompile(`Qz\d\dzQ`)

// marked is a school whose every record carries its mark, with the people who use it.
type marked struct {
	*testkit.School
	mark     string
	today    api.Date
	seat     testkit.Seat
	children []testkit.Child
	office   *testkit.Client
	teacher  *testkit.Client
	driver   *testkit.Client
	phones   []string // the parents', in the children's order
	bus      uuid.UUID
	trip     uuid.UUID
	people   map[*testkit.Client]tokens.Access // all who call
	books    books
}

// pin is what the first parents of a school sign in with; so many have one.
const (
	pin     = "4826"
	withPIN = 2
)

func newMarked(t *testing.T, app *testkit.App, number, children int) *marked {
	t.Helper()
	s := &marked{mark: fmt.Sprintf("Qz%02dzQ", number)}
	s.School = app.NewSchoolAs(t, lifecycle.NewSchool{Name: s.mark, WeekendDays: []int16{}})
	s.today = today(s.School)
	s.seat = s.Seat(t, s.mark)
	for range children {
		child := s.Child(t, s.seat, 1)
		s.children = append(s.children, child)
		s.phones = append(s.phones, s.Phone(t, child.Parents[0]))
	}
	s.office, s.teacher = s.As(t, api.SchoolAdmin), s.Teacher(t, s.seat)
	for _, table := range []string{"student", "guardian", "employee"} {
		if err := s.DB(t).Exec(`update ` + table + ` set last_name = '` + s.mark + `'`).Error; err != nil {
			t.Fatal(err)
		}
	}
	for _, child := range s.children[:withPIN] {
		if a := child.Parents[0].Call(t, "POST", "/parent/user-auth/set-pin", map[string]any{"pin": pin}); a.Status != 200 {
			t.Fatalf("set-pin: %d %s", a.Status, a.Body)
		}
	}
	s.rides(t)
	s.people = map[*testkit.Client]tokens.Access{}
	clients := []*testkit.Client{s.office, s.teacher, s.driver}
	for _, child := range s.children {
		clients = append(clients, child.Parents...)
	}
	for _, client := range clients {
		access, err := s.App.Service.Tokens.ReadAccess(client.Token)
		if err != nil {
			t.Fatal(err)
		}
		s.people[client] = access
	}
	return s
}

// rides gives the school a bus that all children ride, on its way.
func (s *marked) rides(t *testing.T) {
	t.Helper()
	phone := testkit.NewPhone()
	ravi := testkit.Post[roster.Employee](t, s.office, "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "lastName": s.mark, "phone": phone, "employeeType": "DRIVER"})
	s.driver = (&day{app: s.App}).byPhone(t, "driver", phone)
	s.bus = testkit.Post[transport.Bus](t, s.office, "/school-admin/transport/bus/create",
		map[string]any{"busNumber": s.mark, "capacity": 60, "driverId": ravi.ID}).ID
	route := testkit.Post[transport.RouteDetail](t, s.office, "/school-admin/transport/route/create",
		map[string]any{"name": s.mark, "busId": s.bus, "direction": "pickup",
			"stops": []any{map[string]any{"name": s.mark, "lat": 12.97, "lng": 77.59, "plannedTime": "07:00"}}})
	var riders []any
	for _, c := range s.children {
		riders = append(riders, map[string]any{"studentId": c.ID, "stopId": route.Stops[0].ID})
	}
	testkit.Put[transport.RouteDetail](t, s.office, "/school-admin/transport/route/"+route.ID.String()+"/students",
		map[string]any{"students": riders})
	s.trip = testkit.Post[transport.Scheduled](t, s.office, "/school-admin/transport/trip/schedule",
		map[string]any{"routeId": route.ID, "tripType": "pickup", "tripDate": s.today, "scheduledStartTime": "06:55"}).ID
	if a := s.driver.Call(t, "POST", "/driver/bus-tracking/trips/"+s.trip.String()+"/start", map[string]any{}); a.Status != 200 {
		t.Fatalf("start: %d %s", a.Status, a.Body)
	}
}

// reading is a call that changes nothing. named says that its answer carries the mark.
type reading struct {
	who    *testkit.Client
	method string
	path   string
	data   any
	named  bool
}

// somethingToRead is what one of the school's people looks at.
func (s *marked) somethingToRead() reading {
	i := rand.IntN(len(s.children))
	child, parent := s.children[i].ID.String(), s.children[i].Parents[0]
	switch rand.IntN(10) {
	case 0, 1:
		return reading{parent, "POST", "/parent/student/list", map[string]any{"academicYearId": s.seat.YearID}, true}
	case 2:
		return reading{parent, "GET", "/parent/attendance/list?studentId=" + child, nil, false}
	case 3:
		return reading{parent, "GET", "/parent/fee/dues", nil, true}
	case 4:
		return reading{parent, "GET", "/bus-tracking/bus/" + s.bus.String() + "/live", nil, true}
	case 5:
		return reading{parent, "GET", "/parent/notification/delivered-notifications", nil, false}
	case 6:
		return reading{s.teacher, "GET", "/teacher/class/" + s.seat.DivisionID.String() + "/students", nil, true}
	case 7:
		return reading{s.teacher, "GET", "/teacher/attendance/register?divisionId=" + s.seat.DivisionID.String() + "&date=" + s.today.String(),
			nil, true}
	case 8:
		return reading{s.office, "GET", "/school-admin/student/list?limit=30", nil, true}
	default:
		return reading{s.office, "GET", "/school-admin/fee/collection/list", nil, false}
	}
}
