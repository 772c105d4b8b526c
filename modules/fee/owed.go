package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// owedBy is what the student $1 owes.
const owedBy = `select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint as balance from ledger_entry
	where account_id = $1`

// Owed is what a student owes, for other modules; below zero it is paid ahead.
func Owed(c api.Ctx, student uuid.UUID) (balance int64, err error) {
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: owedBy, Args: []any{student}, Scan: tenancy.One(&balance)})
	if err != nil {
		return 0, fmt.Errorf("reading what a student owes: %w", err)
	}
	return balance, nil
}
