package move

import (
	"context"
	"fmt"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/lifecycle"
	"strings"

	"github.com/jackc/pgx/v5"
)

// prepare checks the servers again, waits for its turn and takes a shard on the target.
func (r *moving) prepare(ctx context.Context) error {
	if err := r.checkServers(ctx, r.school, r.move.Target); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, r.platform, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, advisory.Key("moves")); err != nil {
			return err
		}
		var under int
		err := tx.QueryRow(ctx, `select count(*) from platform.school_move where state = 'RUNNING' and shard is not null and id <> $1
			and (source in ($2, $3) or target in ($2, $3))`, r.move.ID, r.move.Source, r.move.Target).Scan(&under)
		if err != nil {
			return err
		}
		if under >= r.AtOnce {
			return errLater
		}
		shard, err := lifecycle.EmptiestShard(ctx, tx, r.target)
		if err != nil {
			return err
		}
		r.move.Shard = &shard
		_, err = tx.Exec(ctx, `update platform.school_move set shard = $2 where id = $1`, r.move.ID, shard)
		return err
	})
}

// schema makes the school's tables on the target by the migrations, at the version the
// source has, after removing what an earlier try may have left there.
func (r *moving) schema(ctx context.Context) error {
	if err := r.dropReplication(ctx); err != nil {
		return err
	}
	if err := r.dropCopy(ctx, r.target); err != nil {
		return err
	}
	version, err := lifecycle.MigrateSchema(ctx, r.source, r.school.Schema)
	if err != nil {
		return at(r.source, err)
	}
	if _, err := r.platform.Exec(ctx, `update platform.school set schema_version = $2 where id = $1`, r.school.ID, version); err != nil {
		return err
	}
	made, err := lifecycle.MakeCopy(ctx, r.target, r.school, *r.move.Shard)
	if err != nil {
		return at(r.target, err)
	}
	if made != version {
		return fmt.Errorf("%w: %d there, %d here", errAgain, version, made)
	}
	if err := r.empty(ctx); err != nil {
		return at(r.target, err)
	}
	return r.sameTables(ctx)
}

// empty removes the rows that migrations give every new school: the school brings its own.
func (r *moving) empty(ctx context.Context) error {
	tables, err := r.tables(ctx)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, r.target.Admin(), func(tx pgx.Tx) error {
		for _, t := range tables {
			name := qualified(r.school.Schema, []string{t})
			var full bool
			if err := tx.QueryRow(ctx, "select exists (select from "+name+")").Scan(&full); err != nil {
				return err
			}
			if !full {
				continue // and a table nothing may be deleted from says so even when it is empty
			}
			if _, err := tx.Exec(ctx, "delete from "+name); err != nil {
				return err
			}
		}
		return nil
	})
}

// sameTables compares the columns of both sides: a copy is made by name.
func (r *moving) sameTables(ctx context.Context) error {
	const columns = `select coalesce(md5(string_agg(format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
		a.attnotnull, a.attgenerated), ';'
			order by c.relname, a.attname)), '')
		from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where c.relnamespace = $1::regnamespace and c.relkind = 'r'`
	var here, there string
	if err := r.source.Admin().QueryRow(ctx, columns, r.school.Schema).Scan(&here); err != nil {
		return at(r.source, err)
	}
	if err := r.target.Admin().QueryRow(ctx, columns, r.school.Schema).Scan(&there); err != nil {
		return at(r.target, err)
	}
	if here != there {
		return RefusedError{"the school's tables on the source are not what the migrations make: somebody changed them by hand"}
	}
	return nil
}

// tables are the school's, as the source has them.
func (r *moving) tables(ctx context.Context) ([]string, error) {
	rows, err := r.source.Admin().Query(ctx, `select relname::text from pg_catalog.pg_class where relnamespace = $1::regnamespace
		and relkind = 'r' order by relpages desc, relname`, r.school.Schema)
	if err != nil {
		return nil, at(r.source, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return names, at(r.source, err)
}

// qualified names tables with their schema.
func qualified(schema string, tables []string) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = pgx.Identifier{schema, t}.Sanitize()
	}
	return strings.Join(names, ", ")
}
