package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
)

// A school's schema and its role are made in one transaction: they are there whole,
// or not at all. The schema carries its own version (tenancy.SetVersion), so that tables and
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

	// Whose it is; zero for a spare and the template.
	school schoolRef
	// What it is labelled as when it is made; empty: a school's or a spare, by school.
	state labelState
}

type schoolRef struct {
	id   uuid.UUID
	code string
}

// MakeCopy leaves the school's schema on a node it does not live on, whole and at the latest version, and returns that
// version. A schema that exists is migrated.
func MakeCopy(ctx context.Context, n *tenancy.Node, s *tenancy.School, shard int) (version int, err error) {
	return makeOrMigrate(ctx, n, target{node: n.Name, schema: s.Schema, shard: shard, school: schoolRef{s.ID, s.Code}, state: labelCopy})
}

// makeOrMigrate leaves the schema on the node, whole and at the latest version. A schema that exists is migrated; a
// school's that exists and is not the school's is refused with a NotSpareError.
func makeOrMigrate(ctx context.Context, n *tenancy.Node, t target) (version int, err error) {
	err = RetryTransient(ctx, DefaultTries, func() error {
		version, err = makeOrMigrateOnce(ctx, n, t)
		return err
	})
	return version, err
}

// makeOrMigrateOnce holds the schema's lock, on a connection that holds no other.
func makeOrMigrateOnce(ctx context.Context, n *tenancy.Node, t target) (version int, err error) {
	pooled, err := n.Admin().Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer advisory.Conn{Conn: pooled}.Unlock()
	conn, ms := pooled.Conn().PgConn(), n.Options().Migrations
	version, err = tenancy.LockSchema(ctx, conn, t.schema)
	if errors.Is(err, tenancy.ErrNoSchema) {
		if err := createSchema(ctx, n, conn, t, ms); err != nil {
			return 0, fmt.Errorf("making schema %s: %w", t.schema, err)
		}
		return migrations.Latest(ms), nil
	}
	if err == nil && t.school.id != uuid.Nil && t.state == "" {
		err = claimSchema(ctx, pooled.Conn(), t.schema, t.school.id)
	}
	if err != nil {
		return 0, err
	}
	out, err := applyMigrations(ctx, conn, t.schema, version, ms, DefaultLockTimeout)
	if err != nil {
		return 0, fmt.Errorf("migrating schema %s: %w", t.schema, err)
	}
	return out.version, nil
}

// createSchema creates role, schema, tables and rights in one transaction: a string of
// several statements is one to Postgres. A role that is already there is used.
func createSchema(ctx context.Context, n *tenancy.Node, conn *pgconn.PgConn, t target, ms []migrations.Migration) error {
	results, err := conn.Exec(ctx, fmt.Sprintf(`select from pg_catalog.pg_roles where rolname = '%s'`, t.schema)).ReadAll()
	if err != nil {
		return err
	}
	roleExists := len(results[0].Rows) == 1
	reader := conn.Exec(ctx, schemaSQL(n, t, roleExists, majorVersion(conn), ms))
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
// migration comes next, so that an error can name it.
const migrationMark = "homeroom_migration"

func schemaSQL(n *tenancy.Node, t target, roleExists bool, serverVersion int, ms []migrations.Migration) string {
	name := tenancy.Ident(t.schema)
	var sql strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&sql, format+";\n", args...) }
	line("set local lock_timeout = '5s'")
	if !roleExists {
		line("create role %s nologin", name)
	}
	line("create schema %s", name)
	line("set local search_path = %s", name)
	line("%s", tenancy.SetVersion(t.schema, migrations.Latest(ms)))
	line("grant usage on schema %s to %s", name, name)
	line("alter default privileges in schema %s grant select, insert, update, delete on tables to %s", name, name)
	for _, m := range migrations.ForNew(ms) {
		line("select '%s' as %s", strings.ReplaceAll(m.Name, "'", "''"), migrationMark)
		line("%s\n", forRole(m.SQL, t.schema))
	}
	if t.schema != tenancy.TemplateSchema {
		line("%s", labelSQL(t))
		line("%s", membership(n, t.schema, n.Login(t.shard), serverVersion))
	}
	return sql.String()
}

// forRole fills in the name of the school's role.
func forRole(sql, role string) string {
	return strings.ReplaceAll(sql, ":school_role", tenancy.Ident(role))
}

// DropSchema removes a schema, its role and its label under the schema's lock, empty or not.
func DropSchema(ctx context.Context, n *tenancy.Node, schema string) error {
	lock, err := advisory.Lock(ctx, n.Admin(), schema)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return dropSchema(ctx, lock.Conn.Conn().PgConn(), schema)
}

// dropSchema removes a schema and its role, if they are there. A role that another
// database of the same server still uses stays.
func dropSchema(ctx context.Context, conn *pgconn.PgConn, schema string) error {
	err := conn.Exec(ctx, fmt.Sprintf(`set local lock_timeout = '5s'; drop schema if exists %s cascade;
		delete from homeroom.schema_label where schema_name = '%s'`, tenancy.Ident(schema), schema)).Close()
	if err == nil {
		err = conn.Exec(ctx, fmt.Sprintf("drop role if exists %s", tenancy.Ident(schema))).Close()
		if sqlstate.Of(err) == sqlstate.DependentObjects {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("dropping schema %s: %w", schema, err)
	}
	return nil
}

// majorVersion is that of the server.
func majorVersion(conn *pgconn.PgConn) int {
	major, _, _ := strings.Cut(conn.ParameterStatus("server_version"), ".")
	v, _ := strconv.Atoi(strings.Trim(major, "abcdefghijklmnopqrstuvwxyz ")) // "18beta1"
	return v
}
