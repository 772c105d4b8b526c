package service_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

func madeBus(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/transport/bus/create", map[string]any{"busNumber": uuid.NewString()[:8]})(t, s, admin)
}

func madeDriver(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/employee/create", map[string]any{"firstName": "Ravi", "phone": testkit.NewPhone(), "employeeType": "DRIVER"})(t, s, admin)
}

func madeSubstitute(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	bus := madeBus(t, s, admin)
	got := testkit.Put[struct{ Substitutes []struct{ ID uuid.UUID } }](t, admin, "/school-admin/transport/bus/"+bus.String()+"/driver",
		map[string]any{"driverId": madeDriver(t, s, admin), "fromDate": today(s), "toDate": today(s)})
	return got.Substitutes[0].ID
}

func madeRoute(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/transport/route/create", map[string]any{"name": "Hill Road", "busId": madeBus(t, s, admin), "direction": "pickup",
		"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59}}})(t, s, admin)
}

func madeTrip(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/transport/trip/schedule", map[string]any{"routeId": madeRoute(t, s, admin), "tripDate": today(s), "scheduledStartTime": "07:00"})(t, s, admin)
}

func madeIncident(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	id, bus := api.NewID(), madeBus(t, s, admin)
	err := s.DB(t).Exec(`insert into incident (id, bus_id, type, occurred_at, reported_by) values (?, ?, 'other', now(), ?)`, id, bus, admin.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// today is the day it is at a school.
func today(s *testkit.School) api.Date { return api.DateOf(time.Now().In(s.Location())) }
