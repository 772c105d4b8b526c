package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
)

// AheadError says that a schema was migrated by a newer binary than this one,
// which may read its tables wrongly.
type AheadError struct {
	What    string // "the platform's schema", or which school
	Version int
	Latest  int // the newest version this binary knows
}

func (e AheadError) Error() string {
	return fmt.Sprintf("%s has version %d, but this binary knows only versions up to %d: run the newer binary that migrated it",
		e.What, e.Version, e.Latest)
}

// CheckNotAhead returns an AheadError if the platform's schema or any school's is
// newer than this binary. A database that was never set up is not ahead.
func CheckNotAhead(ctx context.Context, c *tenancy.Cluster) error {
	var version int
	err := c.PlatformPool().QueryRow(ctx, `select coalesce(max(version), 0) from platform.migration`).Scan(&version)
	if sqlstate.Of(err) == sqlstate.UndefinedTable {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the platform's version: %w", err)
	}
	if latest := migrations.Latest(migrations.Platform()); version > latest {
		return AheadError{"the platform's schema", version, latest}
	}
	var code string
	err = c.PlatformPool().QueryRow(ctx, `select code, schema_version from platform.school where schema_version > $1
		order by schema_version desc, code limit 1`, c.SchoolVersion()).Scan(&code, &version)
	if errors.Is(err, pgx.ErrNoRows) || sqlstate.Of(err) == sqlstate.UndefinedTable {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the schools' versions: %w", err)
	}
	return AheadError{fmt.Sprintf("school %s", code), version, c.SchoolVersion()}
}
