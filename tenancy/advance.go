package tenancy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
)

// outcome is the version a schema was left at, and how many migrations that took.
type outcome struct {
	version int
	applied int
}

// advance runs the migrations a schema lacks. It begins with the version the schema is
// said to have, and looks for itself only if that proves wrong: a fleet is migrated
// with one round trip a school.
func advance(ctx context.Context, conn *pgconn.PgConn, t target, ms []migrations.Migration, lockTimeout time.Duration) (out outcome, err error) {
	out.version = t.version
	for looked := false; ; looked = true {
		if out.version == 0 || looked {
			before := out.version
			if out.version, err = readVersion(ctx, conn, t.schema); err != nil {
				return out, err
			}
			if looked && out.version == before {
				return out, errMoved
			}
		}
		if latest := migrations.Latest(ms); out.version > latest {
			return out, AheadError{"schema " + t.schema, out.version, latest}
		}
		if err = out.catchUp(ctx, conn, t.schema, ms, lockTimeout); !errors.Is(err, errMoved) {
			return out, err
		}
	}
}

// errMoved says that a schema had another version than was assumed: another instance
// migrates it, or the directory was wrong.
var errMoved = errors.New("the schema's version changed meanwhile")

func (out *outcome) catchUp(ctx context.Context, conn *pgconn.PgConn, schema string, ms []migrations.Migration, lockTimeout time.Duration) error {
	for _, m := range ms {
		if m.Version <= out.version {
			continue
		}
		if err := migrateSchema(ctx, conn, schema, out.version, m, lockTimeout); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		out.version = m.Version
		out.applied++
	}
	return nil
}

// migrateSchema runs one migration in one transaction: a string of several statements
// is one to Postgres. The version is raised first, from what it must be. That takes the
// row's lock, so another instance that is at the same school waits there, then finds
// another version than it assumed, and fails before it runs anything. (An advisory lock
// would need a statement of its own before the version is read: the row serves better.)
func migrateSchema(ctx context.Context, conn *pgconn.PgConn, schema string, from int, m migrations.Migration, lockTimeout time.Duration) error {
	const moved = "version moved"
	err := conn.Exec(ctx, fmt.Sprintf(`set local search_path = %s; set local lock_timeout = '%s';
		update schema_version set version = (case version when %d then '%d' else '%s' end)::int, migrated_at = now();
		set local lock_timeout = %d;
		%s
		;`, Ident(schema), lockWait, from, m.Version, moved, lockTimeout.Milliseconds(), forRole(m.SQL, schema))).Close()
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == invalidText && strings.Contains(pg.Message, moved) {
		return errMoved
	}
	return err
}
