package transport

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/transport/live"
	"homeroom/tenancy"
)

// Absences says who is on approved leave, so that the bus does not wait for them. It is
// another module's; nil is nobody.
type Absences interface {
	OnLeave(c api.Ctx, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// Schools knows the schools; a listener asks in which language one gets its notices.
type Schools interface {
	School(ctx context.Context, id uuid.UUID) (*tenancy.School, error)
}

// Register says who of these students is marked absent in class on a day. It is another
// module's; nil is nobody.
type Register interface {
	Absent(db *gorm.DB, day api.Date, students []uuid.UUID) ([]uuid.UUID, error)
}

// Module serves transport.
type Module struct {
	Absences Absences
	Register Register
	Schools  Schools
	// DaysOff reads the holidays.
	DaysOff DaysOff
	Tracker *live.Tracker
	// Publish sends news to those who watch a bus; of a student's boarding, only to the
	// office and teachers, the trip's driver and the student's own guardians.
	Publish func(ctx context.Context, school uuid.UUID, n News) error
}
