package api

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// attempts is how often a write that lost a race (deadlock, serialization) is run.
const attempts = 4

// runWrite runs a handler in one transaction, or answers as the request did that had its key before.
func (k *Kernel) runWrite(ctx context.Context, row *Row, rq *request, req any) (answer, error) {
	return k.transact(ctx, rq, func(db *gorm.DB) (answer, error) {
		if rq.key != "" {
			if kept, err := k.claimKey(db, rq); err != nil || rq.replayed {
				return kept, err
			}
		}
		return k.callWrite(ctx, db, row, rq, req)
	})
}

// Transact runs work in one transaction, with its facts and audit rows, as every
// write row has it. It is for handlers of Upload rows, which read a file first. Work
// that lost a race is run again: it must start from what is in the database.
func (c Ctx) Transact(work func(Ctx) error) error {
	_, err := retryWhileMoving(c, func() (answer, error) {
		return c.rq.kernel.transact(c, c.rq, func(tx *gorm.DB) (answer, error) {
			within := c
			within.DB = tx
			return nil, work(within)
		})
	})
	return err
}

// Apart is the school's database outside any transaction: what is written here stays,
// even if the work fails. It is for the progress of a long piece of work.
func (c Ctx) Apart(ctx context.Context) (*gorm.DB, error) {
	return c.rq.kernel.Databases.School(ctx, c.School, tenancy.ReadWrite)
}

// transact runs work in one transaction, again if it lost a race. Its facts, audit rows and
// remembered answer go out with the COMMIT, in one round trip.
func (k *Kernel) transact(ctx context.Context, rq *request, work func(*gorm.DB) (answer, error)) (answer, error) {
	if rq.school != nil { // before the transaction: it may read the policy, which would need a second connection
		var err error
		if rq.tellsChanges, err = k.Permissions.TellsChanges(ctx, rq.school); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		rq.facts, rq.audits, rq.changes, rq.atCommit, rq.last, rq.rights, rq.unchanged = nil, nil, nil, nil, nil, false, false
		a, err := k.transactOnce(ctx, rq, work)
		if err == nil || try == attempts || !k.retriable(err) {
			return a, err
		}
		// Let the winner go on first: back at once, it would meet the same rival again.
		time.Sleep(rand.N(time.Duration(try) * 20 * time.Millisecond))
	}
}

func (k *Kernel) transactOnce(ctx context.Context, rq *request, work func(*gorm.DB) (answer, error)) (answer, error) {
	tx, err := k.begin(ctx, rq.row, rq)
	if err != nil {
		return nil, err
	}
	committed := false
	defer func() {
		if !committed {
			_ = tx.Rollback()
		}
	}()
	a, err := work(tx)
	if err != nil || rq.replayed {
		return a, err
	}
	last, err := k.commitStatements(rq, a)
	if err != nil {
		return nil, err
	}
	publishes := len(rq.facts) > 0 && rq.school != nil
	if publishes {
		k.Outbox.Lease(ctx, rq.school.ID)
	}
	committed = true // tenancy.Commit ends the transaction either way
	if err := k.commit(ctx, tx, rq, last); err != nil {
		return nil, err
	}
	if publishes {
		k.Outbox.Wake(rq.school.ID)
	}
	if rq.rights {
		k.Permissions.Changed(rq.school.ID)
	}
	return a, nil
}

// commit ends the transaction. Where a standby answers reads, what the office writes is seen by all of its school at once,
// what others write at once by themselves: rights, and who belongs to whom, are the office's.
func (k *Kernel) commit(ctx context.Context, tx *gorm.DB, rq *request, last []tenancy.Query) error {
	if k.Standbys == nil || rq.school == nil || !k.Standbys.For(rq.school) {
		return tenancy.Commit(tx, last...)
	}
	end, err := tenancy.CommitAt(tx, last...)
	if err == nil && end > 0 {
		k.Standbys.Wrote(ctx, rq.school, rq.user.ID, rq.user.Role == SchoolAdmin || rq.rights, end)
	}
	return err
}

func (k *Kernel) begin(ctx context.Context, row *Row, rq *request) (*gorm.DB, error) {
	mode := tenancy.ReadWrite
	if row.Upload {
		mode = tenancy.LongWrite
	}
	db := k.Databases.Platform(ctx, tenancy.ReadWrite)
	if row.Kind() != KindPlatform {
		var err error
		if db, err = k.Databases.School(ctx, rq.school, mode); err != nil {
			return nil, err
		}
	}
	tx := db.Begin()
	return tx, tx.Error
}

func (k *Kernel) callWrite(ctx context.Context, db *gorm.DB, row *Row, rq *request, req any) (answer, error) {
	var resp any
	var err error
	if row.Kind() == KindPlatform {
		resp, err = row.callPlatform(PlatformCtx{Context: ctx, User: rq.user, DB: db, Now: rq.now, rq: rq}, req)
	} else {
		c := Ctx{Context: ctx, User: rq.user, School: rq.school, DB: db, Now: rq.now, rq: rq}
		if err := k.checkScope(c, row, req); err != nil {
			return nil, err
		}
		resp, err = row.callSchool(c, req)
	}
	if err != nil {
		return nil, err
	}
	return row.answer(resp)
}

// commitStatements are the rows every change leaves behind.
func (k *Kernel) commitStatements(rq *request, a answer) ([]tenancy.Query, error) {
	out := rq.last
	if len(rq.audits) == 0 && rq.user.Role != Parent && !rq.row.NoAudit && !rq.unchanged {
		// A handler that recorded nothing still leaves a trace of who called what.
		rq.audits = []audit{{action: rq.row.Name(), entity: rq.row.Module}}
	}
	for _, entry := range rq.audits {
		q, err := entry.query(rq)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
		rq.noteChange(entry)
	}
	rq.facts = append(rq.facts, rq.changeFacts()...)
	for _, gathered := range rq.atCommit {
		more, err := gathered.Statements(Ctx{School: rq.school, Now: rq.now, rq: rq})
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	if k.Untold != nil {
		rq.facts = slices.DeleteFunc(rq.facts, k.Untold)
	}
	for _, f := range rq.facts {
		f.Silent = f.Silent || rq.row.Silent
		args, err := f.InsertArgs(rq.now)
		if err != nil {
			return nil, err
		}
		out = append(out, tenancy.Query{SQL: events.InsertSQL, Args: args})
	}
	if rq.rights {
		out = append(out, tenancy.Query{SQL: `update school_setting set policy_version = policy_version + 1`})
	}
	if rq.key != "" {
		out = append(out, rememberAnswer(rq, a))
	}
	return out, nil
}
