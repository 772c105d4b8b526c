package directory

import (
	"errors"

	"homeroom/api"
	"homeroom/tenancy"
)

const insertAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, ip, request_id, occurred_at)
	values ($1, $2, $3, $4, 'session', $5, $6, $7, $8)`

// AuditRow is an audit row about an account's sign-in or credentials.
func (d *Directory) AuditRow(c api.OpenCtx, acc Account, action string) tenancy.Query {
	return tenancy.Query{SQL: insertAudit, Args: []any{api.NewID(), acc.UserID, string(acc.Role), action, acc.ID.String(), c.IP, c.RequestID,
		d.Clock()}}
}

// WriteAudit writes such a row into the account's audit: its school's, or the platform's.
func (d *Directory) WriteAudit(c api.OpenCtx, acc Account, action string) error {
	entry := d.AuditRow(c, acc, action)
	if acc.Role == api.SuperAdmin {
		return tenancy.Pipeline(d.Cluster.Platform(c, tenancy.ReadWrite), entry)
	}
	db, err := d.SchoolDB(c, acc.SchoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return tenancy.Pipeline(db, entry)
}

// AuditSessionEnd records that a session has ended. The audit of a school that is not active is
// closed: the session has ended all the same.
func (d *Directory) AuditSessionEnd(c api.OpenCtx, acc Account, action string) error {
	if err := d.WriteAudit(c, acc, action); !errors.Is(err, ErrNotActive) {
		return err
	}
	return nil
}

// AuditFailure records a failed attempt and returns the answer to it. That a school is not
// active must not be revealed to a caller who has proved nothing.
func (d *Directory) AuditFailure(c api.OpenCtx, acc Account, action string, answer error) error {
	if err := d.WriteAudit(c, acc, action); err != nil && !errors.Is(err, ErrNotActive) {
		return err
	}
	return answer
}
