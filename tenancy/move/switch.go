package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/lifecycle"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// warning is how long instances that hear of a hold have to finish what they have begun.
	warning = 60 * time.Millisecond
	// switchTime is what a run must have left to begin to hold writes.
	switchTime = 15 * time.Second
	// longWriter is how old a transaction is that a hold waits for rather than break it.
	longWriter = time.Second
)

// switchOver holds the school's writes, lets the target catch up, compares both copies
// and changes the school's record. If any of it fails or takes too long, the writes go on
// where they were.
func (r *moving) switchOver(ctx context.Context) error {
	if until, limited := ctx.Deadline(); limited && time.Until(until) < switchTime+r.HoldLimit {
		if _, slice := ctx.Value(sliceKey{}).(bool); slice {
			return errLater
		}
	}
	if p, err := r.readReplication(ctx); err != nil {
		return err
	} else if p.waiting > 0 {
		return RefusedError{fmt.Sprintf("%d tables are being copied again: the subscription on node %s was changed by somebody", p.waiting,
			r.target.Name)}
	}
	source, err := advisory.Connect(ctx, r.source.Admin(), r.school.Schema) // no migration from here on
	if err != nil {
		return at(r.source, err)
	}
	defer advisory.Close(source)
	if _, err := r.readReplication(ctx); err != nil { // and none since
		return err
	}
	if err := r.saveRights(ctx, source); err != nil {
		return err
	}
	if err := r.awaitQuiet(ctx, source); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, r.HoldLimit)
	defer cancel()
	begun := time.Now()
	rows, err := r.hold(limited, source)
	if err == nil {
		err = at(r.target, lifecycle.LabelHome(limited, r.target, r.school))
	}
	if err == nil {
		err = r.flip(ctx, begun, rows)
		if err != nil {
			// It may have been committed: the next run will see.
			return fmt.Errorf("changing the directory: %w", err)
		}
		r.cluster.NotifyChanged(r.school.ID)
		r.Log.Info("a school has moved", "schoolId", r.school.ID, "from", r.move.Source, "to", r.move.Target, "held", time.Since(begun), "rows",
			rows)
		return nil
	}
	after, cancelAfter := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancelAfter()
	return errors.Join(err, r.endHold(after))
}

// hold takes the school's writes away and leaves with both copies alike.
func (r *moving) hold(ctx context.Context, source *pgx.Conn) (rows int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`update platform.school set held = true where id = $1 and node = $2`, r.school.ID, r.move.Source)
	batch.Queue(`update platform.school_move set holds = holds + 1, held_at = now() where id = $1`, r.move.ID)
	if err := r.platform.SendBatch(ctx, batch).Close(); err != nil {
		return 0, err
	}
	r.move.Holds++
	r.cluster.NotifyChanged(r.school.ID)
	r.stepped("held", true)
	// Instances that heard of it begin nothing new; what they have begun may end.
	if err := sleep(ctx, warning); err != nil {
		return 0, err
	}
	if err := r.fence(ctx, source); err != nil {
		return 0, at(r.source, err)
	}
	r.stepped("fenced", true)
	if err := r.catchUp(ctx, source); err != nil {
		return 0, err
	}
	r.stepped("caught up", true)
	if err := r.copySequences(ctx); err != nil {
		return 0, err
	}
	if rows, err = r.compare(ctx); err != nil {
		return 0, err
	}
	r.stepped("compared", true)
	// From here on the old copy cannot be read and taken for the school.
	if _, err := source.Exec(ctx, "revoke usage on schema "+tenancy.Ident(r.school.Schema)+" from "+
		tenancy.Ident(r.school.Role())); err != nil {
		return 0, at(r.source, err)
	}
	r.stepped("shut", true)
	return rows, nil
}

// flip changes the school's record: the one moment at which it has moved.
func (r *moving) flip(ctx context.Context, begun time.Time, rows int64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := pgx.BeginFunc(ctx, r.platform, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update platform.school set node = $2, shard = $3, held = false, home = home + 1, version = version + 1,
			updated_at = now()
			where id = $1 and node = $4`, r.school.ID, r.move.Target, *r.move.Shard, r.move.Source)
		if err != nil {
			return err
		}
		if tag.RowsAffected() != 1 {
			return errors.New("the school is not where the move found it")
		}
		batch := &pgx.Batch{}
		batch.Queue(`update platform.school_move set state = 'MOVED', moved_at = now(), held_ms = $2, row_count = $3, tries = 0, error = ''
			where id = $1`,
			r.move.ID, time.Since(begun).Milliseconds(), rows)
		batch.Queue(finishMoveStep, r.move.ID, "switch")
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil {
		r.stepped("flipped", true)
	}
	return err
}

// catchUp waits until the target has on its disk all the source ever committed. The
// message in the log has the source flush what it has not yet, and marks the position.
func (r *moving) catchUp(ctx context.Context, source *pgx.Conn) error {
	var lsn string
	err := pgx.BeginFunc(ctx, source, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local synchronous_commit = on`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select pg_catalog.pg_logical_emit_message(true, 'homeroom', $1)::text`, r.move.name()).Scan(&lsn)
	})
	if err != nil {
		return at(r.source, err)
	}
	for {
		var there bool
		err := source.QueryRow(ctx, `select confirmed_flush_lsn >= $2::pg_lsn from pg_catalog.pg_replication_slots where slot_name = $1`,
			r.move.name(), lsn).Scan(&there)
		if err != nil {
			return at(r.source, err)
		}
		if there {
			return nil
		}
		if err := sleep(ctx, 3*time.Millisecond); err != nil {
			return fmt.Errorf("node %s does not catch up: %w", r.target.Name, err)
		}
	}
}

// endHold lets the school write again where it is.
func (r *moving) endHold(ctx context.Context) error {
	if err := r.unfence(ctx); err != nil {
		return at(r.source, err)
	}
	tag, err := r.platform.Exec(ctx, `update platform.school set held = false where id = $1 and node = $2 and held`, r.school.ID,
		r.move.Source)
	if err != nil {
		return err
	}
	if tag.RowsAffected() > 0 {
		r.cluster.NotifyChanged(r.school.ID)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// sliceKey marks the context of a run that will be called again when its time is over.
type sliceKey struct{}
