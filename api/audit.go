package api

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// audit is one entry of the audit log: who did what to which record.
type audit struct {
	action, entity, entityID string
	before, after            any
	school                   *uuid.UUID // in the platform's log: the school it is about, if any
}

const insertAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, before, after, ip, request_id,
	occurred_at)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// insertPlatformAudit is the same for the platform's log, which is about many schools.
const insertPlatformAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, before, after, ip, request_id,
	occurred_at, school_id)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

// query writes it where the row's own changes are: in the school, or in the platform.
func (a audit) query(rq *request) (tenancy.Query, error) {
	q, err := a.schoolQuery(rq)
	if err == nil && rq.row.Kind() == KindPlatform {
		q.SQL, q.Args = insertPlatformAudit, append(q.Args, a.school)
	}
	return q, err
}

func (a audit) schoolQuery(rq *request) (tenancy.Query, error) {
	before, err := jsonOrNil(a.before)
	if err != nil {
		return tenancy.Query{}, fmt.Errorf("auditing %s: %w", a.entity, err)
	}
	after, err := jsonOrNil(a.after)
	if err != nil {
		return tenancy.Query{}, fmt.Errorf("auditing %s: %w", a.entity, err)
	}
	return tenancy.Query{SQL: insertAudit, Args: []any{
		uuid.Must(uuid.NewV7()), rq.user.ID, rq.user.actorRole(), a.action, a.entity, a.entityID,
		before, after, rq.ip, rq.id, rq.now,
	}}, nil
}

// ChangedMany is Changed for many things at once: their audit rows are written at once,
// in the transaction, without a statement for each. what gives the i-th of n.
func (c Ctx) ChangedMany(action, entity string, n int, what func(i int) (id uuid.UUID, before, after any)) error {
	columns := []string{"id", "actor_id", "actor_role", "action", "entity", "entity_id", "before", "after", "ip", "request_id", "occurred_at"}
	err := tenancy.Copy(c.DB, "audit_event", columns, n, func(i int) ([]any, error) {
		id, before, after := what(i)
		entry := audit{action: action, entity: entity, entityID: id.String(), before: before, after: after}
		c.rq.noteChange(entry)
		q, err := entry.query(c.rq)
		return q.Args, err
	})
	if err != nil {
		return fmt.Errorf("auditing %s: %w", entity, err)
	}
	return nil
}

// jsonOrNil is v as JSON text, or NULL.
func jsonOrNil(v any) (*string, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text := string(b)
	return &text, nil
}
