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
	Invite(ctx context.Context, user uuid.UUID, school string) error
}

// Module serves the roster.
type Module struct {
	People People
}
