package transport

import (
	"time"

	"github.com/google/uuid"

	"homeroom/modules/transport/live"
)

// LiveEvents are what watchers of a bus get.
var LiveEvents = append([]live.Event{
	{Name: "trip-status",
		Summary: "The bus's trip began, paused, went on or ended. It also comes to who joins the room, of the trip that is open.",
		Data:    TripStatus{}},
	{Name: "boarding",
		Summary: "A student boarded, alighted, is absent or did not show up; for the student's guardians, the trip's driver and the staff.",
		Data:    BoardingStatus{}},
	{Name: "incident",
		Summary: "An incident was reported, released or resolved. One that waits for the office is for the staff and the trip's driver.",
		Data:    IncidentNews{}},
}, live.Events...)

// TripStatus is a trip's state as watchers get it.
type TripStatus struct {
	BusID    uuid.UUID `json:"busId"`
	TripID   uuid.UUID `json:"tripId"`
	TripType string    `json:"tripType" enum:"pickup,dropoff"`
	Status   string    `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	At       time.Time `json:"at"`
}

// BoardingStatus is where a rider stands, as watchers get it.
type BoardingStatus struct {
	BusID     uuid.UUID `json:"busId"`
	TripID    uuid.UUID `json:"tripId"`
	StudentID uuid.UUID `json:"studentId"`
	Status    string    `json:"status" enum:"waiting,boarded,alighted,absent,no_show"`
	At        time.Time `json:"at"`
}

// IncidentNews is an incident as watchers get it.
type IncidentNews struct {
	ID          uuid.UUID  `json:"id"`
	BusID       uuid.UUID  `json:"busId"`
	TripID      *uuid.UUID `json:"tripId"`
	Type        string     `json:"type" enum:"vehicle_breakdown,traffic_jam,accident,other"`
	Severity    string     `json:"severity" enum:"LOW,MEDIUM,HIGH"`
	Description string     `json:"description"`
	Lat         *float64   `json:"lat"`
	Lng         *float64   `json:"lng"`
	OccurredAt  time.Time  `json:"occurredAt"`
	ResolvedAt  *time.Time `json:"resolvedAt"`
	Resolution  string     `json:"resolution"`
	Release     string     `json:"release" enum:"WAITING,RELEASED,DISCARDED"`
}
