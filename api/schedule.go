package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// Scheduled is work that is done at every school, one after another, by the clock.
type Scheduled struct {
	Name  string        // of the job in the queue
	Every time.Duration // how often; a run also begins when an instance starts
	// AtNight is for work that is done in the hours after the school's midnight. What was
	// missed is caught up in the next night.
	AtNight bool
	// AnyStatus is for work at suspended schools too, and at those whose tables are behind;
	// they are not opened: DB is nil.
	AnyStatus bool
	// Platform is done before the schools, at the platform; nil: nothing.
	Platform func(ctx context.Context) error
	// School does it at one school. What fails is logged and tried again in the next run.
	School func(ctx context.Context, at SchoolWork) error
}

// SchoolWork is a school in a run of scheduled work: active and opened, unless AnyStatus
// says otherwise.
type SchoolWork struct {
	School *tenancy.School
	DB     *gorm.DB // open for writing
	Now    time.Time
	Log    *slog.Logger
	kernel *Kernel
}

// SchoolWork begins work at a school that no caller asked for.
func (k *Kernel) SchoolWork(school *tenancy.School, db *gorm.DB) SchoolWork {
	return SchoolWork{School: school, DB: db, Now: k.Clock(), Log: k.Log, kernel: k}
}

// Today is the day at the school.
func (w SchoolWork) Today() Date { return DateOf(w.Now.In(w.School.Location())) }

// Do runs f in one transaction, with its facts and notices: see Kernel.Work.
func (w SchoolWork) Do(ctx context.Context, name string, f func(Ctx) error) error {
	return w.kernel.Work(ctx, w.School.ID, name, f)
}

// Work does something at a school without a request: a bus came near a stop. It is one
// transaction with its facts and notices, and is run again when it lost a race; so f may be
// called more than once. name is that of the row in logs.
func (k *Kernel) Work(ctx context.Context, school uuid.UUID, name string, f func(Ctx) error) error {
	s, err := k.schoolOf(ctx, User{SchoolID: school})
	if err != nil {
		return err
	}
	row := &Row{
		Method: "WORK", Path: name, Status: 204,
		NoAudit:    true, // no caller: f adds what is worth a line of the audit
		callSchool: func(c Ctx, _ any) (any, error) { return Nothing{}, f(c) },
	}
	rq := &request{id: uuid.NewString(), row: row, school: s, kernel: k, now: k.Clock().UTC().Truncate(time.Microsecond)}
	_, err = retryWhileMoving(ctx, func() (answer, error) { return k.runWrite(ctx, row, rq, nil) })
	return err
}
