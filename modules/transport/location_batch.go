package transport

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

type missedLocations struct {
	TripID    uuid.UUID     `path:"tripId"`
	Locations []PointFields `json:"locations" validate:"min=1,max=2000" doc:"In any order; what was sent before is known"`
}

// BatchRead is what became of positions that were sent together.
type BatchRead struct {
	Received int            `json:"received"`
	Stored   int            `json:"stored"`
	Known    int            `json:"known" doc:"They had been sent before"`
	Refused  []RefusedPoint `json:"refused"`
}

// RefusedPoint is a position that cannot be, and why.
type RefusedPoint struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// postLocations takes what a phone could not send while it drove. It goes to the trail;
// the newest is shown if it is newer than what is shown.
func (m *Module) postLocations(c api.Ctx, r missedLocations) (BatchRead, error) {
	t, err := findMine(c, r.TripID, "for share of t")
	if err != nil {
		return BatchRead{}, err
	}
	if t.StartedAt == nil {
		return BatchRead{}, api.Conflict("The trip is %s: it has not been anywhere", t.Status)
	}
	out := BatchRead{Received: len(r.Locations), Refused: []RefusedPoint{}}
	var rows []track
	newest := -1
	for i, f := range r.Locations {
		p, err := f.Point(c.Now)
		if err == nil {
			err = p.during(*t.StartedAt, t.EndedAt, c.Now)
		}
		if err != nil {
			out.Refused = append(out.Refused, RefusedPoint{i, pointFault(err)})
			continue
		}
		rows = append(rows, track{trip: t.ID, point: p, received: c.Now})
		if newest < 0 || p.At.After(rows[newest].point.At) {
			newest = len(rows) - 1
		}
	}
	if len(rows) == 0 {
		return out, nil
	}
	if out.Stored, err = storeTrail(c.DB, rows); err != nil {
		return out, fmt.Errorf("storing positions: %w", err)
	}
	out.Known = len(rows) - out.Stored
	c.Changed("locations", "trip", t.ID, nil, map[string]any{"stored": out.Stored})
	if t.Status == inProgress {
		c.Tell(events.Fact{Kind: MovedFact, Data: Sighting{BusID: t.BusID, DriverID: c.User.ID, Seen: rows[newest].point.seen(t.ID, c.Now)}})
	}
	return out, nil
}

// pointFault is what is wrong with a position, in words.
func pointFault(err error) string {
	if e, ok := err.(*api.Error); ok && len(e.Details) > 0 {
		return e.Details[0].Message
	}
	return err.Error()
}
