package live

import "github.com/google/uuid"

// Event is an event that watchers of a bus get over the live channel. The tables of these
// are what is documented, and nothing else is sent.
type Event struct {
	Name    string
	Summary string
	Data    any // an empty value of what it carries
}

// ETA is when a bus reaches a stop.
type ETA struct {
	BusID   uuid.UUID `json:"busId"`
	TripID  uuid.UUID `json:"tripId"`
	StopID  uuid.UUID `json:"stopId"`
	Seconds int       `json:"etaSeconds" doc:"From now on"`
}

// Events are those of a moving bus.
var Events = []Event{
	{"location", "Where the bus is. It also comes to who joins the room, if it is known; only the newest counts.", Location{}},
	{"eta", "How long the bus needs to a stop, for each stop ahead of it.", ETA{}},
}
