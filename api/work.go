package api

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Work does something at a school that nobody called for: a bus came near a stop. It is
// one transaction, which its facts and notices leave with, and is run again when it lost
// a race; so f may be called more than once. name stands for the row in logs.
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
