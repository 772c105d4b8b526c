package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

type byID struct {
	ID uuid.UUID `path:"id"`
}

// newRecord is the stamps of something made in bulk.
func newRecord(c api.Ctx) api.Record {
	return api.Record{ID: api.NewID(), CreatedAt: c.Now, UpdatedAt: c.Now, CreatedBy: &c.User.ID, UpdatedBy: &c.User.ID, Version: 1}
}

// Present are those of the ids that name a record of the table.
func Present(c api.Ctx, table string, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	found := map[uuid.UUID]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	var there []uuid.UUID
	if err := c.DB.Table(table).Where("id in ?", ids).Pluck("id", &there).Error; err != nil {
		return nil, fmt.Errorf("looking for %s: %w", table, err)
	}
	for _, id := range there {
		found[id] = true
	}
	return found, nil
}
