package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// publish makes the publication and the slot on the source: from here on it keeps what
// is written until the target has it. The publication names the tables, for FOR TABLES
// IN SCHEMA would ask for a superuser; they cannot become more without a migration.
func (r *moving) publish(ctx context.Context) error {
	var published, slot bool
	err := r.source.Admin().QueryRow(ctx, `select exists (select from pg_catalog.pg_publication where pubname = $1), exists (select
		from pg_catalog.pg_replication_slots where slot_name = $1)`,
		r.move.name()).Scan(&published, &slot)
	if err != nil {
		return at(r.source, err)
	}
	if err := r.identify(ctx, "i.indexrelid is null and c.relreplident <> 'f'", "full"); err != nil {
		return at(r.source, err)
	}
	if !published {
		tables, err := r.tables(ctx)
		if err != nil {
			return err
		}
		if _, err := r.source.Admin().Exec(ctx, "create publication "+tenancy.Ident(r.move.name())+" for table "+qualified(r.school.Schema,
			tables)); err != nil {
			return at(r.source, err)
		}
	}
	if !slot {
		// It waits for every transaction that runs on that server now.
		if _, err := r.source.Admin().Exec(ctx, `select pg_catalog.pg_create_logical_replication_slot($1, 'pgoutput')`,
			r.move.name()); err != nil {
			return at(r.source, err)
		}
	}
	return nil
}

