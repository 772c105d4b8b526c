package transport

import (
	"github.com/google/uuid"

	"homeroom/events"
)

// NewsFact is the fact that those who watch a bus are to hear something. It says News.
const NewsFact = "bus.news"

// MovedFact is the fact that a bus was seen somewhere, told by other means than the
// live channel. It says Sighting.
const MovedFact = "bus.moved"

// SightsChanged is the fact that others may see a bus of the school than before: somebody
// else drives it, or it drives another route. It says nothing more.
const SightsChanged = "bus.sights-changed"

// News is something about a bus.
type News struct {
	BusID     uuid.UUID  `json:"busId"`
	Event     string     `json:"event"`               // as watchers hear it: trip-status, boarding, incident, eta
	StudentID *uuid.UUID `json:"studentId,omitempty"` // whose affair it is alone, besides the staff's
	OnTrip    *uuid.UUID `json:"onTrip,omitempty"`    // the trip that happened on, whose driver hears it
	TripID    *uuid.UUID `json:"tripId,omitempty"`    // whose state changed
	Data      any        `json:"data"`
}

// Sighting is a bus seen by its driver.
type Sighting struct {
	BusID    uuid.UUID `json:"busId"`
	DriverID uuid.UUID `json:"driverId"` // the user
	Seen     Seen      `json:"seen"`
}

func sightsChanged() events.Fact {
	return events.Fact{Kind: SightsChanged, Data: map[string]any{}}
}

func tripNews(t Trip) events.Fact {
	return events.Fact{Kind: NewsFact, Data: News{BusID: t.BusID, Event: "trip-status", TripID: &t.ID, Data: tripStatus(t)}}
}

// tripStatus is a trip's state as watchers hear it.
func tripStatus(t Trip) any {
	return map[string]any{"busId": t.BusID, "tripId": t.ID, "tripType": t.TripType, "status": t.Status, "at": t.UpdatedAt}
}
