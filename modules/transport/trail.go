package transport

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// mostPoints bounds an answer: six hours at one a second. What is more is asked for by
// the moment the answer ends at.
const mostPoints = 20_000

// TrailPoint is where a bus was.
type TrailPoint struct {
	Lat       float64   `json:"lat"`
	Lng       float64   `json:"lng"`
	Speed     float32   `json:"speed"`
	Heading   float32   `json:"heading"`
	Timestamp time.Time `json:"timestamp"`
}

// Trail is where a bus was during a trip, in the order of the phone's clock.
type Trail struct {
	TripID    uuid.UUID    `json:"tripId"`
	BusID     uuid.UUID    `json:"busId"`
	Status    string       `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	StartedAt *time.Time   `json:"startedAt"`
	EndedAt   *time.Time   `json:"endedAt"`
	Points    []TrailPoint `json:"points" doc:"At most 20,000"`
	Total     int          `json:"total" doc:"Of the whole trail"`
	Next      *time.Time   `json:"next" doc:"There are more points: ask again with after set to this"`
	Stops     []TripStop   `json:"stops"`
}

type trailOf struct {
	TripID uuid.UUID `path:"tripId"`
	trailPage
}

type trailByID struct {
	ID uuid.UUID `path:"id"`
	trailPage
}

type trailPage struct {
	After time.Time `json:"after" doc:"Only points after this moment: next of the answer before"`
}

func (m *Module) tripTrail(c api.Ctx, r trailOf) (Trail, error) {
	t, err := seeTrip(c, r.TripID)
	if err != nil {
		return Trail{}, err
	}
	return readTrail(c, t, r.After)
}

func (m *Module) adminTrail(c api.Ctx, r trailByID) (Trail, error) {
	return m.tripTrail(c, trailOf{r.ID, r.trailPage})
}

func readTrail(c api.Ctx, t Trip, after time.Time) (Trail, error) {
	var since any = "-infinity"
	if !after.IsZero() {
		since = after
	}
	out := Trail{TripID: t.ID, BusID: t.BusID, Status: t.Status, StartedAt: t.StartedAt, EndedAt: t.EndedAt}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select lat, lng, speed, heading, at as timestamp from location where trip_id = $1 and at > $2::timestamptz
			order by at limit $3`, Args: []any{t.ID, since, mostPoints + 1}, Scan: tenancy.Collect(&out.Points)},
		tenancy.Query{SQL: `select count(*) from location where trip_id = $1`, Args: []any{t.ID}, Scan: tenancy.One(&out.Total)},
		tenancy.Query{SQL: selectTripStops, Args: []any{t.RouteID, t.ID}, Scan: tenancy.Collect(&out.Stops)},
	)
	if err != nil {
		return out, fmt.Errorf("reading a trail: %w", err)
	}
	if len(out.Points) > mostPoints {
		out.Points = out.Points[:mostPoints]
		next := out.Points[mostPoints-1].Timestamp
		out.Next = &next
	}
	return out, nil
}