// identify sets how rows of tables without a primary key are found again on the target:
// by all their columns, while they are published. Else Postgres would refuse to change them.
func (r *moving) identify(ctx context.Context, which, how string) error {
	rows, err := r.source.Admin().Query(ctx, `select c.relname::text from pg_catalog.pg_class c left
		join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
		where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' and `+which, r.school.Schema)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		err := lifecycle.RetryTransient(ctx, lifecycle.DefaultTries, func() error {
			conn, err := r.source.Admin().Acquire(ctx)
			if err != nil {
				return err
			}
			defer conn.Release()
			return conn.Conn().PgConn().Exec(ctx, fmt.Sprintf("set local lock_timeout = %d; alter table %s replica identity %s",
				lifecycle.DefaultLockTimeout.Milliseconds(), qualified(r.school.Schema, []string{table}), how)).Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copy subscribes on the target and waits until every table is copied and the rest is
// a trickle.
func (r *moving) copy(ctx context.Context) error {
	if err := r.subscribe(ctx); err != nil {
		return at(r.target, err)
	}
	pause := 20 * time.Millisecond
	seen, failures := "", int64(0)
	var copied time.Time
	for {
		p, err := r.readReplication(ctx)
		if err != nil {
			return err
		}
		if p.waiting > 0 {
			copied = time.Time{}
		} else if copied.IsZero() {
			copied = time.Now()
		}
		// One that is written to faster than one process can follow catches up when its
		// writes are held, or goes on without a hold for another while.
		if p.waiting == 0 && (p.behind < trickle || time.Since(copied) > followFor) {
			return nil
		}
		if now := fmt.Sprint(p.waiting, p.confirmed); now != seen {
			seen, failures = now, p.errors
			if _, err := r.platform.Exec(ctx, `update platform.school_move set progressed_at = now() where id = $1`, r.move.ID); err != nil {
				return err
			}
			r.move.progressedAt = time.Now()
		}
		if p.errors-failures > mostErrors {
			return RefusedError{fmt.Sprintf("node %s cannot take the school's rows: its log says why", r.target.Name)}
		}
		if time.Since(r.move.progressedAt) > r.Stall {
			return RefusedError{fmt.Sprintf("nothing was copied for %v, %d tables wait: see the log of node %s; it may have too few "+
				"max_logical_replication_workers, or not reach node %s",
				r.Stall, p.waiting, r.target.Name, r.source.Name)}
		}
		select {
		case <-ctx.Done():
			return errLater
		case <-time.After(pause):
			pause = min(2*pause, 500*time.Millisecond)
		}
	}
}

// trickle is how many bytes of log the target may be behind when writes are held.
const trickle = 1 << 20

// mostErrors is how many failures without any progress the target may have.
const mostErrors = 20

// followFor is how long a copied school is followed in the hope of a trickle.
const followFor = 20 * time.Second

// replication is how far the target has come.
type replication struct {
	waiting   int    // tables that are not copied yet
	errors    int64  // how often it failed so far
	confirmed string // position on the source up to which the target has everything on disk
	behind    int64  // bytes
}

func (r *moving) readReplication(ctx context.Context) (p replication, err error) {
	err = r.target.Admin().QueryRow(ctx, `select (select count(*) from pg_catalog.pg_subscription_rel sr where sr.srsubid = s.oid
		and sr.srsubstate <> 'r'),
			coalesce((select t.apply_error_count + t.sync_error_count from pg_catalog.pg_stat_subscription_stats t where t.subid = s.oid), 0)
		from pg_catalog.pg_subscription s where s.subname = $1`, r.move.name()).Scan(&p.waiting, &p.errors)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, errAgain
	}
	if err != nil {
		return p, at(r.target, err)
	}
	err = r.source.Admin().QueryRow(ctx, `select coalesce(confirmed_flush_lsn, '0/0')::text,
		pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), coalesce(confirmed_flush_lsn, '0/0'))::bigint
		from pg_catalog.pg_replication_slots where slot_name = $1`, r.move.name()).Scan(&p.confirmed, &p.behind)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, errAgain // it was dropped, or the source was restored without it
	}
	if err != nil {
		return p, at(r.source, err)
	}
	var here, there int
	if here, err = r.source.SchemaVersion(ctx, r.school.Schema); err != nil {
		return p, at(r.source, err)
	}
	if there, err = r.target.SchemaVersion(ctx, r.school.Schema); err != nil {
		return p, at(r.target, err)
	}
	if here != there {
		return p, errAgain
	}
	return p, nil
}

// subscribe makes the subscription, unless it exists, and records its number.
func (r *moving) subscribe(ctx context.Context) error {
	const find = `select oid::bigint from pg_catalog.pg_subscription where subname = $1 and subdbid = (select oid from pg_catalog.pg_database
		where datname = current_database())`
	var number int64
	err := r.target.Admin().QueryRow(ctx, find, r.move.name()).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		if err := r.makeSubscription(ctx); err != nil {
			return err
		}
		err = r.target.Admin().QueryRow(ctx, find, r.move.name()).Scan(&number)
	}
	if err != nil {
		return err
	}
	if r.move.subscription != nil && *r.move.subscription == number {
		return nil
	}
	r.move.subscription = &number
	_, err = r.platform.Exec(ctx, `update platform.school_move set subscription = $2 where id = $1`, r.move.ID, number)
	return err
}

// makeSubscription has the target fetch the tables and follow the slot. What it has
// applied is on its disk before it says so (synchronous_commit), since the source's
// copy will be removed. The statement holds a password: it is kept out of the server's
// log where the user may set that.
func (r *moving) makeSubscription(ctx context.Context) error {
	return pgx.BeginFunc(ctx, r.target.Admin(), func(tx pgx.Tx) error {
		var super bool
		if err := tx.QueryRow(ctx, `select rolsuper from pg_catalog.pg_roles where rolname = current_user`).Scan(&super); err != nil {
			return err
		}
		if super {
			_, err := tx.Exec(ctx, `select set_config('log_statement', 'none', true), set_config('log_min_error_statement', 'panic', true),
				set_config('log_min_duration_statement', '-1', true)`)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, fmt.Sprintf(`create subscription %s connection %s publication %s
			with (create_slot = false, slot_name = '%s', copy_data = true, enabled = true, synchronous_commit = 'on')`,
			tenancy.Ident(r.move.name()), literal(r.source.ConnInfo()), tenancy.Ident(r.move.name()), r.move.name()))
		return err
	})
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
