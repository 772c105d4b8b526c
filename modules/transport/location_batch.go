package transport

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/transport/live"
)

type missedLocations struct {
	TripID    uuid.UUID          `path:"tripId"`
	Locations []live.PointFields `json:"locations" validate:"min=1,max=2000" doc:"In any order; what was sent before is known"`
}

// postLocations takes what a phone could not send while it drove. What a bus could have
// driven goes to the trail; the newest is shown if it is newer than what is shown.
func (m *Module) postLocations(c api.Ctx, r missedLocations) (live.BatchRead, error) {
	t, err := findMine(c, r.TripID, "for share of t")
	if err != nil {
		return live.BatchRead{}, err
	}
	if t.StartedAt == nil {
		return live.BatchRead{}, api.Conflict("The trip is %s: it has not been anywhere", t.Status)
	}
	out, last, err := m.Tracker.StoreBatch(c, t.ID, *t.StartedAt, t.EndedAt, r.Locations)
	if err != nil || last == nil {
		return out, err
	}
	c.Changed("locations", "trip", t.ID, nil, map[string]any{"stored": out.Stored})
	if t.Status == inProgress {
		c.Tell(events.Fact{Kind: MovedFact, Data: Sighting{BusID: t.BusID, DriverID: c.User.ID, Seen: *last}})
	}
	return out, nil
}
