package tenancy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Loading is a schema that is being filled, in one transaction. Every constraint and
// trigger of the schema is in force.
type Loading struct {
	Tables []Table

	conn *pgconn.PgConn
}

// LoadRows has load fill the schema's tables in one transaction on conn. If it fails, nothing is left.
func LoadRows(ctx context.Context, conn *pgx.Conn, schema string, load func(context.Context, *Loading) error) error {
	tables, err := tablesOf(ctx, conn, schema)
	if err != nil {
		return err
	}
	pg := conn.PgConn()
	if err := pg.Exec(ctx, fmt.Sprintf("begin; %s set local search_path = %s", exactly, Ident(schema))).Close(); err != nil {
		return fmt.Errorf("beginning to load: %w", err)
	}
	err = load(ctx, &Loading{Tables: tables, conn: pg})
	end := "commit"
	if err != nil {
		end = "rollback"
	}
	if pg.IsClosed() {
		return err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	results, endErr := pg.Exec(ending, end).ReadAll()
	if err == nil && endErr == nil && results[0].CommandTag.String() != "COMMIT" {
		endErr = errors.New("what was loaded could not be committed")
	}
	return errors.Join(err, endErr)
}

// Fill puts rows in Postgres's text form into a table and returns how many there were. Rows
// that the migrations themselves put there are removed.
func (l *Loading) Fill(ctx context.Context, t Table, rows io.Reader) (int64, error) {
	// A table may refuse to be emptied, having a trigger against it, so an empty one is left alone.
	name := pgx.Identifier{t.Name}.Sanitize()
	found, err := l.conn.Exec(ctx, "select from "+name+" limit 1").ReadAll()
	if err == nil && len(found[0].Rows) > 0 {
		err = l.conn.Exec(ctx, "delete from "+name).Close()
	}
	if err != nil {
		return 0, fmt.Errorf("emptying table %s: %w", t.Name, err)
	}
	tag, err := l.conn.CopyFrom(ctx, rows, "copy "+t.copySQL()+" from stdin")
	if err != nil {
		return 0, fmt.Errorf("filling table %s: %w", t.Name, err)
	}
	return tag.RowsAffected(), nil
}

// Check has the database check now what it otherwise checks at the end of a transaction:
// that the ledger balances, that nothing is twice that may be there once.
func (l *Loading) Check(ctx context.Context) error {
	if err := l.conn.Exec(ctx, "set constraints all immediate").Close(); err != nil {
		return fmt.Errorf("checking what was loaded: %w", err)
	}
	return nil
}

// CopyTo writes a table's rows as they now are.
func (l *Loading) CopyTo(ctx context.Context, t Table, to io.Writer) (int64, error) {
	return copyOut(ctx, l.conn, t, to)
}
