package roster

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/paper"
)

// People gives a person an account to sign in with. The directory it writes to is the
// platform's, not the school's: it is called before the school's own transaction ends, and
// an entry that a rollback leaves there signs nobody in and is cleared away.
type People interface {
	Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error
}

// Module serves the roster.
type Module struct {
	People People
	// Letterhead reads what certificates begin with.
	Letterhead func(api.Ctx) (paper.Letterhead, error)
	// Photo gives a photo's bytes, none for one that is gone; nil: none are printed.
	Photo func(api.Ctx, uuid.UUID) ([]byte, error)
	// Owed is what a student owes, and Loans the books they have; nil: neither is kept.
	Owed  func(api.Ctx, uuid.UUID) (int64, error)
	Loans func(api.Ctx, uuid.UUID) ([]OpenLoan, error)
	// AddRide and AddFeeHead are the parts of an admission that other modules keep. The errors
	// of both name the fields of NewRide and NewFeeHead; nil: neither is kept.
	AddRide    func(c api.Ctx, student, route, stop uuid.UUID, from api.Date) error
	AddFeeHead func(c api.Ctx, student, head uuid.UUID, option *uuid.UUID, from api.Date) error
	// GroupLessons refuses lessons of groups that cannot be held with their members; nil: there are no lessons.
	GroupLessons func(api.Ctx, ...uuid.UUID) error
}
