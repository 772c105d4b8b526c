package transport

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport/live"
	"homeroom/tenancy"
)

// lateAfter is how far behind its plan a bus is late.
const lateAfter = 10 * time.Minute

// RunningTrip is a trip that is under way, or that should have begun a while ago.
type RunningTrip struct {
	TripID           uuid.UUID
	BusID            uuid.UUID
	BusNumber        string
	RouteName        string
	DriverName       string
	TripType         string
	Status           string
	ScheduledStartAt time.Time
	StartedAt        *time.Time
	LastSeenAt       *time.Time
	LateMinutes      int
	IsLate           bool
	IsStale          bool
}

// selectRunningTrips goes by the plan of the first stop the bus has not come to, as far behind the
// trip's own beginning as the route's plan has it; without a plan, by its beginning.
// $1 is now, $2 today, $3 and $4 when a bus is late and when it is stale.
const selectRunningTrips = `select t.id as trip_id, t.bus_id, b.bus_number, r.name as route_name,
	coalesce(trim(e.first_name || ' ' || e.last_name), '') as driver_name,
		t.trip_type, t.status, t.scheduled_start_at, t.started_at, seen.at as last_seen_at,
		greatest(0, floor(extract(epoch
		from $1::timestamptz - due.at) / 60))::int as late_minutes, $1::timestamptz - due.at >= $3::interval as is_late,
		t.status = 'in_progress' and greatest(seen.at, t.started_at) < $1::timestamptz - $4::interval as is_stale
	from trip t join bus b on b.id = t.bus_id join route r on r.id = t.route_id left join employee e on e.id = t.driver_id
	left join lateral (select l.at from location l where l.trip_id = t.id order by l.at desc limit 1) seen on true
	cross join lateral (select t.scheduled_start_at + coalesce(
			min(p.planned_time) filter (where x.arrived_at is null and x.departed_at is null) - min(p.planned_time),
			case when t.started_at is null or count(p.planned_time) = 0 then coalesce($1::timestamptz - t.started_at, '0')
			else $1::timestamptz - t.scheduled_start_at end) as at
		from stop p left join trip_stop x on x.trip_id = t.id and x.stop_id = p.id where p.route_id = t.route_id and p.removed_at is null) due
	where t.status in ('in_progress', 'paused') or t.trip_date = $2 and t.status = 'scheduled'
	and t.scheduled_start_at <= $1::timestamptz - $3::interval
	order by t.scheduled_start_at, t.id limit 200`

// SelectRunningTrips is the query for the buses that are on the road, or should be.
func SelectRunningTrips(c api.Ctx, into *[]RunningTrip) tenancy.Query {
	return tenancy.Query{SQL: selectRunningTrips, Args: []any{c.Now, c.Today(), lateAfter, live.StaleAfter}, Scan: tenancy.Collect(into)}
}
