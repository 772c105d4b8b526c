package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
	"homeroom/tenancy/lifecycle"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// cleanUp removes what a move leaves behind once its outcome is known. It is tried until
// it succeeds: by the run that ended the move, then by the clock.
func (r *moving) cleanUp(ctx context.Context) error {
	if r.move.Clean {
		return nil
	}
	var err error
	switch r.move.State {
	case Moved:
		r.stepped("release", false)
		if _, err = r.begin(ctx, "release"); err == nil {
			err = errors.Join(r.dropReplication(ctx), at(r.source, lifecycle.LabelCopy(ctx, r.source, r.school)))
		}
	case Failed:
		err = r.release(ctx)
	case Confirmed:
		err = r.dropCopy(ctx, r.source)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`update platform.school_move set clean = true, rights = null where id = $1`, r.move.ID)
	if r.move.State == Moved {
		batch.Queue(finishMoveStep, r.move.ID, "release")
	}
	if err := r.platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("recording that nothing is left: %w", err)
	}
	if r.move.State == Moved {
		r.stepped("release", true)
	}
	return nil
}

// release undoes a move that has not switched: the school's writes go on, and what was
// made on both servers is removed. The source comes first, for the school is there.
func (r *moving) release(ctx context.Context) error {
	return errors.Join(r.endHold(ctx), r.dropReplication(ctx), r.dropCopy(ctx, r.target))
}

// dropReplication removes subscription, slots and publication. The slots go even if the
// target is away: while they are there, the source keeps its log for them.
func (r *moving) dropReplication(ctx context.Context) error {
	return errors.Join(at(r.target, r.dropSubscription(ctx)), at(r.source, r.dropSlots(ctx)), at(r.source, r.dropPublication(ctx)))
}

func (r *moving) dropSubscription(ctx context.Context) error {
	var there bool
	err := r.target.Admin().QueryRow(ctx, `select exists (select from pg_catalog.pg_subscription where subname = $1
		and subdbid = (select oid from pg_catalog.pg_database where datname = current_database()))`, r.move.name()).Scan(&there)
	if err != nil || !there {
		return err
	}
	name := tenancy.Ident(r.move.name())
	// Without its slot, it can be dropped while the source is away.
	for _, sql := range []string{"alter subscription " + name + " disable", "alter subscription " + name + " set (slot_name = none)",
		"drop subscription " + name} {
		if _, err := r.target.Admin().Exec(ctx, sql); err != nil && sqlstate.Of(err) != sqlstate.UndefinedObject {
			return err
		}
	}
	return nil
}

// dropSlots removes the move's slot and those of tables that were being copied, which
// Postgres names by the subscription's number and the target's own.
func (r *moving) dropSlots(ctx context.Context) error {
	pattern := ""
	if r.move.subscription != nil {
		var identity string
		if err := r.platform.QueryRow(ctx, `select coalesce(identity, '') from platform.node where name = $1`,
			r.target.Name).Scan(&identity); err != nil {
			return err
		}
		server, _, _ := strings.Cut(identity, "/")
		pattern = fmt.Sprintf(`^pg_%d_sync_[0-9]+_%s$`, *r.move.subscription, server)
	}
	for {
		rows, err := r.source.Admin().Query(ctx, `select slot_name::text from pg_catalog.pg_replication_slots where slot_name = $1 or ($2 <> ''
			and slot_name ~ $2)`, r.move.name(), pattern)
		if err != nil {
			return err
		}
		slots, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(slots) == 0 {
			return err
		}
		for _, slot := range slots {
			// The target may still read from it, not having noticed yet.
			_, _ = r.source.Admin().Exec(ctx, `select pg_catalog.pg_terminate_backend(active_pid) from pg_catalog.pg_replication_slots
				where slot_name = $1 and active_pid is not null`, slot)
			_, err := r.source.Admin().Exec(ctx, `select pg_catalog.pg_drop_replication_slot($1)`, slot)
			if code := sqlstate.Of(err); err != nil && code != sqlstate.UndefinedObject && code != sqlstate.ObjectInUse {
				return err
			}
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func (r *moving) dropPublication(ctx context.Context) error {
	if _, err := r.source.Admin().Exec(ctx, "drop publication if exists "+tenancy.Ident(r.move.name())); err != nil {
		return err
	}
	return r.identify(ctx, "c.relreplident = 'f'", "default")
}

// dropCopy removes the copy of the school that is on a node where it does not live.
// The school's lock is held, so no move can make it live there meanwhile.
func (r *moving) dropCopy(ctx context.Context, n *tenancy.Node) error {
	var lives, awaited bool
	err := r.platform.QueryRow(ctx, `select node = $2, exists (select from platform.school_move m where m.school_id = $1 and m.id <> $3
		and m.state = 'RUNNING' and m.target = $2)
		from platform.school where id = $1`, r.school.ID, n.Name, r.move.ID).Scan(&lives, &awaited)
	if err != nil {
		return err
	}
	if lives {
		return fmt.Errorf("school %s lives on node %s: its schema there is no copy", r.school.ID, n.Name)
	}
	if awaited {
		return nil // it comes back to this node, and that move removes what it finds
	}
	return at(n, lifecycle.DropSchema(ctx, n, r.school.Schema))
}
