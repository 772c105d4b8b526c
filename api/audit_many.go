package api

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// ChangedMany is Changed for many things at once: their audit rows are written at once,
// in the transaction, without a statement for each. what gives the i-th of n.
func (c Ctx) ChangedMany(action, entity string, n int, what func(i int) (id uuid.UUID, before, after any)) error {
	columns := []string{"id", "actor_id", "actor_role", "action", "entity", "entity_id", "before", "after", "ip", "request_id", "occurred_at"}
	err := tenancy.Copy(c.DB, "audit_event", columns, n, func(i int) ([]any, error) {
		id, before, after := what(i)
		q, err := audit{action: action, entity: entity, entityID: id.String(), before: before, after: after}.query(c.rq)
		return q.Args, err
	})
	if err != nil {
		return fmt.Errorf("auditing %s: %w", entity, err)
	}
	return nil
}
