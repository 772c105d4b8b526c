package tenancy

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// The errors of Postgres that mean something to this package.
const (
	undefinedTable    = "42P01"
	undefinedObject   = "42704"
	stillNeeded       = "2BP01"
	invalidValue      = "22023" // also of set_config, for a role that does not exist
	duplicateObject   = "42710"
	uniqueViolation   = "23505"
	noPrivilege       = "42501"
	wrongPassword     = "28P01"
	lockNotAvailable  = "55P03"
	deadlock          = "40P01"
	serializeFailure  = "40001"
	queryWasCancelled = "57014"
)

// pgCode is the SQLSTATE of an error, or empty.
func pgCode(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
