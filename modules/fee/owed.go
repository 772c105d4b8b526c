package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Owed is what a student owes, for other modules; below zero it is paid ahead.
func Owed(c api.Ctx, student uuid.UUID) (balance int64, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: balanceOf, Args: []any{student}, Scan: tenancy.One(&balance)})
	if err != nil {
		return 0, fmt.Errorf("reading what a student owes: %w", err)
	}
	return balance, nil
}
