package transport

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Absences says who is on approved leave, so that the bus does not wait for them. It is
// another module's; nil is nobody.
type Absences interface {
	OnLeave(c api.Ctx, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// Schools knows the schools; a listener asks in which language one is told things.
type Schools interface {
	School(ctx context.Context, id uuid.UUID) (*tenancy.School, error)
}

// Register says who of these students is marked absent in class on a day. It is another
// module's; nil is nobody.
type Register interface {
	Absent(db *gorm.DB, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// LivePublisher sends news of a bus to its watchers, on whichever instance they
// are, and remembers where each bus was seen last. It may forget.
type LivePublisher interface {
	// LastSeen is where a bus was seen last; nil is nowhere, or long ago.
	LastSeen(ctx context.Context, school, bus uuid.UUID) (*Seen, error)
	// Moved shows watchers where a bus is now and, if etas are given, when it will be where.
	// It returns at once.
	Moved(school, bus uuid.UUID, seen Seen, etas []StopETA)
	// Tell tells watchers of a bus; of a student's boarding, only the office and teachers,
	// the trip's driver and the student's own people.
	Tell(ctx context.Context, school, bus uuid.UUID, n News) error
}

// Module serves transport.
type Module struct {
	Absences Absences
	Register Register
	Schools  Schools
	Live     LivePublisher
	Tracker  *Tracker
}

// Seen is where and when a bus was seen, and how far its stops were then.
type Seen struct {
	TripID     uuid.UUID `json:"tripId"`
	Lat        float64   `json:"lat"`
	Lng        float64   `json:"lng"`
	Speed      float64   `json:"speed"`
	Heading    float64   `json:"heading"`
	At         time.Time `json:"at"`
	ReceivedAt time.Time `json:"receivedAt"`
	ETAs       []StopETA `json:"etas,omitempty" gorm:"-"`
}

// StopETA is how long a bus needs to a stop.
type StopETA struct {
	StopID  uuid.UUID `json:"stopId"`
	Seconds int       `json:"etaSeconds"`
}

// staleAfter is how long a position says where a bus is.
const staleAfter = 90 * time.Second

func (s *Seen) age(now time.Time) time.Duration { return max(0, now.Sub(s.At)) }
