package api

import "github.com/google/uuid"

// CheckGrant refuses (403) to hand one of these roles to anybody, or to change how an account
// that holds one is signed in to, unless the caller may give all that the role may do. Every
// handler that writes a user's role, phone, e-mail or status asks it before it writes; a zero id
// is no role. What the service does by itself, without a caller, is not asked about.
func (c Ctx) CheckGrant(roles ...uuid.UUID) error {
	if c.User.ID == uuid.Nil {
		return nil
	}
	return c.rq.kernel.Permissions.CheckGrant(c, roles...)
}
