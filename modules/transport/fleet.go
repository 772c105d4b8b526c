package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport/live"
	"homeroom/tenancy"
)

// Fleet is every bus that drives today, as the office watches them.
type Fleet struct {
	Buses     []FleetBus `json:"buses"`
	Incidents []Incident `json:"incidents" doc:"Of these buses, not resolved yet, newest first"`
}

// FleetBus is a bus and the trip it is on, or its next or last one of today.
type FleetBus struct {
	Trip     TripView       `json:"trip"`
	Location *live.Location `json:"location" doc:"Where the trail of that trip ends; the live channel says it sooner"`
	Stops    []TripStop     `json:"stops"`
	Counts   map[string]int `json:"counts" doc:"Riders by their state; of a trip that has not started, those expected are waiting"`
}

// fleet asks for all buses at once: one call for a page that watches forty of them.
func fleet(c api.Ctx, _ api.Nothing) (Fleet, error) {
	out := Fleet{Buses: []FleetBus{}, Incidents: []Incident{}}
	var trips []Trip
	err := c.DB.Raw(`select * from (select distinct on (t.bus_id) `+tripColumns+` from trip t
			where t.status in ('in_progress', 'paused') or (t.trip_date = ? and t.status <> 'cancelled')
			order by t.bus_id, t.status in ('in_progress', 'paused') desc, t.status = 'scheduled' desc, case
			when t.status = 'scheduled' then t.scheduled_start_at end, t.ended_at desc) t
		order by t.scheduled_start_at, t.id`, c.Today()).Scan(&trips).Error
	if err != nil {
		return out, fmt.Errorf("looking for today's buses: %w", err)
	}
	if len(trips) == 0 {
		return out, nil
	}
	views, ids, buses, at := make([]TripView, len(trips)), make([]uuid.UUID, len(trips)), make([]uuid.UUID, len(trips)), map[uuid.UUID]int{}
	for i, t := range trips {
		views[i], ids[i], buses[i], at[t.ID] = TripView{Trip: t}, t.ID, t.BusID, i
	}
	if err := nameTrips(c, views); err != nil {
		return out, err
	}
	for _, v := range views {
		out.Buses = append(out.Buses, FleetBus{Trip: v, Stops: []TripStop{}, Counts: map[string]int{}})
	}
	return out, fillFleet(c, &out, ids, buses, at)
}

// fillFleet adds what belongs to each of the trips: stops, riders, the last position.
func fillFleet(c api.Ctx, out *Fleet, ids, buses []uuid.UUID, at map[uuid.UUID]int) error {
	var stops []struct {
		TripID uuid.UUID
		TripStop
	}
	var counts []struct {
		TripID uuid.UUID
		Status string
		N      int
	}
	var last []live.Position
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select t.id as trip_id, ` + tripStopColumns + `
			from trip t join stop p on p.route_id = t.route_id left join trip_stop x on x.stop_id = p.id and x.trip_id = t.id
			where t.id = any($1) and ` + tripHasStop + ` order by t.id, p.sequence`, Args: []any{ids}, Scan: tenancy.Collect(&stops)},
		tenancy.Query{SQL: `select b.trip_id, b.status, count(*) as n from boarding b where b.trip_id = any($1) group by 1, 2
			union all
			select t.id, case when n.id is null then 'waiting' else 'absent' end, count(*) from trip t
			join ride r on r.route_id = t.route_id and r.start_date <= t.trip_date and (r.end_date is null or r.end_date >= t.trip_date)
			join student s on s.id = r.student_id and s.deleted_at is null and s.status = 'ACTIVE'
			left join not_riding n on n.student_id = r.student_id and n.date = t.trip_date and n.trip_type = t.trip_type
			where t.id = any($1) and t.started_at is null group by 1, 2`, Args: []any{ids}, Scan: tenancy.Collect(&counts)},
		tenancy.Query{SQL: `select t.id as trip_id, l.lat, l.lng, l.speed, l.heading, l.at from trip t
			cross join lateral (select lat, lng, speed, heading, at from location where trip_id = t.id order by at desc limit 1) l
			where t.id = any($1)`, Args: []any{ids}, Scan: tenancy.Collect(&last)},
	)
	if err != nil {
		return fmt.Errorf("reading today's buses: %w", err)
	}
	for _, s := range stops {
		b := &out.Buses[at[s.TripID]]
		b.Stops = append(b.Stops, s.TripStop)
	}
	for _, n := range counts {
		out.Buses[at[n.TripID]].Counts[n.Status] = n.N
	}
	for _, p := range last {
		b := &out.Buses[at[p.TripID]]
		where := p.Location(b.Trip.BusID, c.Now)
		b.Location = &where
	}
	err = c.DB.Where("bus_id in ? and resolved_at is null and occurred_at > ?", buses,
		c.Now.AddDate(0, 0, -1)).Order("occurred_at desc, id desc").Limit(100).Find(&out.Incidents).Error
	if err != nil {
		return fmt.Errorf("reading today's incidents: %w", err)
	}
	return nil
}
