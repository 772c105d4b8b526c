package auth

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
)

type logoutRequest struct {
	RefreshToken string `json:"refreshToken" validate:"max=2000" doc:"Instead of the bearer token, when that has expired"`
}

// logoutCaller is the session that is to end, if the call has a valid token of it.
func (a *Auth) logoutCaller(c api.OpenCtx, r logoutRequest) string {
	if claim, err := a.Tokens.ReadAccess(c.Token); err == nil {
		return "session " + claim.SessionID.String()
	}
	return a.refreshCaller(r.RefreshToken)
}

// logout ends the session of the bearer token, or of the refresh token.
func (a *Auth) logout(c api.OpenCtx, r logoutRequest) (api.Nothing, error) {
	id := uuid.Nil
	if c.Token != "" {
		user, err := a.Authenticate(c, c.Token)
		if err != nil && r.RefreshToken == "" {
			return api.Nothing{}, err
		}
		if err == nil {
			id = user.SessionID
		}
	}
	if id == uuid.Nil {
		if r.RefreshToken == "" {
			return api.Nothing{}, api.Unauthorized("A bearer token or a refresh token is required")
		}
		var err error
		if id, err = a.readRefresh(r.RefreshToken); err != nil {
			return api.Nothing{}, err
		}
	}
	acc, _, err := a.findSession(c, id)
	if err != nil {
		return api.Nothing{}, err
	}
	if _, err := a.EndWhere(c, "signed out", `id = $3`, id); err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, a.AuditSessionEnd(c, acc, "sign-out")
}

// logoutAll ends every session of the account.
func (a *Auth) logoutAll(c api.OpenCtx, _ api.Nothing) (api.Nothing, error) {
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return api.Nothing{}, orSignedOut(err)
	}
	ended, err := a.EndAll(c, a.Cluster.PlatformPool(), "signed out everywhere", acc.ID, uuid.Nil)
	if err != nil {
		return api.Nothing{}, err
	}
	a.PublishEnded(ended)
	return api.Nothing{}, a.AuditSessionEnd(c, *acc, "sign-out everywhere")
}

func orSignedOut(err error) error {
	if err != nil {
		return err
	}
	return directory.ErrSignedOut
}

// sessionView is a session as its owner sees it.
type sessionView struct {
	ID         uuid.UUID `json:"id"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	Method     string    `json:"method" enum:"OTP,PIN,PASSWORD,SSO,SWITCH" doc:"What was proved at the sign-in; SWITCH: another account of the same phone"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt"`
	Current    bool      `json:"current"`
}

type sessionList struct {
	Sessions []sessionView `json:"sessions"`
}

func (a *Auth) sessions(c api.OpenCtx, _ api.Nothing) (sessionList, error) {
	rows, err := a.Cluster.PlatformPool().Query(c, `select id, device, ip, method, created_at, last_used_at, id = $2 as current
		from platform.session
		where account_id = $1 and revoked_at is null and expires_at > $3 order by last_used_at desc, id
		limit 100`, c.User.AccountID, c.User.SessionID, a.Clock())
	if err != nil {
		return sessionList{}, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[sessionView])
	return sessionList{Sessions: list}, err
}

type sessionByID struct {
	ID uuid.UUID `path:"id"`
}

// endSession ends one session of the caller's own account.
func (a *Auth) endSession(c api.OpenCtx, r sessionByID) (api.Nothing, error) {
	n, err := a.EndWhere(c, "ended by its owner", `id = $3 and account_id = $4`, r.ID, c.User.AccountID)
	if err == nil && n == 0 {
		err = api.NotFound("session")
	}
	if err != nil {
		return api.Nothing{}, err
	}
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return api.Nothing{}, orSignedOut(err)
	}
	return api.Nothing{}, a.AuditSessionEnd(c, *acc, "session ended")
}
