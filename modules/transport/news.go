package transport

import (
	"github.com/google/uuid"

	"homeroom/events"
	"homeroom/modules/transport/live"
)

// NewsFact is the fact that there is news for those who watch a bus. Its data is News.
const NewsFact = "bus.news"

// MovedFact is the fact that positions of a bus came by other means than the live channel.
// Its data is Sighting.
const MovedFact = "bus.moved"

// SightsChanged is the fact that others may see a bus of the school than before: another
// driver drives it, or it drives another route. It has no data.
const SightsChanged = "bus.sights-changed"

// News is something about a bus.
type News struct {
	BusID     uuid.UUID  `json:"busId"`
	Event     string     `json:"event"`               // a name of LiveEvents
	StudentID *uuid.UUID `json:"studentId,omitempty"` // whose guardians alone get it, besides the staff; the zero id: nobody's
	OnTrip    *uuid.UUID `json:"onTrip,omitempty"`    // the trip that happened on, whose driver gets it
	TripID    *uuid.UUID `json:"tripId,omitempty"`    // whose state changed
	Data      any        `json:"data"`
}

// Sighting is the newest position of a bus that its driver sent.
type Sighting struct {
	BusID    uuid.UUID     `json:"busId"`
	DriverID uuid.UUID     `json:"driverId"` // the user
	Seen     live.Position `json:"seen"`
}

func sightsChanged() events.Fact {
	return events.Fact{Kind: SightsChanged, Data: map[string]any{}}
}

func tripNews(t Trip) events.Fact {
	return events.Fact{Kind: NewsFact, Data: News{BusID: t.BusID, Event: "trip-status", TripID: &t.ID, Data: tripStatus(t)}}
}

func tripStatus(t Trip) TripStatus {
	return TripStatus{BusID: t.BusID, TripID: t.ID, TripType: t.TripType, Status: t.Status, At: t.UpdatedAt}
}
