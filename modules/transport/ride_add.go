package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// AddRide lets one more student ride a route from a day on. Its other riders stay as they
// are. A trip of today that is under way follows.
func (m *Module) AddRide(c api.Ctx, student, routeID, stop uuid.UUID, from api.Date) error {
	route, err := api.Lock[Route](c, "route", routeID)
	if err != nil {
		return err
	}
	if err := checkRide(c, route, student, stop, from); err != nil {
		return err
	}
	if err := tenancy.Pipeline(c.DB, tenancy.Query{
		SQL: `insert into ride (id, student_id, route_id, stop_id, direction, start_date, created_by, created_at)
			values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7)`,
		Args: []any{student, route.ID, stop, route.Direction, from, c.User.ID, c.Now}}); err != nil {
		return fmt.Errorf("adding a ride: %w", err)
	}
	entry := riderEntry{StudentID: student, StopID: stop}
	c.Changed("add rider", "route riders", route.ID, nil, entry)
	if err := tellGuardians(c, nil, []riderEntry{entry}); err != nil {
		return err
	}
	err = riderNews{route: route, from: from, joined: []riderEntry{entry}}.tell(c)
	if err != nil || c.Today().Before(from) {
		return err
	}
	return m.followRiders(c, route.ID, nil, []riderEntry{entry})
}

// checkRide refuses a stop of another route, a second ride the same way and a full bus.
func checkRide(c api.Ctx, route Route, student, stop uuid.UUID, from api.Date) error {
	var found []struct {
		Stop, Rides bool
		Capacity    *int
		Riders      int
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select
			exists (select from stop where id = $2 and route_id = $1 and removed_at is null) as stop,
			exists (select from ride where student_id = $3 and direction = $6 and (end_date is null or end_date >= $4)) as rides,
			(select capacity from bus where id = $7) as capacity,
			(select count(*) from ride r join student s on s.id = r.student_id and s.deleted_at is null
				where r.route_id = $1 and r.start_date <= greatest($4, $5) and (r.end_date is null or r.end_date >= greatest($4, $5)))
				as riders`,
		Args: []any{route.ID, stop, student, from, c.Today(), route.Direction, route.BusID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("checking a ride: %w", err)
	}
	switch f := found[0]; {
	case !f.Stop:
		return api.InvalidField("stopId", "This stop is not on %s", route.Name)
	case f.Rides:
		return api.InvalidField("routeId", "They ride another route that way already")
	case f.Capacity != nil && *f.Capacity <= f.Riders:
		return api.Conflict("The bus of %s has %d seats, and %d ride it", route.Name, *f.Capacity, f.Riders)
	}
	return nil
}
