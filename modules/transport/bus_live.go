package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/transport/live"
	"homeroom/tenancy"
)

type onBus struct {
	BusID uuid.UUID `path:"busId"`
}

// Live is a bus now.
type Live struct {
	BusID      uuid.UUID      `json:"busId"`
	BusNumber  string         `json:"busNumber"`
	Status     string         `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled,''" doc:"Of its trip; none while it is on none"`
	Trip       *LiveTrip      `json:"trip" doc:"The trip it is on, or its next or last one of today"`
	Location   *live.Location `json:"location" doc:"Where it was seen last on that trip"`
	AgeSeconds *int           `json:"ageSeconds" doc:"How long ago that was"`
	IsStale    bool           `json:"isStale" doc:"Longer ago than 90 seconds, or never"`
	Stops      []LiveStop     `json:"stops"`
}

// LiveTrip is the trip a bus is on.
type LiveTrip struct {
	ID               uuid.UUID  `json:"id"`
	RouteID          uuid.UUID  `json:"routeId"`
	TripType         string     `json:"tripType" enum:"pickup,dropoff"`
	Status           string     `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	ScheduledStartAt time.Time  `json:"scheduledStartAt"`
	StartedAt        *time.Time `json:"startedAt"`
	EndedAt          *time.Time `json:"endedAt"`
}

// LiveStop is a stop and when the bus was or will be there.
type LiveStop struct {
	TripStop
	ETASeconds *int `json:"etaSeconds" doc:"None for a stop that is behind, or while nobody knows where the bus is"`
}

// busLive is the current trip of a bus and where it is.
func (m *Module) busLive(c api.Ctx, r onBus) (Live, error) {
	var bus Bus
	var trips []Trip
	var stops []struct {
		TripID uuid.UUID
		TripStop
	}
	of := []any{r.BusID, c.Today()}
	err := tenancy.Pipeline(c.DB, sightOfBus(viewer(c), c.Today(), r.BusID, &bus),
		tenancy.Query{SQL: tripOfBus, Args: of, Scan: tenancy.Collect(&trips)},
		tenancy.Query{SQL: stopsOfBus, Args: of, Scan: tenancy.Collect(&stops)})
	if err != nil {
		return Live{}, fmt.Errorf("looking where a bus is: %w", err)
	}
	out := Live{BusID: bus.ID, BusNumber: bus.BusNumber, IsStale: true, Stops: []LiveStop{}}
	if len(trips) == 0 {
		return out, nil
	}
	t := trips[0]
	out.Trip = &LiveTrip{t.ID, t.RouteID, t.TripType, t.Status, t.ScheduledStartAt, t.StartedAt, t.EndedAt}
	if t.open() {
		out.Status = t.Status
	}
	last, err := m.lastPosition(c, bus.ID, t)
	if err != nil {
		return out, err
	}
	etas := map[uuid.UUID]int{}
	if last != nil {
		where := last.Location(bus.ID, c.Now)
		out.Location, out.AgeSeconds, out.IsStale = &where, &where.AgeSeconds, where.IsStale
		if !where.IsStale && t.open() {
			for _, e := range last.ETAs {
				etas[e.StopID] = max(0, e.Seconds-where.AgeSeconds)
			}
		}
	}
	for _, s := range stops {
		if s.TripID != t.ID {
			continue // another trip has begun between the two looks
		}
		stop := LiveStop{TripStop: s.TripStop}
		if eta, known := etas[s.ID]; known && s.DepartedAt == nil {
			stop.ETASeconds = &eta
		}
		out.Stops = append(out.Stops, stop)
	}
	return out, nil
}

// tripOfBus is the trip a bus is on, or else its next of today, or its last; stopsOfBus
// are the stops of that trip.
const (
	tripOfBus = `select ` + tripColumns + ` from trip t where t.bus_id = $1 and (t.status in ('in_progress', 'paused')
		or (t.trip_date = $2 and t.status <> 'cancelled'))
		order by t.status in ('in_progress', 'paused') desc, t.status = 'scheduled' desc, case
		when t.status = 'scheduled' then t.scheduled_start_at end, t.ended_at desc, t.id limit 1`
	stopsOfBus = `with t as (` + tripOfBus + `) select t.id as trip_id, ` + tripStopColumns +
		` from t join stop p on p.route_id = t.route_id left join trip_stop x on x.stop_id = p.id and x.trip_id = t.id where ` + tripHasStop +
		` order by p.sequence`
)

// lastPosition is the last position of a bus on a trip: the one kept for watchers, or else
// the end of the trail.
func (m *Module) lastPosition(c api.Ctx, bus uuid.UUID, t Trip) (*live.Position, error) {
	if t.StartedAt == nil {
		return nil, nil
	}
	last, err := m.Tracker.Last(c, c.School.ID, bus)
	if err == nil && last != nil && last.TripID == t.ID && last.Age(c.Now) <= live.StaleAfter {
		return last, nil
	}
	return live.EndOfTrail(c.DB, t.ID)
}

// OpenTrip is the trip a bus is on, its state as watchers get it, and the end of its trail.
type OpenTrip struct {
	TripID uuid.UUID
	Status any
	Last   *live.Position
}

// TripOfBus reads the trip a bus is on; nil is none.
func TripOfBus(db *gorm.DB, bus uuid.UUID) (*OpenTrip, error) {
	var found []Trip
	err := db.Raw(`select `+tripColumns+` from trip t where t.bus_id = ? and t.status in ('in_progress', 'paused')`, bus).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for a bus's trip: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	t := found[0]
	last, err := live.EndOfTrail(db, t.ID)
	return &OpenTrip{TripID: t.ID, Status: tripStatus(t), Last: last}, err
}
