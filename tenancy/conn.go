package tenancy

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/tenancy/internal/sqlstate"
)

// conn is one Postgres connection as database/sql sees it. It takes the school
// from each statement's context and sends the binding in the statement's own
// pipeline: one round trip, and nothing left behind on the connection.
type conn struct {
	pg      *pgx.Conn
	plans   *plans  // nil: statements are not prepared here
	refused refusal // nil: no school is served here
	retires time.Time
	standby bool // the server behind it takes no writes

	tx *transaction // nil outside a transaction
}

// transaction is begun lazily: BEGIN and the binding go out with its first statement.
type transaction struct {
	binding binding
	begun   bool
	ended   bool // COMMIT went out with the last statements
}

var (
	_ driver.QueryerContext    = (*conn)(nil)
	_ driver.ExecerContext     = (*conn)(nil)
	_ driver.ConnBeginTx       = (*conn)(nil)
	_ driver.NamedValueChecker = (*conn)(nil)
	_ driver.Validator         = (*conn)(nil)
	_ driver.SessionResetter   = (*conn)(nil)
	_ driver.Pinger            = (*conn)(nil)
)

// endTimeout bounds COMMIT and ROLLBACK, which database/sql calls without a context.
const endTimeout = 10 * time.Second

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	results, err := c.send(ctx, func(batch *pgx.Batch) { batch.Queue(c.text(ctx, query), values(args)...) })
	if err != nil {
		return nil, err
	}
	pgRows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, c.fault(ctx, err)
	}
	return &rows{Rows: pgRows, results: results, types: c.pg.TypeMap(), explain: func(err error) error { return c.explain(ctx, err) }}, nil
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if b, ok := ctx.Value(pipelineKey{}).(*pipeline); ok {
		return driver.RowsAffected(0), c.runPipeline(ctx, b)
	}
	if b, ok := ctx.Value(copyingKey{}).(*copying); ok {
		return driver.RowsAffected(0), c.copy(ctx, b)
	}
	results, err := c.send(ctx, func(batch *pgx.Batch) { batch.Queue(c.text(ctx, query), values(args)...) })
	if err != nil {
		return nil, err
	}
	tag, err := results.Exec()
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, c.fault(ctx, err)
	}
	return driver.RowsAffected(tag.RowsAffected()), nil
}

// send sends statements behind the binding they need, and reads the binding's results. A binding that is refused is tried
// once more behind forgetRoles.
func (c *conn) send(ctx context.Context, queue func(*pgx.Batch)) (pgx.BatchResults, error) {
	lead, err := c.lead(ctx)
	if err != nil {
		return nil, err
	}
	results, err := c.sendBehind(ctx, lead, queue)
	if len(lead) > 0 && sqlstate.Of(err) == sqlstate.InsufficientPrivilege {
		if c.tx != nil {
			if _, err := c.pg.Exec(ctx, "rollback"); err != nil {
				return nil, c.fault(ctx, err)
			}
		}
		last := len(lead) - 1
		results, err = c.sendBehind(ctx, slices.Insert(lead, last, statement{sql: c.forgetRoles()}), queue)
	}
	switch {
	case errors.Is(err, ErrNotReplayed):
		return nil, err
	case err != nil:
		return nil, c.fault(ctx, err)
	case c.tx != nil:
		c.tx.begun = true
	}
	return results, nil
}

// forgetRoles has the server forget which roles this login may take. It keeps them, and when a role is granted just while
// it finds them out, it keeps what it found before until the next role is granted: a school would be refused here long
// after it was made. It keeps them for one login at a time, so asking for another is enough; the two are always there.
func (c *conn) forgetRoles() string {
	how := "set"
	if strings.HasPrefix(c.pg.PgConn().ParameterStatus("server_version"), "15") { // which has no such word, and keeps both together
		how = "member"
	}
	return "select pg_catalog.pg_has_role('pg_monitor', 'pg_read_all_stats', '" + how + "')"
}

type statement struct {
	sql  string
	args []any
}

// lead is what goes before a statement: the binding it needs, or BEGIN and the binding when it is the first of a transaction.
func (c *conn) lead(ctx context.Context) ([]statement, error) {
	b, ok := bound(ctx)
	if !ok {
		return nil, ErrNoSchool
	}
	if c.tx == nil {
		return []statement{b.statement()}, nil
	}
	if !c.tx.binding.sameSchool(b) {
		return nil, ErrOtherSchool
	}
	if c.tx.begun {
		return nil, nil
	}
	return []statement{{sql: "begin"}, c.tx.binding.statement()}, nil
}

// text is what is sent for a statement.
func (c *conn) text(ctx context.Context, sql string) string {
	b, _ := bound(ctx)
	return c.plans.text(b.schema, sql)
}

