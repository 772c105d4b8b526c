package auth

import (
	"errors"

	"homeroom/api"
	"homeroom/tenancy"
)

const insertAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, ip, request_id, occurred_at)
	values ($1, $2, $3, $4, 'session', $5, $6, $7, $8)`

// auditRow is an audit row about an account's sign-in or credentials.
func (a *Auth) auditRow(c api.OpenCtx, acc account, action string) tenancy.Query {
	return tenancy.Query{SQL: insertAudit, Args: []any{api.NewID(), acc.userID, string(acc.role), action, acc.id.String(), c.IP, c.RequestID,
		a.Clock()}}
}

// writeAudit writes such a row into the account's audit: its school's, or the platform's.
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

// auditSessionEnd records that a session has ended. The audit of a school that is not active is
// closed: the session has ended all the same.
func (a *Auth) auditSessionEnd(c api.OpenCtx, acc account, action string) error {
	if err := a.writeAudit(c, acc, action); !errors.Is(err, errNotActive) {
		return err
	}
	return nil
}

// auditFailure records a failed attempt and returns the answer to it. That a school is not
// active must not be revealed to a caller who has proved nothing.
func (a *Auth) auditFailure(c api.OpenCtx, acc account, action string, answer error) error {
	if err := a.writeAudit(c, acc, action); err != nil && !errors.Is(err, errNotActive) {
		return err
	}
	return answer
}
