package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
)

// Pair is what a sign-in hands out.
type Pair struct {
	AccessToken  string
	RefreshToken string
}

// startSession opens a session for an account and signs its first pair. A switch between
// accounts proves nothing: such a session is not fresh.
func (a *Auth) startSession(ctx context.Context, acc account, method string, secondFactor bool, device, ip string) (Pair, error) {
	sessionID := api.NewID()
	pair, err := a.pair(acc, sessionID)
	if err != nil {
		return Pair{}, err
	}
	now := a.Clock()
	_, err = a.Cluster.PlatformPool().Exec(ctx, `
		with used as (update platform.account set last_used_at = $8 where id = $2)
		insert into platform.session (id, account_id, token_hash, expires_at, method, device, ip, created_at, last_used_at, second_factor, proved_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, case when $9 or $5 <> 'SWITCH' then $8::timestamptz end)`,
		sessionID, acc.id, digest(pair.RefreshToken), now.Add(RefreshLife), method, device, ip, now, secondFactor)
	if err != nil {
		return Pair{}, fmt.Errorf("starting a session: %w", err)
	}
	return pair, nil
}

func (a *Auth) pair(acc account, sessionID uuid.UUID) (Pair, error) {
	access, err := a.Tokens.SignAccess(Access{UserID: acc.userID, SessionID: sessionID, SchoolID: acc.schoolID, Role: acc.role})
	if err != nil {
		return Pair{}, err
	}
	refresh, err := a.Tokens.SignRefresh(acc.userID, sessionID)
	if err != nil {
		return Pair{}, err
	}
	return Pair{AccessToken: access, RefreshToken: refresh}, nil
}

// digest is how refresh tokens are kept. They are long and random: a plain hash does.
func digest(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// known is what an instance remembers of a session between requests.
type known struct {
	user      api.User
	expiresAt time.Time
	until     time.Time // then it is looked at again
}

var errSignedOut = api.Unauthorized("Your session has ended, sign in again")

// loadSession reads a session and its user from the database.
func (a *Auth) loadSession(ctx context.Context, claim Access) (known, error) {
	acc, s, err := a.findSession(ctx, claim.SessionID)
	if err != nil {
		return known{}, err
	}
	if s.revokedAt != nil || acc.userID != claim.UserID || acc.schoolID != claim.SchoolID || acc.role != claim.Role {
		return known{}, errSignedOut
	}
	k := known{expiresAt: s.expiresAt, user: api.User{ID: acc.userID, AccountID: acc.id, SessionID: claim.SessionID, SchoolID: acc.schoolID, Role: acc.role}}
	if k.user.RoleID, err = a.present(ctx, acc); err != nil {
		return known{}, err
	}
	return k, nil
}

// session is the state a token's session is in.
type session struct {
	id        uuid.UUID
	tokenHash []byte
	rotatedAt *time.Time
	expiresAt time.Time
	revokedAt *time.Time
	method    string
	createdAt time.Time
}

// findSession reads a session with its account; one that is gone or whose account is
// disabled or barred has ended.
func (a *Auth) findSession(ctx context.Context, id uuid.UUID) (account, session, error) {
	var acc account
	s := session{id: id}
	var school *uuid.UUID
	err := a.Cluster.PlatformPool().QueryRow(ctx, `
		select a.id, a.school_id, a.user_id, a.role_type, coalesce(a.phone, ''), coalesce(a.email, ''),
			s.token_hash, s.rotated_at, s.expires_at, s.revoked_at, s.method, s.created_at
		from platform.session s join platform.account a on a.id = s.account_id
		where s.id = $1 and not a.disabled and a.barred_at is null`, id).
		Scan(&acc.id, &school, &acc.userID, &acc.role, &acc.phone, &acc.email,
			&s.tokenHash, &s.rotatedAt, &s.expiresAt, &s.revokedAt, &s.method, &s.createdAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return acc, s, errSignedOut
	}
	if err != nil {
		return acc, s, fmt.Errorf("reading a session: %w", err)
	}
	if school != nil {
		acc.schoolID = *school
	}
	return acc, s, nil
}

// endSessions revokes the sessions that match and tells every instance.
func (a *Auth) endSessions(ctx context.Context, reason, where string, args ...any) (int, error) {
	ended, err := a.revoke(ctx, a.Cluster.PlatformPool(), reason, where, args...)
	a.tellEnded(ended)
	return len(ended), err
}

// querier is the platform's pool, or a transaction on it.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// revoke marks the sessions that match as over; the caller tells when that is committed.
func (a *Auth) revoke(ctx context.Context, on querier, reason, where string, args ...any) ([]uuid.UUID, error) {
	rows, err := on.Query(ctx, `update platform.session set revoked_at = $1, revoke_reason = $2
		where revoked_at is null and `+where+` returning id`, append([]any{a.Clock(), reason}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("ending sessions: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("ending sessions: %w", err)
	}
	return ended, nil
}

func (a *Auth) tellEnded(sessions []uuid.UUID) {
	for _, id := range sessions {
		a.Ended(id)
	}
}