// sendBehind sends what queue adds behind lead, and reads the results of lead.
func (c *conn) sendBehind(ctx context.Context, lead []statement, queue func(*pgx.Batch)) (pgx.BatchResults, error) {
	batch := &pgx.Batch{}
	for _, s := range lead {
		batch.Queue(s.sql, s.args...)
	}
	queue(batch)
	results := c.pg.SendBatch(ctx, batch)
	for i := range lead {
		replayed, err := true, error(nil)
		if b, _ := bound(ctx); b.standby && i == len(lead)-1 {
			var path, role, readOnly string
			err = results.QueryRow().Scan(&path, &role, &readOnly, &replayed)
		} else {
			_, err = results.Exec()
		}
		if err == nil && !replayed {
			err = ErrNotReplayed
		}
		if err != nil {
			_ = results.Close()
			return nil, err
		}
	}
	return results, nil
}

// fault lets database/sql try another connection where nothing can have been
// changed on this one: the statement was never sent, or it was a read outside a
// transaction and the connection broke under it (a restarted server, say).
func (c *conn) fault(ctx context.Context, err error) error {
	if err := c.explain(ctx, err); errors.Is(err, ErrMoving) || errors.Is(err, ErrStandby) {
		return err
	}
	if c.tx != nil || ctx.Err() != nil {
		return err
	}
	b, _ := bound(ctx)
	if pgconn.SafeToRetry(err) || (b.mode == ReadOnly && c.pg.IsClosed()) {
		return driver.ErrBadConn
	}
	return err
}

// ErrStandby says that a write met a server that takes none: another has taken over, and this one, or the pooler that
// leads to it, is not through with it yet. Nothing was changed.
var ErrStandby = errors.New("tenancy: the server is a standby")

// standbyHint marks what the owner's connections were refused by a server that takes no writes any more.
const standbyHint = "tenancy: the server is a standby"

// leaveStandby closes a connection of the owner's to a server that takes no writes any more: the next one goes to the one
// that does, where the address names both. The owner's transactions are never read-only by themselves.
func leaveStandby(_ *pgconn.PgConn, e *pgconn.PgError) (stays bool) {
	if e.Code == sqlstate.ReadOnlyTransaction {
		e.Hint = standbyHint
		return false
	}
	return e.Severity != "FATAL"
}

// IsStandby reports whether err says that a write met a server that takes none: it is worth trying again.
func IsStandby(err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, ErrStandby) || errors.As(err, &pg) && pg.Hint == standbyHint
}

// explain turns what a school that moves is refused with into ErrMoving, and what a standby refuses into ErrStandby.
func (c *conn) explain(ctx context.Context, err error) error {
	b, ok := bound(ctx)
	if err == nil || !ok {
		return err
	}
	if b.mode != ReadOnly && sqlstate.Of(err) == sqlstate.ReadOnlyTransaction {
		c.standby = true
		return fmt.Errorf("%w: %w", ErrStandby, err)
	}
	if c.refused == nil {
		return err
	}
	return c.refused(ctx, b.schema, err)
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	b, ok := bound(ctx)
	if !ok {
		return nil, ErrNoSchool
	}
	if o.Isolation != 0 {
		return nil, errors.New("tenancy: transactions are read committed; take a row's lock instead")
	}
	if o.ReadOnly {
		b.mode = ReadOnly
	}
	if c.tx != nil {
		return nil, errors.New("tenancy: a transaction is open on this connection")
	}
	c.tx = &transaction{binding: b}
	return c, nil
}

func (c *conn) Commit() error {
	tx := c.tx
	c.tx = nil
	if !tx.begun || tx.ended {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	tag, err := c.pg.Exec(ctx, "commit")
	if err == nil && tag.String() == "ROLLBACK" {
		err = errors.New("tenancy: commit of a failed transaction")
	}
	return err
}

func (c *conn) Rollback() error {
	tx := c.tx
	c.tx = nil
	if c.pg.IsClosed() || tx.ended || c.pg.PgConn().TxStatus() == 'I' {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	_, err := c.pg.Exec(ctx, "rollback")
	return err
}

// Prepare is not supported: a prepared statement would carry no context, and so
// no school. pgx caches statements by itself.
func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("tenancy: prepared statements are not bound to a school")
}

func (c *conn) Begin() (driver.Tx, error) { return nil, ErrNoSchool }

func (c *conn) Ping(ctx context.Context) error { return c.pg.Ping(ctx) }

func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return c.pg.Close(ctx)
}

// CheckNamedValue lets every argument through to pgx, which knows more types than
// database/sql does (slices, uuids, json).
func (c *conn) CheckNamedValue(*driver.NamedValue) error { return nil }

// IsValid retires a connection that is closed, stuck in a transaction, at a standby, or old: a
// backend's caches grow with every school it has met and are freed only with it.
func (c *conn) IsValid() bool {
	return !c.pg.IsClosed() && !c.standby && c.pg.PgConn().TxStatus() == 'I' && time.Now().Before(c.retires)
}

func (c *conn) ResetSession(context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

func values(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}
