package library

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// staleHolds are the books kept for somebody who did not come; $1 is today.
const staleHolds = `select book_id from library_reservation where status = 'READY' and hold_until < $1`

// endHoldsAt ends a school's holds that ran out. Most nights there is none, and nothing is locked.
func endHoldsAt(ctx context.Context, at api.SchoolWork) error {
	var found []struct{ BookID uuid.UUID }
	err := tenancy.Pipeline(at.DB, tenancy.Query{SQL: staleHolds + ` limit 1`, Args: []any{at.Today()}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("looking for holds that ran out: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	return at.Do(ctx, "library holds", EndHolds)
}

// EndHolds ends every hold nobody came for, and tells who is next. The books are locked
// in the order everybody does.
func EndHolds(c api.Ctx) error {
	var stale []struct{ ID uuid.UUID }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id from book where id in (` + staleHolds + `) order by id for update`,
		Args: []any{c.Today()}, Scan: tenancy.Collect(&stale)})
	if err != nil {
		return fmt.Errorf("looking for holds that ran out: %w", err)
	}
	if len(stale) == 0 {
		return nil
	}
	books := make([]uuid.UUID, len(stale))
	for i, s := range stale {
		books[i] = s.ID
	}
	return turn(c, books...)
}
