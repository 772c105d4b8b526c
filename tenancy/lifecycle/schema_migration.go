package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

const (
	// DefaultLockTimeout is how long a statement on a school's tables may wait for one; Migrator.LockTimeout says why it is
	// short.
	DefaultLockTimeout = 500 * time.Millisecond
	// DefaultTries is how often what found a table busy is tried.
	DefaultTries = 10
)

// outcome is the version a schema was left at, and how many migrations that took.
type outcome struct {
	version int
	applied int
}

// MigrateSchema brings a schema that exists to the latest version, and returns that.
func MigrateSchema(ctx context.Context, n *tenancy.Node, schema string) (version int, err error) {
	err = RetryTransient(ctx, DefaultTries, func() error {
		pooled, err := n.Admin().Acquire(ctx)
		if err != nil {
			return err
		}
		defer advisory.Conn{Conn: pooled}.Unlock()
		conn := pooled.Conn().PgConn()
		if version, err = tenancy.LockSchema(ctx, conn, schema); err != nil {
			return err
		}
		out, err := applyMigrations(ctx, conn, schema, version, n.Options().Migrations, DefaultLockTimeout)
		version = out.version
		return err
	})
	return version, err
}

// applyMigrations runs the migrations a schema of this version lacks, each in one transaction
// with the new version: a string of several statements is one to Postgres, and one
// round trip. The schema's lock is held by conn.
func applyMigrations(ctx context.Context, conn *pgconn.PgConn, schema string, version int, ms []migrations.Migration,
	lockTimeout time.Duration) (outcome, error) {
	out := outcome{version: version}
	if latest := migrations.Latest(ms); version > latest {
		return out, AheadError{"schema " + schema, version, latest}
	}
	for _, m := range ms {
		if m.Version <= version {
			continue
		}
		err := conn.Exec(ctx, fmt.Sprintf("set local search_path = %s; set local lock_timeout = %d;\n%s\n;%s",
			tenancy.Ident(schema), lockTimeout.Milliseconds(), forRole(m.SQL, schema), tenancy.SetVersion(schema, m.Version))).Close()
		if err != nil {
			return out, fmt.Errorf("migration %s: %w", m.Name, err)
		}
		out.version = m.Version
		out.applied++
	}
	return out, nil
}
