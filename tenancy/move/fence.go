package move

import (
	"context"
	"homeroom/tenancy"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A fence is a refusal by the database itself: the school's role loses the right to write.
// An instance that has not heard of the move thus cannot write to the old copy, however
// old its cached record is; tenancy turns the refusal into a wait (tenancy/hold.go).

// saveRights records what the role may write, before it is taken away, as the SQL that
// gives it back. It is recorded once and never overwritten: the fence may be up already.
func (r *moving) saveRights(ctx context.Context, source *pgx.Conn) error {
	if r.move.rights != nil {
		return nil
	}
	rows, err := source.Query(ctx, `select format('grant %s on %I.%I to %I', string_agg(a.privilege_type, ', '
		order by a.privilege_type), $1::text, c.relname, $2::text)
		from pg_catalog.pg_class c, aclexplode(c.relacl) a
		where c.relnamespace = $1::text::regnamespace and c.relkind = 'r' and a.grantee = $2::text::regrole
		and a.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
		group by c.relname
		union all
		select format('grant %s (%I) on %I.%I to %I', a.privilege_type, t.attname, $1::text, c.relname, $2::text)
		from pg_catalog.pg_class c join pg_catalog.pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
		where c.relnamespace = $1::text::regnamespace and c.relkind = 'r' and a.grantee = $2::text::regrole
		and a.privilege_type in ('INSERT', 'UPDATE')`,
		r.school.Schema, r.school.Role())
	if err != nil {
		return at(r.source, err)
	}
	rights, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return at(r.source, err)
	}
	if _, err := r.platform.Exec(ctx, `update platform.school_move set rights = $2 where id = $1`, r.move.ID, rights); err != nil {
		return err
	}
	r.move.rights = rights
	return nil
}

// fence takes the rights, then waits for the transactions that wrote before it was up.
//
// A writer has its lock on the table before its rights are checked. So a transaction that
// wrote with the old rights had the lock when REVOKE returned, and is seen by the first query;
// one that takes the lock later reads the new rights, and is refused.
func (r *moving) fence(ctx context.Context, source *pgx.Conn) error {
	tables, err := r.tables(ctx)
	if err != nil {
		return err
	}
	_, err = source.Exec(ctx, "revoke insert, update, delete, truncate on "+qualified(r.school.Schema,
		tables)+" from "+tenancy.Ident(r.school.Role()))
	if err != nil {
		return err
	}
	before, err := r.writers(ctx, source)
	for err == nil && len(before) > 0 {
		if err = sleep(ctx, 3*time.Millisecond); err != nil {
			return err
		}
		var now map[string]bool
		now, err = r.writers(ctx, source)
		for w := range before {
			if !now[w] {
				delete(before, w)
			}
		}
	}
	return err
}

// writers are the transactions that may have written to the school's tables.
func (r *moving) writers(ctx context.Context, source *pgx.Conn) (map[string]bool, error) {
	rows, err := source.Query(ctx, `select distinct l.virtualtransaction from pg_catalog.pg_locks l
		join pg_catalog.pg_class c on c.oid = l.relation
		where l.locktype = 'relation' and l.granted
		and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
			and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
			and c.relnamespace = $1::regnamespace and c.relkind = 'r'`, r.school.Schema)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out, nil
}

// unfence gives the rights back, all at once. Twice does no harm.
func (r *moving) unfence(ctx context.Context) error {
	if r.move.rights == nil {
		return nil
	}
	sql := append([]string{"grant usage on schema " + tenancy.Ident(r.school.Schema) + " to " + tenancy.Ident(r.school.Role())},
		r.move.rights...)
	conn, err := r.source.Admin().Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Conn().PgConn().Exec(ctx, strings.Join(sql, ";\n")).Close()
}

// awaitQuiet waits until no transaction has been writing for long: an import that is
// nearly done should not be broken off, nor all others wait for it.
func (r *moving) awaitQuiet(ctx context.Context, source *pgx.Conn) error {
	since := map[string]time.Time{}
	begun := time.Now()
	for {
		now, err := r.writers(ctx, source)
		if err != nil {
			return at(r.source, err)
		}
		long := false
		for w := range since {
			if !now[w] {
				delete(since, w)
			}
		}
		for w := range now {
			if since[w].IsZero() {
				since[w] = time.Now()
			}
			long = long || time.Since(since[w]) > longWriter
		}
		// One that has just begun may be a long one; those that are short are gone soon.
		if len(now) == 0 || !long && time.Since(begun) > longWriter || time.Since(begun) > r.Quiet {
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return errLater
		}
	}
}
