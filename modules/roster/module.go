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
	// Owed is what a student owes, and Loans the books they have; nil: neither is kept.
	Owed  func(api.Ctx, uuid.UUID) (int64, error)
	Loans func(api.Ctx, uuid.UUID) ([]OpenLoan, error)
}
