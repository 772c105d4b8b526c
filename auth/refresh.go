package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/tokens"
)

const (
	// reuseGrace is how long after a rotation the old token may come again without alarm, whatever became of the answer: two tabs, or
	// calls of a phone that ran at once.
	reuseGrace = 10 * time.Second
	// maxSiblings bounds the tokens of one that comes again and again; the oldest is the least likely to have arrived.
	maxSiblings = 5
)

type refreshRequest struct {
	RefreshToken string `json:"refreshToken" validate:"required,max=2000"`
}

var (
	errRefreshInvalid = api.Unauthorized("The refresh token is invalid")
	errRefreshExpired = api.Coded(401, "REFRESH_TOKEN_EXPIRED", "The refresh token has expired, sign in again")
)

// refresh changes a refresh token for a new pair, in one step of the database.
func (a *Auth) refresh(c api.OpenCtx, r refreshRequest) (signedIn, error) {
	acc, _, pair, err := a.rotate(c, r.RefreshToken)
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

// rotate changes a refresh token for a new pair. A token that was changed before is changed again as long as no pair it was changed
// for has been used, neither to refresh nor to call: its answers were lost on the way, and its owner has nothing else. Whichever of
// these pairs arrived is good, and the others end with its own rotation. A token that comes when a later one has been used was stolen,
// and ends the session for both holders.
func (a *Auth) rotate(c api.OpenCtx, token string) (acc directory.Account, role uuid.UUID, pair Pair, err error) {
	now := a.Clock() // before anything waits: a call that took long is not one that came late
	sessionID, err := a.readRefresh(token)
	if err != nil {
		return acc, role, pair, err
	}
	acc, s, err := a.findSession(c, sessionID)
	if err != nil {
		return acc, role, pair, err
	}
	if s.revokedAt != nil {
		return acc, role, pair, directory.ErrSignedOut
	}
	if role, err = a.FindRole(c, acc); err != nil {
		return acc, role, pair, err
	}
	if err = a.checkFactorRequirement(c, acc, sessionID); err != nil {
		return acc, role, pair, err
	}
	refresh, err := a.Tokens.SignRefresh(acc.UserID, sessionID)
	if err != nil {
		return acc, role, pair, err
	}
	var rotation int
	const newest = `(token_hash = $2 or $2 = any(sibling_hashes))`
	err = a.Cluster.PlatformPool().QueryRow(c, `
		update platform.session set
			previous_token_hash = case when `+newest+` then $2 else previous_token_hash end,
			sibling_hashes = case when `+newest+` then '{}' else (array_prepend(token_hash, sibling_hashes))[1:$7] end,
			rotated_at = case when `+newest+` then $4 else rotated_at end,
			rotation = case when `+newest+` then rotation + 1 else rotation end,
			answer_used = answer_used and not `+newest+`,
			token_hash = $3, last_used_at = $4, expires_at = $5
		where id = $1 and revoked_at is null and expires_at > $4
			and (`+newest+` or (previous_token_hash = $2 and (not answer_used or rotated_at > $6)))
		returning rotation`,
		sessionID, digest(token), digest(refresh), now, now.Add(tokens.RefreshLife), now.Add(-reuseGrace), maxSiblings-1).Scan(&rotation)
	if errors.Is(err, pgx.ErrNoRows) {
		return acc, role, pair, a.reused(c, acc, sessionID, now)
	}
	if err != nil {
		return acc, role, pair, fmt.Errorf("refreshing a session: %w", err)
	}
	a.SessionEnded(sessionID) // the cached session has a new end
	pair, err = a.pair(acc, sessionID, rotation, refresh)
	return acc, role, pair, err
}

// reused is a refresh token that has been changed before, and not for a lost answer.
// Within the grace it is merely refused.
func (a *Auth) reused(c api.OpenCtx, acc directory.Account, id uuid.UUID, now time.Time) error {
	n, err := a.EndWhere(c, "refresh token used twice", `id = $3 and rotated_at < $4`, id, now.Add(-reuseGrace))
	if err != nil {
		return err
	}
	if n > 0 {
		return a.AuditFailure(c, acc, "session ended: refresh token used twice", directory.ErrSignedOut)
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
