package transport

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Boarding is where a rider of a trip stands.
type Boarding struct {
	ID         uuid.UUID  `json:"id"`
	StudentID  uuid.UUID  `json:"studentId"`
	Status     string     `json:"status" enum:"waiting,boarded,alighted,absent,no_show"`
	Preset     string     `json:"-"`
	Reason     string     `json:"reason"`
	BoardedAt  *time.Time `json:"boardedAt"`
	AlightedAt *time.Time `json:"alightedAt"`
	FirstName  string     `json:"firstName" gorm:"-"`
	LastName   string     `json:"lastName" gorm:"-"`
}

// tap is a driver's word about a rider, by the driver's own clock.
type tap struct {
	ClientEventID string
	StudentID     uuid.UUID
	Status        string
	At            time.Time
	ReceivedAt    time.Time
	UndoneAt      *time.Time
	ours          bool // the time is: the phone said none
}

// rank orders the states: a rider only goes up. Waiting is left by any of the others;
// one who was given up, or said not to come, may still board; who alights was aboard.
var rank = map[string]int{"waiting": 0, "absent": 1, "no_show": 1, "boarded": 2, "alighted": 3}

// applyTaps sets the rider's state from the taps, in the order they were made and
// not the order they arrived: so the same taps give the same state however they come,
// and however often. It returns the taps that counted.
func (b *Boarding) applyTaps(taps []tap) map[string]bool {
	slices.SortFunc(taps, func(a, c tap) int {
		return cmp.Or(a.At.Compare(c.At), cmp.Compare(rank[a.Status], rank[c.Status]), cmp.Compare(a.ClientEventID, c.ClientEventID))
	})
	b.Status, b.BoardedAt, b.AlightedAt = b.Preset, nil, nil
	counted := map[string]bool{}
	for _, t := range taps {
		if rank[t.Status] <= rank[b.Status] {
			continue
		}
		counted[t.ClientEventID] = true
		at := t.At
		switch b.Status = t.Status; t.Status {
		case "boarded":
			b.BoardedAt = &at
		case "alighted":
			b.AlightedAt = &at
		}
	}
	return counted
}
