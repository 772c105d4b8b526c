// Package live follows the buses that drive: it checks the positions drivers report,
// shows the newest to watchers, stores them all in the trail (the table location, which
// it alone writes), estimates when the bus will be at its stops and notices when it is
// there. It knows no bus, route or rider, and does not decide who may see a bus: the
// package transport does, and gives it the trip a driver is on.
package live

import (
	"time"

	"github.com/google/uuid"
)

// Trip is what tracking needs to know of a trip in progress.
type Trip struct {
	ID        uuid.UUID
	BusID     uuid.UUID
	TripType  string
	StartedAt time.Time
	Stops     []Stop
}

// Stop is a stop of a trip, and when the bus was near it, arrived and departed: nil until it did.
type Stop struct {
	ID             uuid.UUID
	Lat, Lng       float64
	RadiusMeters   int
	PlannedSeconds *int // since midnight; nil is no plan
	NearAt         *time.Time
	ArrivedAt      *time.Time
	DepartedAt     *time.Time
}

// What a bus does at a stop.
const (
	Near     = "near"
	Arrived  = "arrived"
	Departed = "departed"
)

// Call is what a bus did at a stop, and when.
type Call struct {
	StopID uuid.UUID
	What   string // Near, Arrived or Departed
	At     time.Time
}
