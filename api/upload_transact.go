package api

import (
	"context"

	"gorm.io/gorm"

	"homeroom/tenancy"
)

// Transact runs work in one transaction, with its facts and audit rows, as every
// write row has it. It is for handlers of Upload rows, which read a file first. Work
// that lost a race is run again: it must start from what is in the database.
func (c Ctx) Transact(work func(Ctx) error) error {
	k, rq := c.rq.kernel, c.rq
	for try := 1; ; try++ {
		_, err := retryWhileMoving(c, func() (Nothing, error) {
			rq.facts, rq.audits, rq.atCommit, rq.last, rq.rights = nil, nil, nil, nil, false
			return Nothing{}, k.transactOnce(c, work)
		})
		if err == nil || try == attempts || !retriable(err) {
			return err
		}
	}
}

func (k *Kernel) transactOnce(c Ctx, work func(Ctx) error) error {
	rq := c.rq
	tx, err := k.begin(c.Context, rq.row, rq)
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			_ = tx.Rollback()
		}
	}()
	within := c
	within.DB = tx
	if err := work(within); err != nil {
		return err
	}
	last, err := k.commitStatements(rq, answer{})
	if err != nil {
		return err
	}
	told := len(rq.facts) > 0
	if told {
		k.Outbox.Lease(c.Context, rq.school.ID)
	}
	committed = true
	if err := tenancy.Commit(tx, last...); err != nil {
		return err
	}
	if told {
		k.Outbox.Wake(rq.school.ID)
	}
	if rq.rights {
		k.Permissions.Changed(rq.school.ID)
	}
	return nil
}

// Apart is the school's database outside any transaction: what is written here stays,
// whatever becomes of the work. It tells how far a long piece of work has come.
func (c Ctx) Apart(ctx context.Context) (*gorm.DB, error) {
	return c.rq.kernel.Databases.School(ctx, c.School, tenancy.ReadWrite)
}
