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

// account is one entry of the platform's directory.
type account struct {
	id       uuid.UUID
	schoolID uuid.UUID
	userID   uuid.UUID
	role     api.RoleType
	phone    string
	email    string
}

// Pair is what a sign-in hands out.
type Pair struct {
	AccessToken  string
	RefreshToken string
}

// startSession opens a session for an account and signs its first pair.
func (a *Auth) startSession(ctx context.Context, acc account, device, ip string) (Pair, error) {
	sessionID := api.NewID()
	pair, err := a.pair(acc, sessionID)
	if err != nil {
		return Pair{}, err
	}
	now := a.now()
	_, err = a.cluster.PlatformPool().Exec(ctx, `
		insert into platform.session (id, account_id, token_hash, expires_at, device, ip, created_at, last_used_at)
		values ($1, $2, $3, $4, $5, $6, $7, $7)`,
		sessionID, acc.id, digest(pair.RefreshToken), now.Add(RefreshLife), device, ip, now)
	if err != nil {
		return Pair{}, fmt.Errorf("starting a session: %w", err)
	}
	_, err = a.cluster.PlatformPool().Exec(ctx, `update platform.account set last_used_at = $2 where id = $1`, acc.id, now)
	if err != nil {
		return Pair{}, fmt.Errorf("starting a session: %w", err)
	}
	return pair, nil
}

func (a *Auth) pair(acc account, sessionID uuid.UUID) (Pair, error) {
	access, err := a.tokens.SignAccess(Access{UserID: acc.userID, SessionID: sessionID, SchoolID: acc.schoolID, Role: acc.role})
	if err != nil {
		return Pair{}, err
	}
	refresh, err := a.tokens.SignRefresh(acc.userID, sessionID)
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
}

var errSignedOut = api.Unauthorized("Your session has ended, sign in again")

// loadSession reads a session and its user from the database.
func (a *Auth) loadSession(ctx context.Context, claim Access) (known, error) {
	var acc account
	var k known
	var school *uuid.UUID
	var disabled bool
	var revoked *time.Time
	err := a.cluster.PlatformPool().QueryRow(ctx, `
		select a.id, a.school_id, a.user_id, a.role_type, a.disabled, s.expires_at, s.revoked_at
		from platform.session s join platform.account a on a.id = s.account_id
		where s.id = $1`, claim.SessionID).
		Scan(&acc.id, &school, &acc.userID, &acc.role, &disabled, &k.expiresAt, &revoked)
	if errors.Is(err, pgx.ErrNoRows) {
		return k, errSignedOut
	}
	if err != nil {
		return k, fmt.Errorf("reading a session: %w", err)
	}
	if school != nil {
		acc.schoolID = *school
	}
	if disabled || revoked != nil || acc.userID != claim.UserID || acc.schoolID != claim.SchoolID || acc.role != claim.Role {
		return k, errSignedOut
	}
	k.user = api.User{ID: acc.userID, AccountID: acc.id, SessionID: claim.SessionID, SchoolID: acc.schoolID, Role: acc.role}
	if k.user.RoleID, err = a.roleOf(ctx, acc); err != nil {
		return k, err
	}
	return k, nil
}
