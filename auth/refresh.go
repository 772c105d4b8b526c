package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/api"
)

// reuseGrace is how long after a rotation the old token may come again without
// alarm: two tabs, or a phone whose answer was lost on the way.
const reuseGrace = 10 * time.Second

type refreshRequest struct {
	RefreshToken string `json:"refreshToken" validate:"required,max=2000"`
}

var (
	errRefreshInvalid = api.Unauthorized("The refresh token is invalid")
	errRefreshExpired = api.Coded(401, "REFRESH_TOKEN_EXPIRED", "The refresh token has expired, sign in again")
)

// refresh changes a refresh token for a new pair, in one step of the database: of any
// number of callers with the same token, one gets a pair, and one more within the grace,
// whose answer replaces the first. A token that comes again later was stolen, and ends the
// session for both holders.
func (a *Auth) refresh(c api.OpenCtx, r refreshRequest) (signedIn, error) {
	acc, _, pair, err := a.rotate(c, r.RefreshToken, true)
	if err != nil {
		return signedIn{}, err
	}
	return answerOf(acc, pair), nil
}

// refreshCaller is the session a refresh token counts for: a school behind one address
// refreshes all its tokens within minutes.
func (a *Auth) refreshCaller(token string) string {
	id, err := a.readRefresh(token)
	if err != nil {
		return ""
	}
	return "session " + id.String()
}

// rotate changes a refresh token for a new pair. A token that was changed less than
// reuseGrace ago is changed again: its answer was lost. With once that happens a single
// time; a browser's page may be reloaded twice. It does not make the grace longer.
func (a *Auth) rotate(c api.OpenCtx, token string, once bool) (acc account, role uuid.UUID, pair Pair, err error) {
	sessionID, err := a.readRefresh(token)
	if err != nil {
		return acc, role, pair, err
	}
	acc, s, err := a.findSession(c, sessionID)
	if err != nil {
		return acc, role, pair, err
	}
	if s.revokedAt != nil {
		return acc, role, pair, errSignedOut
	}
	if role, err = a.findRole(c, acc); err != nil {
		return acc, role, pair, err
	}
	if err = a.checkFactorRequirement(c, acc, sessionID); err != nil {
		return acc, role, pair, err
	}
	if pair, err = a.pair(acc, sessionID); err != nil {
		return acc, role, pair, err
	}
	now := a.Clock()
	tag, err := a.Cluster.PlatformPool().Exec(c, `
		update platform.session set
			previous_token_hash = case when token_hash = $2 then token_hash when not $7 then previous_token_hash end,
			rotated_at = case when token_hash = $2 then $4 else rotated_at end,
			token_hash = $3, last_used_at = $4, expires_at = $5
		where id = $1 and revoked_at is null and expires_at > $4
			and (token_hash = $2 or (previous_token_hash = $2 and rotated_at > $6))`,
		sessionID, digest(token), digest(pair.RefreshToken), now, now.Add(RefreshLife), now.Add(-reuseGrace), once)
	if err != nil {
		return acc, role, pair, fmt.Errorf("refreshing a session: %w", err)
	}
	if tag.RowsAffected() == 1 {
		a.SessionEnded(sessionID) // the cached session has a new end
		return acc, role, pair, nil
	}
	return acc, role, pair, a.reused(c, acc, sessionID)
}

// reused is a refresh token that has been changed before, and not for a lost answer.
// Within the grace it is merely refused.
func (a *Auth) reused(c api.OpenCtx, acc account, id uuid.UUID) error {
	n, err := a.endSessions(c, "refresh token used twice", `id = $3 and rotated_at < $4`, id, a.Clock().Add(-reuseGrace))
	if err != nil {
		return err
	}
	if n > 0 {
		return a.auditFailure(c, acc, "session ended: refresh token used twice", errSignedOut)
	}
	return errRefreshInvalid
}

// readRefresh verifies a refresh token and returns its session.
func (a *Auth) readRefresh(token string) (uuid.UUID, error) {
	claims, err := a.Tokens.ReadRefresh(token)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return uuid.Nil, errRefreshExpired
	case err != nil:
		return uuid.Nil, errRefreshInvalid.Because(err)
	}
	return claims, nil
}
