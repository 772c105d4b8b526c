package transport

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	bus := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/transport/bus/create", map[string]any{"busNumber": uuid.NewString()[:8]})
	}
	route := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/transport/route/create", map[string]any{"name": "Hill Road", "busId": bus(m), "direction": "pickup",
			"stops": []any{map[string]any{"name": "Temple", "lat": 12.97, "lng": 77.59}}})
	}
	trip := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/transport/trip/schedule",
			map[string]any{"routeId": route(m), "tripDate": m.Today(), "scheduledStartTime": "07:00"})
	}
	incident := func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into incident (id, bus_id, type, occurred_at, reported_by) values (?, ?, 'other', now(), ?)`, id, bus(m), m.UserID())
		return id
	}
	return []api.Example{
		routeFiles().Example(), (&Module{}).riderFiles().Example(),
		{Path: "/school-admin/transport/bus/:id", Table: "bus", Make: bus, Change: map[string]any{"busNumber": "Mine", "driverId": api.NewID()}},
		{Path: "/school-admin/transport/substitute/:id", Table: "bus_substitute", Make: exampleSubstitute},
		{Path: "/school-admin/transport/route/:id", Table: "route", Make: route, Change: map[string]any{"name": "Mine", "students": []any{}}},
		{Path: "/school-admin/transport/trip/:id", Table: "trip", Make: trip, Change: map[string]any{
			"scheduledStartTime": "08:00", "reason": "Mine", "driverId": api.NewID(), "studentId": api.NewID(), "stopId": api.NewID()}},
		{Path: "/school-admin/transport/incident/:id", Table: "incident", Make: incident, Change: map[string]any{"resolution": "Mine"}},
		{Path: "/driver/trip/:id", Table: "trip", Make: trip, Change: map[string]any{"driverId": api.NewID()}},
		{Path: "/driver/bus-tracking/trips/:id", Table: "trip", Make: trip,
			Change: map[string]any{"locations": []any{map[string]any{"lat": 12.9, "lng": 77.5}}}},
		{Path: "/bus-tracking/bus/:id", Table: "bus", Make: bus},
		{Path: "/bus-tracking/incidents/:id", Table: "bus", Make: bus},
		{Path: "/bus-tracking/trip/:id", Table: "trip", Make: trip},
	}
}

func exampleSubstitute(m api.Maker) uuid.UUID {
	driver := m.Create("/school-admin/employee/create", map[string]any{"firstName": "Ravi", "phone": m.Phone(), "employeeType": "DRIVER"})
	var bus struct{ Substitutes []struct{ ID uuid.UUID } }
	m.Call("PUT", "/school-admin/transport/bus/"+m.Example("/school-admin/transport/bus/:id").String()+"/driver",
		map[string]any{"driverId": driver, "fromDate": m.Today(), "toDate": m.Today()}, &bus)
	return bus.Substitutes[0].ID
}
