package roster

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
)

// People lets the roster give its people a way in. The directory it writes to is the
// platform's, not the school's: it is called before the school's own transaction ends,
// and what a rollback leaves there signs nobody in and is cleared away.
type People interface {
	Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error
	// EnterMany is Enter for many who sign in by phone; phones are in the order of users.
	EnterMany(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error
}

// DaysOff reads the holidays between two days. What it returns says whether a class, or
// with it the whole school, has one on a day.
type DaysOff func(c api.Ctx, from, until api.Date) (func(class, division uuid.UUID, day api.Date) bool, error)

// Module serves the roster.
type Module struct {
	People People
	// Schools opens the school that a calendar's address names.
	Schools api.Opener
	// Closed says on which days a class stays at home, between two days; nil: on none.
	Closed DaysOff
	// PublicURL is where people reach the service; calendar addresses begin with it.
	PublicURL string
	// Letterheads are for the certificates it prints.
	Letterheads Letterheads
}
