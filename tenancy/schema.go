package tenancy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
)

// A school's schema and its role are made in one transaction: they are there whole,
// or not at all. The schema carries its own version (version.go), so that tables and
// version change in one transaction on the node; platform.school.schema_version is
// the directory's copy.
//
// Rights. Tables are granted to the school's role as they are created, by default
// privileges of the schema (GRANT … ON ALL TABLES IN SCHEMA would scan the catalog of
// every school). A migration that wants less takes it back by name, and may write
// :school_role where the role's name belongs (psql's own notation):
//
//	REVOKE UPDATE, DELETE ON audit_event FROM :school_role;
//
// The template has a role like any school, of which nobody is a member.

// target is one schema to make or migrate.
type target struct {
	node   string
	schema string
	shard  int

	// What it is for, when it is a school's.
	school schoolRef
}

const (
	defaultLockTimeout = 500 * time.Millisecond
	defaultTries       = 10
	// lockWait bounds waiting for another instance that works on the same schema.
	lockWait = "30s"
)

// makeOrMigrate leaves the schema on the node, whole and at the latest version, and
// returns that version.
func (n *Node) makeOrMigrate(ctx context.Context, t target) (version int, err error) {
	err = tryAgain(ctx, defaultTries, func() error {
		version, err = n.makeOrMigrateOnce(ctx, t)
		return err
	})
	return version, err
}

// makeOrMigrateOnce holds the schema's lock, on a connection that holds no other.
func (n *Node) makeOrMigrateOnce(ctx context.Context, t target) (version int, err error) {
	pooled, err := n.admin.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer held{pooled}.release()
	conn, ms := pooled.Conn().PgConn(), n.options.Migrations
	version, err = lockSchema(ctx, conn, t.schema)
	if errors.Is(err, errNoSchema) {
		if err := n.makeSchema(ctx, conn, t, ms); err != nil {
			return 0, fmt.Errorf("making schema %s: %w", t.schema, err)
		}
		return migrations.Latest(ms), nil
	}
	if err != nil {
		return 0, err
	}
	out, err := advance(ctx, conn, t.schema, version, ms, defaultLockTimeout)
	if err != nil {
		return 0, fmt.Errorf("migrating schema %s: %w", t.schema, err)
	}
	return out.version, nil
}

// migrate brings a schema that is there to the latest version, and returns that.
func (n *Node) migrate(ctx context.Context, schema string) (version int, err error) {
	err = tryAgain(ctx, defaultTries, func() error {
		pooled, err := n.admin.Acquire(ctx)
		if err != nil {
			return err
		}
		defer held{pooled}.release()
		conn := pooled.Conn().PgConn()
		if version, err = lockSchema(ctx, conn, schema); err != nil {
			return err
		}
		out, err := advance(ctx, conn, schema, version, n.options.Migrations, defaultLockTimeout)
		version = out.version
		return err
	})
	return version, err
}

// makeSchema creates role, schema, tables and rights in one transaction: a string of
// several statements is one to Postgres. A role that is already there is used.
func (n *Node) makeSchema(ctx context.Context, conn *pgconn.PgConn, t target, ms []migrations.Migration) error {
	results, err := conn.Exec(ctx, fmt.Sprintf(`select from pg_catalog.pg_roles where rolname = '%s'`, t.schema)).ReadAll()
	if err != nil {
		return err
	}
	roleExists := len(results[0].Rows) == 1
	reader := conn.Exec(ctx, n.schemaSQL(t, roleExists, version(conn), ms))
	running := ""
	for reader.NextResult() {
		r := reader.ResultReader()
		marks := len(r.FieldDescriptions()) == 1 && r.FieldDescriptions()[0].Name == migrationMark
		for r.NextRow() {
			if marks {
				running = "migration " + string(r.Values()[0]) + ": "
			}
		}
	}
	if err := reader.Close(); err != nil {
		return fmt.Errorf("%s%w", running, err)
	}
	return nil
}

// migrationMark names the column in which the SQL of a new schema says which
// migration comes next, so that an error can be laid at its door.
const migrationMark = "homeroom_migration"

func (n *Node) schemaSQL(t target, roleExists bool, serverVersion int, ms []migrations.Migration) string {
	name := Ident(t.schema)
	var sql strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&sql, format+";\n", args...) }
	line("set local lock_timeout = '5s'")
	if !roleExists {
		line("create role %s nologin", name)
	}
	line("create schema %s", name)
	line("set local search_path = %s", name)
	line("%s", setVersion(t.schema, migrations.Latest(ms)))
	line("grant usage on schema %s to %s", name, name)
	line("alter default privileges in schema %s grant select, insert, update, delete on tables to %s", name, name)
	for _, m := range ms {
		line("select '%s' as %s", strings.ReplaceAll(m.Name, "'", "''"), migrationMark)
		line("%s\n", forRole(m.SQL, t.schema))
	}
	if t.schema != TemplateSchema {
		line("%s", n.membership(t.schema, n.login(t.shard), serverVersion))
	}
	return sql.String()
}

// forRole fills in the name of the school's role.
func forRole(sql, role string) string { return strings.ReplaceAll(sql, ":school_role", Ident(role)) }

// dropSchema removes a schema and its role, if they are there. A role that another
// database of the same server still uses stays.
func dropSchema(ctx context.Context, conn *pgconn.PgConn, schema string) error {
	err := conn.Exec(ctx, fmt.Sprintf("set local lock_timeout = '5s'; drop schema if exists %s cascade", Ident(schema))).Close()
	if err == nil {
		err = conn.Exec(ctx, fmt.Sprintf("drop role if exists %s", Ident(schema))).Close()
		if pgCode(err) == stillNeeded {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("dropping schema %s: %w", schema, err)
	}
	return nil
}

// version is the server's major version.
func version(conn *pgconn.PgConn) int {
	major, _, _ := strings.Cut(conn.ParameterStatus("server_version"), ".")
	v, _ := strconv.Atoi(strings.Trim(major, "abcdefghijklmnopqrstuvwxyz ")) // "18beta1"
	return v
}
