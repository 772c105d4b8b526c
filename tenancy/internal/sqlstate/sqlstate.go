// Package sqlstate names the errors of Postgres that mean something to tenancy and its wings.
package sqlstate

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	UndefinedTable        = "42P01"
	ReadOnlyTransaction   = "25006"
	UndefinedObject       = "42704"
	DependentObjects      = "2BP01"
	InvalidParameterValue = "22023" // also of set_config, for a role that does not exist
	DuplicateObject       = "42710"
	UniqueViolation       = "23505"
	InsufficientPrivilege = "42501"
	InvalidPassword       = "28P01"
	InvalidAuthorization  = "28000"
	ProtocolViolation     = "08P01" // of PgBouncer, with all it has to say
	InvalidCatalogName    = "3D000"
	TooManyConnections    = "53300"
	CannotConnectNow      = "57P03"
	LockNotAvailable      = "55P03"
	ObjectInUse           = "55006"
	DeadlockDetected      = "40P01"
	SerializationFailure  = "40001"
	QueryCanceled         = "57014"
)

// Of returns the SQLSTATE of err, or an empty string where Postgres did not answer.
func Of(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// IsUnique reports whether err is the violation of this unique constraint.
func IsUnique(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == UniqueViolation && pg.ConstraintName == constraint
}
