package auth

import (
	"homeroom/api"
	"homeroom/tenancy"
)

const insertAudit = `insert into audit_event (id, actor_id, actor_role, action, entity, entity_id, ip, request_id, occurred_at)
	values ($1, $2, $3, $4, 'session', $5, $6, $7, $8)`

// bookEntry is the audit row of something that happened to an account's way in.
func (a *Auth) bookEntry(c api.OpenCtx, acc account, action string) tenancy.Query {
	return tenancy.Query{SQL: insertAudit, Args: []any{api.NewID(), acc.userID, string(acc.role), action, acc.id.String(), c.IP, c.RequestID, a.Clock()}}
}

// book writes such a row where the account's own books are: its school's, or the platform's.
func (a *Auth) book(c api.OpenCtx, acc account, action string) error {
	entry := a.bookEntry(c, acc, action)
	if acc.role == api.SuperAdmin {
		return tenancy.Together(a.Cluster.Platform(c, tenancy.ReadWrite), entry)
	}
	db, err := a.schoolDB(c, acc.schoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	return tenancy.Together(db, entry)
}

// failed books a failed try and returns what the caller is to be told.
func (a *Auth) failed(c api.OpenCtx, acc account, action string, told error) error {
	if err := a.book(c, acc, action); err != nil {
		return err
	}
	return told
}
