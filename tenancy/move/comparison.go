package move

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// compareConns is how many tables of each copy are read at a time.
const compareConns = 2

// summary is what is compared of one table: how many rows, and a sum over all of them
// that does not depend on their order.
type summary struct {
	rows int64
	sum  string
}

// compare reads both copies whole, side by side, while neither is written to. It returns
// how many rows there are.
func (r *moving) compare(ctx context.Context) (int64, error) {
	tables, err := r.columns(ctx)
	if err != nil {
		return 0, err
	}
	parts := make([][]tableColumns, compareConns)
	for i, t := range tables { // the largest come first
		parts[i%compareConns] = append(parts[i%compareConns], t)
	}
	here, there := make([]map[string]summary, compareConns), make([]map[string]summary, compareConns)
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() (err error) {
			here[i], err = summarize(ctx, r.source, r.school.Schema, part)
			return at(r.source, err)
		})
		group.Go(func() (err error) {
			there[i], err = summarize(ctx, r.target, r.school.Schema, part)
			return at(r.target, err)
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	var rows int64
	for i := range parts {
		for table, s := range here[i] {
			if c := there[i][table]; c != s {
				return 0, RefusedError{fmt.Sprintf("the copies differ in %s: %d rows on node %s, %d on node %s (checksums %s and %s)",
					table, s.rows, r.source.Name, c.rows, r.target.Name, s.sum, c.sum)}
			}
			rows += s.rows
		}
	}
	return rows, nil
}

type tableColumns struct {
	Table   string
	Columns []string
}

// columns are the tables' columns by name: their order may differ.
func (r *moving) columns(ctx context.Context) ([]tableColumns, error) {
	rows, err := r.source.Admin().Query(ctx, `select c.relname::text, array_agg(a.attname::text order by a.attname)
		from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where c.relnamespace = $1::regnamespace and c.relkind = 'r' group by c.oid, c.relname, c.relpages
		order by c.relpages desc, c.relname`, r.school.Schema)
	if err != nil {
		return nil, at(r.source, err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[tableColumns])
	return tables, at(r.source, err)
}

// summarize reads tables whole. Values are compared as text, so every setting their text
// depends on is set.
func summarize(ctx context.Context, n *tenancy.Node, schema string, tables []tableColumns) (map[string]summary, error) {
	selects := make([]string, len(tables))
	for i, t := range tables {
		columns := make([]string, len(t.Columns))
		for j, c := range t.Columns {
			columns[j] = pgx.Identifier{c}.Sanitize()
		}
		selects[i] = fmt.Sprintf(`select %s::text, count(*), coalesce(sum(hashtextextended(row(%s)::text, 0)), 0)::text from %s`,
			literal(t.Table), strings.Join(columns, ", "), pgx.Identifier{schema, t.Table}.Sanitize())
	}
	out := map[string]summary{}
	if len(tables) == 0 {
		return out, nil
	}
	err := pgx.BeginTxFunc(ctx, n.Admin(), pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `select set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
			set_config('intervalstyle', 'postgres', true),
			set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true), set_config('jit', 'off', true),
				set_config('statement_timeout', '0', true)`)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, strings.Join(selects, "\nunion all\n"))
		if err != nil {
			return err
		}
		var table string
		var s summary
		_, err = pgx.ForEachRow(rows, []any{&table, &s.rows, &s.sum}, func() error {
			out[table] = s
			return nil
		})
		return err
	})
	return out, err
}

// copySequences sets the target's sequences, which replication leaves alone. A school's
// tables have none today.
func (r *moving) copySequences(ctx context.Context) error {
	rows, err := r.source.Admin().Query(ctx, `select sequencename::text, last_value from pg_catalog.pg_sequences where schemaname = $1
		and last_value is not null`, r.school.Schema)
	if err != nil {
		return at(r.source, err)
	}
	var name string
	var last int64
	var batch pgx.Batch
	_, err = pgx.ForEachRow(rows, []any{&name, &last}, func() error {
		batch.Queue(`select pg_catalog.setval($1::regclass, $2)`, pgx.Identifier{r.school.Schema, name}.Sanitize(), last)
		return nil
	})
	if err != nil || batch.Len() == 0 {
		return at(r.source, err)
	}
	return at(r.target, r.target.Admin().SendBatch(ctx, &batch).Close())
}
