package tenancy

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Table is a table of a school's schema and the columns that are written into it: what
// Postgres works out by itself is left out.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// copySQL is the table and its columns as COPY names them.
func (t Table) copySQL() string {
	quoted := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		quoted[i] = pgx.Identifier{c}.Sanitize()
	}
	return pgx.Identifier{t.Name}.Sanitize() + " (" + strings.Join(quoted, ", ") + ")"
}

// exactly makes Postgres write every value so that reading it back gives the same one,
// independent of the server's settings, and rows in the order they lie in.
const exactly = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
	set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'; set local xmloption = 'content';
	set local synchronize_seqscans = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;`

// copyOut writes a table's rows in Postgres's text form, in the transaction conn is in.
func copyOut(ctx context.Context, conn *pgconn.PgConn, t Table, to io.Writer) (int64, error) {
	tag, err := conn.CopyTo(ctx, to, "copy "+t.copySQL()+" to stdout")
	if err != nil {
		return 0, fmt.Errorf("reading table %s: %w", t.Name, err)
	}
	return tag.RowsAffected(), nil
}

const (
	selectTables = `select c.relname, array(select a.attname::text from pg_catalog.pg_attribute a
			where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum)
		from pg_catalog.pg_class c where c.relnamespace = $1::text::regnamespace and c.relkind = 'r' order by c.relname`
	selectReferences = `select c.relname, r.relname from pg_catalog.pg_class c
		join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype = 'f' join pg_catalog.pg_class r on r.oid = k.confrelid
		where c.relnamespace = $1::text::regnamespace and r.oid <> c.oid`
)

// tablesOf lists a schema's tables, those that others refer to before the others: in
// this order they can be filled with every foreign key in force.
func tablesOf(ctx context.Context, conn *pgx.Conn, schema string) ([]Table, error) {
	rows, err := conn.Query(ctx, selectTables, Ident(schema))
	if err != nil {
		return nil, fmt.Errorf("listing the tables of %s: %w", schema, err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Table])
	if err != nil {
		return nil, fmt.Errorf("listing the tables of %s: %w", schema, err)
	}
	if rows, err = conn.Query(ctx, selectReferences, Ident(schema)); err != nil {
		return nil, fmt.Errorf("listing the references of %s: %w", schema, err)
	}
	needs := map[string][]string{}
	var from, to string
	_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		needs[from] = append(needs[from], to)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the references of %s: %w", schema, err)
	}
	return inOrder(tables, needs)
}

// inOrder puts tables after those they need.
func inOrder(tables []Table, needs map[string][]string) ([]Table, error) {
	var out []Table
	done := map[string]bool{}
	for len(out) < len(tables) {
		before := len(out)
		for _, t := range tables {
			if !done[t.Name] && !slices.ContainsFunc(needs[t.Name], func(n string) bool { return !done[n] }) {
				done[t.Name] = true
				out = append(out, t)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("tables refer to each other in a circle: after %d of %d none can be filled first", before, len(tables))
		}
	}
	return out, nil
}

// Tables are a school's tables as the node's template has them. The template is asked
// once: looking for one schema's tables reads the catalog of every school.
func (n *Node) Tables(ctx context.Context) ([]Table, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tables != nil {
		return n.tables, nil
	}
	conn, err := n.admin.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking node %s for its tables: %w", n.Name, err)
	}
	defer conn.Release()
	n.tables, err = tablesOf(ctx, conn.Conn(), TemplateSchema)
	return n.tables, err
}
