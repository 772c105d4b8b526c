package tenancy

import (
	"context"
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

// advance runs the migrations a schema of this version lacks, each in one transaction
// with the new version: a string of several statements is one to Postgres, and one
// round trip. The schema's lock is held by conn.
func advance(ctx context.Context, conn *pgconn.PgConn, schema string, version int, ms []migrations.Migration, lockTimeout time.Duration) (outcome, error) {
	out := outcome{version: version}
	if latest := migrations.Latest(ms); version > latest {
		return out, AheadError{"schema " + schema, version, latest}
	}
	for _, m := range ms {
		if m.Version <= version {
			continue
		}
		err := conn.Exec(ctx, fmt.Sprintf("set local search_path = %s; set local lock_timeout = %d;\n%s\n;%s",
			Ident(schema), lockTimeout.Milliseconds(), forRole(m.SQL, schema), setVersion(schema, m.Version))).Close()
		if err != nil {
			return out, fmt.Errorf("migration %s: %w", m.Name, err)
		}
		out.version = m.Version
		out.applied++
	}
	return out, nil
}

// lockSchema waits for the schema's lock, which this session then holds, and reads the
// schema's version: two statements, for the version must be seen as of after the lock.
func lockSchema(ctx context.Context, conn *pgconn.PgConn, schema string) (int, error) {
	err := conn.Exec(ctx, fmt.Sprintf(`set local lock_timeout = '%s'; select pg_advisory_lock(%d)`, lockWait, lockKey(schema))).Close()
	if err != nil {
		return 0, fmt.Errorf("locking %s: %w", schema, err)
	}
	return readVersion(ctx, conn, schema)
}

// claimSchemas takes the locks of those schemas nobody else holds and reads their
// versions, in one round trip: what locking costs a fleet is shared by many schools.
// What this session held before is released.
func claimSchemas(ctx context.Context, conn *pgconn.PgConn, schemas []string) (map[string]int, error) {
	keys := make([]string, len(schemas))
	for i, s := range schemas {
		keys[i] = fmt.Sprintf("(%d, %d)", i, lockKey(s))
	}
	results, err := conn.Exec(ctx, `select pg_advisory_unlock_all();
		select i from (values `+strings.Join(keys, ", ")+`) as wanted (i, key) where pg_try_advisory_lock(key);
		`+selectVersions(schemas...)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("locking schemas: %w", err)
	}
	versions, err := parseVersions(results[2])
	if err != nil {
		return nil, err
	}
	claimed := map[string]int{}
	for _, row := range results[1].Rows {
		var i int
		if _, err := fmt.Sscan(string(row[0]), &i); err != nil {
			return nil, err
		}
		if version, there := versions[schemas[i]]; there {
			claimed[schemas[i]] = version
		}
	}
	return claimed, nil
}
