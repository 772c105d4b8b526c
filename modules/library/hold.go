package library

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// staleHolds are the books kept for somebody who did not come; $1 is today.
const staleHolds = `select book_id from library_reservation where status = 'READY' and hold_until < $1`

// AnyHoldEnded says whether a school has holds that ran out before a day: most nights
// there is none, and nothing to lock.
func AnyHoldEnded(db *gorm.DB, today api.Date) (bool, error) {
	var found []struct{ BookID uuid.UUID }
	if err := tenancy.Together(db, tenancy.Query{SQL: staleHolds + ` limit 1`, Args: []any{today}, Scan: tenancy.Collect(&found)}); err != nil {
		return false, fmt.Errorf("looking for holds that ran out: %w", err)
	}
	return len(found) > 0, nil
}

// EndHolds ends every hold nobody came for, and tells who is next. The books are locked
// in the order everybody does.
func EndHolds(c api.Ctx) error {
	var stale []struct{ ID uuid.UUID }
	err := tenancy.Together(c.DB, tenancy.Query{SQL: `select id from book where id in (` + staleHolds + `) order by id for update`, Args: []any{c.Today()}, Scan: tenancy.Collect(&stale)})
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
