package transport

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// StopFields are what the office says of a stop. With the id of a stop of the route
// they change it; without one they add one.
type StopFields struct {
	ID           *uuid.UUID   `json:"id"`
	Name         string       `json:"name" validate:"name,max=100"`
	Lat          float64      `json:"lat" validate:"min=-90,max=90" example:"12.9716"`
	Lng          float64      `json:"lng" validate:"min=-180,max=180" example:"77.5946"`
	RadiusMeters int          `json:"radiusMeters" validate:"omitempty,min=30,max=5000" doc:"Families are notified when the bus comes so near; 300 unless given"`
	PlannedTime  roster.Clock `json:"plannedTime" doc:"HH:MM at the school"`
}

// Stop is where a bus calls on a route.
type Stop struct {
	ID           uuid.UUID    `json:"id"`
	Name         string       `json:"name"`
	Sequence     int          `json:"sequence"`
	Lat          float64      `json:"lat"`
	Lng          float64      `json:"lng"`
	RadiusMeters int          `json:"radiusMeters"`
	PlannedTime  roster.Clock `json:"plannedTime"`
}

const stopColumns = `p.id, p.name, p.sequence, p.lat, p.lng, p.radius_meters,
	coalesce(to_char(p.planned_time, 'HH24:MI'), '') as planned_time`

const selectStops = `select ` + stopColumns + ` from stop p where p.route_id = $1 and p.removed_at is null order by p.sequence`

const defaultRadius = 300

// putStops makes these the route's stops, in this order. A stop that is not among them
// leaves the route, unless somebody still gets on or off there.
func putStops(c api.Ctx, route uuid.UUID, fields []StopFields) error {
	var present []Stop
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectStops, Args: []any{route}, Scan: tenancy.Collect(&present)}); err != nil {
		return fmt.Errorf("reading a route's stops: %w", err)
	}
	known := map[uuid.UUID]bool{}
	for _, s := range present {
		known[s.ID] = true
	}
	type row struct {
		ID       uuid.UUID `json:"id"`
		Name     string    `json:"name"`
		Sequence int       `json:"sequence"`
		Lat      float64   `json:"lat"`
		Lng      float64   `json:"lng"`
		Radius   int       `json:"radius_meters"`
		Planned  *string   `json:"planned_time"`
	}
	rows, kept := make([]row, len(fields)), []uuid.UUID{}
	var bad []api.Detail
	for i, f := range fields {
		at := func(name string) string { return fmt.Sprintf("stops[%d].%s", i, name) }
		r := row{ID: api.NewID(), Name: f.Name, Sequence: i + 1, Lat: f.Lat, Lng: f.Lng, Radius: f.RadiusMeters}
		if f.ID != nil {
			if r.ID = *f.ID; !known[r.ID] {
				bad = append(bad, api.Detail{Field: at("id"), Message: "id is no stop of the route, or is given twice"})
			}
			known[r.ID] = false
			kept = append(kept, r.ID)
		}
		if f.Lat == 0 && f.Lng == 0 {
			bad = append(bad, api.Detail{Field: at("lat"), Message: "lat and lng are required"})
		}
		if r.Radius == 0 {
			r.Radius = defaultRadius
		}
		if f.PlannedTime != "" {
			planned := string(f.PlannedTime)
			r.Planned = &planned
		}
		rows[i] = r
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	if err := removeStops(c, route, kept); err != nil {
		return err
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("writing stops: %w", err)
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into stop (id, route_id, name, sequence, lat, lng, radius_meters, planned_time)
		select id, $2, name, sequence, lat, lng, radius_meters, planned_time
		from jsonb_to_recordset($1::jsonb) as s (id uuid, name text, sequence int, lat float8, lng float8, radius_meters int, planned_time time)
		on conflict (id) do update set name = excluded.name, sequence = excluded.sequence, lat = excluded.lat, lng = excluded.lng,
			radius_meters = excluded.radius_meters, planned_time = excluded.planned_time,
			previous_time = case when stop.planned_time is distinct from excluded.planned_time then stop.planned_time else stop.previous_time end,
			time_changed_on = case when stop.planned_time is distinct from excluded.planned_time then $3 else stop.time_changed_on end`,
		Args: []any{string(body), route, c.Today()}})
	if err != nil {
		return fmt.Errorf("writing stops: %w", err)
	}
	if len(present) == 0 {
		return nil
	}
	c.Changed("update", "route stops", route, present, fields)
	after := make([]Stop, len(rows))
	for i, r := range rows {
		after[i] = Stop{ID: r.ID, Name: r.Name, Lat: r.Lat, Lng: r.Lng, PlannedTime: fields[i].PlannedTime}
	}
	return tellStops(c, present, after)
}

func removeStops(c api.Ctx, route uuid.UUID, kept []uuid.UUID) error {
	var used []struct{ Name string }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select p.name from stop p where p.route_id = $1 and p.removed_at is null and p.id <> all($2)
			and exists (select from ride r where r.stop_id = p.id and (r.end_date is null or r.end_date >= $3)) order by p.sequence`,
			Args: []any{route, kept, c.Today()}, Scan: tenancy.Collect(&used)},
		tenancy.Query{SQL: `update stop set removed_at = $3 where route_id = $1 and removed_at is null and id <> all($2)`,
			Args: []any{route, kept, c.Now}},
	)
	if err != nil {
		return fmt.Errorf("removing stops: %w", err)
	}
	if len(used) > 0 {
		names := make([]string, len(used))
		for i, u := range used {
			names[i] = u.Name
		}
		return api.Conflict("Students still ride to or from %s: give them another stop first", strings.Join(names, ", "))
	}
	return nil
}
