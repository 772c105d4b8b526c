package auth

import (
	"errors"

	"homeroom/api"
	"homeroom/tenancy"
)

const insertAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, ip, request_id, occurred_at)
	values ($1, $2, $3, $4, 'session', $5, $6, $7, $8)`

// auditRow is the audit row of something that happened to an account's way in.
func (a *Auth) auditRow(c api.OpenCtx, acc account, action string) tenancy.Query {
	return tenancy.Query{SQL: insertAudit, Args: []any{api.NewID(), acc.userID, string(acc.role), action, acc.id.String(), c.IP, c.RequestID, a.Clock()}}
}

// writeAudit writes such a row where the account's own books are: its school's, or the platform's.
func (a *Auth) writeAudit(c api.OpenCtx, acc account, action string) error {
	entry := a.auditRow(c, acc, action)
	if acc.role == api.SuperAdmin {
		return tenancy.Pipeline(a.Cluster.Platform(c, tenancy.ReadWrite), entry)
	}
	db, err := a.schoolDB(c, acc.schoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return tenancy.Pipeline(db, entry)
}

// auditSessionEnd books that a session has ended. Who leaves a school that is not active has
// left it all the same, and its books are closed.
func (a *Auth) auditSessionEnd(c api.OpenCtx, acc account, action string) error {
	if err := a.writeAudit(c, acc, action); !errors.Is(err, errNotActive) {
		return err
	}
	return nil
}

// auditFailure books a failed try and returns what the caller is to be told. That a school is
// not active is nothing for somebody who has shown nothing.
func (a *Auth) auditFailure(c api.OpenCtx, acc account, action string, told error) error {
	if err := a.writeAudit(c, acc, action); err != nil && !errors.Is(err, errNotActive) {
		return err
	}
	return told
}
