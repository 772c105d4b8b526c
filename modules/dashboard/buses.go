package dashboard

import (
	"time"

	"github.com/google/uuid"
)

// BusFigures are the buses on the road now.
type BusFigures struct {
	Out   int      `json:"out" doc:"Trips that have begun and not ended"`
	Late  int      `json:"late" doc:"Trips behind their plan, those that should have begun included"`
	Stale int      `json:"stale" doc:"Trips under way whose bus has not been seen for 90 seconds"`
	Trips []BusOut `json:"trips" doc:"All of these"`
}

// BusOut is a trip that is under way, or should be.
type BusOut struct {
	TripID           uuid.UUID  `json:"tripId"`
	BusID            uuid.UUID  `json:"busId"`
	BusNumber        string     `json:"busNumber"`
	RouteName        string     `json:"routeName"`
	DriverName       string     `json:"driverName"`
	TripType         string     `json:"tripType" enum:"pickup,dropoff"`
	Status           string     `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	ScheduledStartAt time.Time  `json:"scheduledStartAt"`
	StartedAt        *time.Time `json:"startedAt"`
	LastSeenAt       *time.Time `json:"lastSeenAt"`
	LateMinutes      int        `json:"lateMinutes" doc:"Behind the plan of its next stop"`
	IsLate           bool       `json:"isLate" doc:"By ten minutes or more"`
	IsStale          bool       `json:"isStale"`
}

func figures(trips []BusOut) BusFigures {
	f := BusFigures{Trips: trips}
	if trips == nil {
		f.Trips = []BusOut{}
	}
	for _, t := range trips {
		if t.StartedAt != nil {
			f.Out++
		}
		if t.IsLate {
			f.Late++
		}
		if t.IsStale {
			f.Stale++
		}
	}
	return f
}
