package tenancy

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Query is one statement of several that travel together. Scan, when given, reads
// its rows with pgx, past database/sql.
//
// ForceGenericPlan has Postgres keep one plan for all arguments. By itself it plans a
// statement anew for arguments that promise less work than the usual, such as a list of
// one id, and planning a long statement can cost more than all that work.
type Query struct {
	SQL              string
	Args             []any
	Scan             func(pgx.Rows) error
	ForceGenericPlan bool

	ofNoTable bool // one plan does for all schools
}

// What goes before and after queries that are to be planned once.
var (
	forceGenericPlan = Query{SQL: `select set_config('plan_cache_mode', 'force_generic_plan', true)`, ofNoTable: true}
	resetPlanMode    = Query{SQL: `select set_config('plan_cache_mode', 'auto', true)`, ofNoTable: true}
)

// pipeline is carried in the context to the connection: database/sql has no way
// to hand a driver more than one statement at a time.
type pipeline struct {
	queries []Query
	commit  bool
	end     *int64 // after the commit: how far the server's log is; nil: nobody asks
}

// logEnd is asked after the commit, so that what was committed is before it.
const logEnd = `select (pg_catalog.pg_current_wal_insert_lsn() - '0/0')::bigint`

type pipelineKey struct{}

// Pipeline sends the queries in one round trip, bound to db's school.
func Pipeline(db *gorm.DB, queries ...Query) error {
	return send(db, &pipeline{queries: queries})
}

// Commit sends the last statements of a transaction and its COMMIT in one round
// trip, then ends tx.
func Commit(tx *gorm.DB, last ...Query) error {
	return commit(tx, &pipeline{queries: last, commit: true})
}

// CommitAt is Commit, and returns how far the server's log was after it: a standby that has replayed it so far has all
// that was committed. 0: nothing was sent.
func CommitAt(tx *gorm.DB, last ...Query) (end int64, err error) {
	err = commit(tx, &pipeline{queries: last, commit: true, end: &end})
	return end, err
}

func commit(tx *gorm.DB, last *pipeline) error {
	sqlTx, ok := tx.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return errors.New("tenancy: commit outside a transaction")
	}
	if err := send(tx, last); err != nil {
		_ = sqlTx.Rollback()
		return err
	}
	return sqlTx.Commit()
}

func send(db *gorm.DB, t *pipeline) error {
	ctx := context.WithValue(db.Statement.Context, pipelineKey{}, t)
	_, err := db.Statement.ConnPool.ExecContext(ctx, "")
	return err
}

// Collect is a Query's Scan that reads its rows into structs by the columns' names; no row is an empty list. Which field a column
// is for is found out once for all rows.
func Collect[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		*into = []T{}
		var one *T
		fields := fieldsOfRow{Rows: rows}
		for rows.Next() {
			if one == nil {
				var err error
				if one, err = pgx.RowToAddrOfStructByNameLax[T](&fields); err != nil {
					return err
				}
			}
			*one = *new(T) // nothing of one row may stay in the next
			if err := rows.Scan(fields.targets...); err != nil {
				return err
			}
			*into = append(*into, *one)
		}
		return rows.Err()
	}
}

// fieldsOfRow keeps where pgx would scan a row to.
type fieldsOfRow struct {
	pgx.Rows
	targets []any
}

// Scan scans nothing.
func (r *fieldsOfRow) Scan(targets ...any) error {
	r.targets = targets
	return nil
}

// Row has the only row of a query read into a struct, by column name; no row is pgx.ErrNoRows.
func Row[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
		return err
	}
}

// Values has the only column of a query read.
func Values[T any](into *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	}
}

// One is the Scan of a Query with one row of one column; no row is pgx.ErrNoRows.
func One[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
		return err
	}
}

func (c *conn) runPipeline(ctx context.Context, t *pipeline) error {
	if t.commit && c.tx != nil && !c.tx.begun && len(t.queries) == 0 {
		return nil // nothing was ever sent
	}
	sent := withPlanModes(t.queries, c.tx != nil && !t.commit)
	results, err := c.send(ctx, func(batch *pgx.Batch) {
		for _, q := range sent {
			text := q.SQL
			if !q.ofNoTable {
				text = c.text(ctx, text)
			}
			batch.Queue(text, q.Args...)
		}
		if t.commit {
			batch.Queue("commit")
		}
		if t.end != nil {
			batch.Queue(logEnd)
		}
	})
	if err != nil {
		return err
	}
	scanned, err := readAll(results, t, sent)
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err != nil && scanned {
		return c.explain(ctx, err) // trying again would hand the same rows to Scan twice
	}
	if err != nil {
		return c.fault(ctx, err)
	}
	if t.commit {
		c.tx.ended = true
	}
	return nil
}

// withPlanModes puts what sets the way of planning between the queries where it changes. What is set holds until the
// transaction's end; goesOn says that more will come in it.
func withPlanModes(queries []Query, goesOn bool) []Query {
	if !slices.ContainsFunc(queries, func(q Query) bool { return q.ForceGenericPlan }) {
		return queries
	}
	all := make([]Query, 0, len(queries)+2)
	generic := false
	for _, q := range queries {
		switch {
		case q.ForceGenericPlan && !generic:
			all = append(all, forceGenericPlan)
		case generic && !q.ForceGenericPlan:
			all = append(all, resetPlanMode)
		}
		generic = q.ForceGenericPlan
		all = append(all, q)
	}
	if generic && goesOn {
		all = append(all, resetPlanMode)
	}
	return all
}

// readAll reads the queries' results; scanned says whether a Scan was called.
func readAll(results pgx.BatchResults, t *pipeline, sent []Query) (scanned bool, err error) {
	for _, q := range sent {
		if q.Scan == nil {
			if _, err := results.Exec(); err != nil {
				return scanned, err
			}
			continue
		}
		rows, err := results.Query()
		if err != nil {
			return scanned, err
		}
		scanned = true
		err = q.Scan(rows)
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			return scanned, err
		}
	}
	if !t.commit {
		return scanned, nil
	}
	tag, err := results.Exec()
	if err == nil && tag.String() == "ROLLBACK" {
		err = errors.New("tenancy: commit of a failed transaction")
	}
	if err == nil && t.end != nil {
		err = results.QueryRow().Scan(t.end)
	}
	return scanned, err
}
