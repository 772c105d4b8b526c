package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/transport/live"
	"homeroom/notice"
	"homeroom/tenancy"
)

var (
	errNoTrip = api.Conflict("You have no trip in progress")
	errPaused = api.Conflict("Your trip is paused")
)

// TripDrivenBy reads the trip that a user drives now, for live.Tracker; the error refuses
// positions while there is none, or it is paused.
func TripDrivenBy(db *gorm.DB, driver uuid.UUID) (live.Trip, error) {
	var found []Trip
	err := db.Raw(`select `+tripColumns+` from trip t join employee e on e.id = t.driver_id where e.user_id = ?
		and t.status in ('in_progress', 'paused')`, driver).
		Scan(&found).
		Error
	switch {
	case err != nil:
		return live.Trip{}, fmt.Errorf("looking for a driver's trip: %w", err)
	case len(found) == 0:
		return live.Trip{}, errNoTrip
	case found[0].Status == paused:
		return live.Trip{}, errPaused
	}
	t := found[0]
	out := live.Trip{ID: t.ID, BusID: t.BusID, TripType: t.TripType, StartedAt: *t.StartedAt}
	err = tenancy.Pipeline(
		db,
		tenancy.Query{
			SQL: `select p.id, p.lat, p.lng, p.radius_meters, extract(epoch
				from p.planned_time)::int as planned_seconds, x.near_at, x.arrived_at, x.departed_at
		from stop p left join trip_stop x on x.stop_id = p.id and x.trip_id = $2 where p.route_id = $1
		and ` + tripHasStop + ` order by p.sequence`,
			Args: []any{t.RouteID, t.ID},
			Scan: tenancy.Collect(&out.Stops),
		},
	)
	if err != nil {
		return live.Trip{}, fmt.Errorf("reading a trip's stops: %w", err)
	}
	return out, nil
}

// RecordCalls writes down when a bus was at stops, and notifies the families who wait
// there once, however often it is called.
func RecordCalls(c api.Ctx, trip live.Trip, calls []live.Call) error {
	ids, near, arrived, departed := []uuid.UUID{}, []*time.Time{}, []*time.Time{}, []*time.Time{}
	var nearby []uuid.UUID
	for _, k := range calls {
		at := k.At
		var n, a, d *time.Time
		switch k.What {
		case live.Near:
			n = &at
			nearby = append(nearby, k.StopID)
		case live.Arrived:
			a = &at
		default:
			d = &at
		}
		ids, near, arrived, departed = append(ids, k.StopID), append(near, n), append(arrived, a), append(departed, d)
	}
	who := "waiting"
	if trip.TripType == "dropoff" {
		who = "boarded"
	}
	var riders []TripStudent
	err := tenancy.Pipeline(
		c.DB,
		tenancy.Query{SQL: `insert into trip_stop (trip_id, stop_id, near_at, arrived_at, departed_at)
			select $1, id, min(near), min(arrived), min(departed)
			from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) as x (id, near, arrived, departed) group by id
			on conflict (trip_id, stop_id) do update set near_at = coalesce(trip_stop.near_at, excluded.near_at),
				arrived_at = coalesce(trip_stop.arrived_at, excluded.arrived_at), departed_at = coalesce(trip_stop.departed_at, excluded.departed_at)`,
			Args: []any{trip.ID, ids, near, arrived, departed}},
		tenancy.Query{
			SQL: `select b.student_id, s.first_name, s.last_name, p.id as stop_id, p.name as stop_name from boarding b
				join student s on s.id = b.student_id join stop p on p.id = b.stop_id
			where b.trip_id = $1 and b.stop_id = any($2) and b.status = $3`,
			Args: []any{trip.ID, nearby, who},
			Scan: tenancy.Collect(&riders),
		},
	)
	if err != nil {
		return fmt.Errorf("recording stops: %w", err)
	}
	for _, s := range riders {
		notice.Send(c, notice.Notice{
			Type: notice.Transport, Key: fmt.Sprintf("near:%s:%s:%s", trip.ID, s.StopID, s.StudentID), RecordID: trip.ID, StudentID: &s.StudentID,
			Urgent: true,
			Text:   notice.Text{Name: "transport.near", Values: notice.Values{"child": s.name(), "stop": s.StopName}},
		})
	}
	return nil
}
