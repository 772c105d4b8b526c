package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/dashboard"
	"homeroom/modules/roster"
	"homeroom/modules/transport"
	"homeroom/tenancy"
)

// hintTrip is the hint that a trip's state changed.
const hintTrip = "trip"

// hintSight is the hint that a user may see other buses than before.
const hintSight = "sight"

// hintSights is the hint that others may see a school's buses than before.
const hintSights = "sights"

// followSights has the rooms of users checked who may see other buses than before.
func followSights(bus *events.Bus, hints *events.Hints) {
	bus.On(roster.SightChanged, "rooms", func(ctx context.Context, h events.Heard) error {
		var changed struct {
			UserIDs []uuid.UUID `json:"userIds"`
		}
		if err := h.Read(&changed); err != nil {
			return err
		}
		for _, id := range changed.UserIDs {
			hints.Send(ctx, hintSight, id.String())
		}
		return nil
	})
	bus.On(transport.SightsChanged, "rooms", func(ctx context.Context, h events.Heard) error {
		hints.Send(ctx, hintSights, h.SchoolID.String())
		return nil
	})
}

// Buses tells the dashboard what is on the road.
type Buses struct{}

// Out is the question, and then what was found.
func (Buses) Out(c api.Ctx) (tenancy.Query, func() []dashboard.BusOut) {
	var found []transport.RunningTrip
	return transport.SelectRunningTrips(c, &found), func() []dashboard.BusOut {
		out := make([]dashboard.BusOut, len(found))
		for i, t := range found {
			out[i] = dashboard.BusOut(t)
		}
		return out
	}
}
