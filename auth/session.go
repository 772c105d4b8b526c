package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/tokens"
)

// Pair are the tokens of a session.
type Pair struct {
	AccessToken  string
	RefreshToken string
}

// proof is how a user has proved who they are. A phone is proven by a code that was sent
// to it, or by the PIN that was set after one; an e-mail's password proves no phone.
type proof struct {
	method string // OTP, PIN, PASSWORD, SSO or SWITCH
	phone  string // proven; empty if none is
	by     string // CODE or PIN, with a phone
	at     time.Time
	// unasked: an identity provider vouches for somebody whom it has not asked for a password or the like just now.
	unasked bool
}

// isFresh reports whether the sign-in proves who holds the session at this moment.
func (p proof) isFresh() bool { return p.method != "SWITCH" && !p.unasked }

func (a *Auth) byCode(phone string) proof {
	return proof{method: "OTP", phone: phone, by: "CODE", at: a.Clock()}
}

func (a *Auth) byPIN(phone string) proof {
	return proof{method: "PIN", phone: phone, by: "PIN", at: a.Clock()}
}

// proofLife is how long a proof of a phone opens other accounts of it: after that the number
// may have another owner. An administrator's account needs a fresh proof.
const proofLife = 30 * 24 * time.Hour

// opens reports whether the proof is enough for this account too. A PIN, which is short and
// easily watched, does not open an administrator's account.
func (p proof) opens(acc directory.Account) bool {
	return p.phone != "" && acc.Phone == p.phone && (p.by == "CODE" || acc.Role != api.SchoolAdmin)
}

// stale reports whether the proof is too old to open an account.
func (p proof) stale(acc directory.Account, now time.Time) bool {
	life := proofLife
	if acc.Role == api.SchoolAdmin {
		life = api.FreshFor
	}
	return now.Sub(p.at) > life
}

// startSession opens a session for an account and signs its first pair. Should the phone
// have been changed since it was proven, nothing is opened. A switch between accounts is no
// fresh proof, and neither is a sign-in for which nobody was asked for anything.
func (a *Auth) startSession(ctx context.Context, acc directory.Account, by proof, secondFactor bool, device, ip string) (Pair, error) {
	sessionID := api.NewID()
	refresh, err := a.Tokens.SignRefresh(acc.UserID, sessionID)
	if err != nil {
		return Pair{}, err
	}
	now := a.Clock()
	tag, err := a.Cluster.PlatformPool().Exec(ctx, `
		with used as (update platform.account set last_used_at = $8, phone_proven_at = case when $10 = 'CODE' then $8 else phone_proven_at end
			where id = $2 and ($9 = '' or phone = $9) returning id)
		insert into platform.session (id, account_id, token_hash, expires_at, method, device, ip, created_at, last_used_at, proven_phone,
		proven_by, second_factor, proven_at, proved_at)
		select $1, id, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12,
			case when $11 or $13 then $8::timestamptz end from used`,
		sessionID, acc.ID, digest(refresh), now.Add(tokens.RefreshLife), by.method, device, ip, now, by.phone, by.by, secondFactor,
		nullTime(by.at), by.isFresh())
	if err != nil {
		return Pair{}, fmt.Errorf("starting a session: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return Pair{}, directory.ErrSignedOut
	}
	return a.pair(acc, sessionID, 0, refresh)
}

func nullTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func (a *Auth) pair(acc directory.Account, sessionID uuid.UUID, rotation int, refresh string) (Pair, error) {
	access, err := a.Tokens.SignAccess(tokens.Access{UserID: acc.UserID, SessionID: sessionID, SchoolID: acc.SchoolID, Role: acc.Role,
		Rotation: rotation})
	return Pair{AccessToken: access, RefreshToken: refresh}, err
}

// digest is how refresh tokens are kept. They are long and random: a plain hash does.
func digest(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// cache is a session as an instance caches it between requests.
type cachedSession struct {
	user      api.User
	expiresAt time.Time // zero: never
	until     time.Time // then it is read again
	rotation  int       // the newest whose access token came
	keyHash   []byte    // of an API key; nil: a session
}

// loadSession reads a session and its user from the database.
func (a *Auth) loadSession(ctx context.Context, claim tokens.Access) (cachedSession, error) {
	acc, s, err := a.findSession(ctx, claim.SessionID)
	if err != nil {
		return cachedSession{}, err
	}
	if s.revokedAt != nil || acc.UserID != claim.UserID || acc.SchoolID != claim.SchoolID || acc.Role != claim.Role {
		return cachedSession{}, directory.ErrSignedOut
	}
	if claim.Rotation == s.rotation && !s.answerUsed {
		if err = a.recordUse(ctx, s); err != nil {
			return cachedSession{}, err
		}
	}
	k := cachedSession{expiresAt: s.expiresAt, rotation: claim.Rotation, user: api.User{ID: acc.UserID, AccountID: acc.ID,
		SessionID: claim.SessionID, SchoolID: acc.SchoolID, Role: acc.Role}}
	if k.user.RoleID, err = a.FindRole(ctx, acc); err != nil {
		return cachedSession{}, err
	}
	return k, nil
}

// recordUse records that the answer of the last rotation arrived: the token from before is over. It is one write for a rotation.
func (a *Auth) recordUse(ctx context.Context, s session) error {
	_, err := a.Cluster.PlatformPool().Exec(ctx, `update platform.session set answer_used = true
		where id = $1 and rotation = $2 and not answer_used`, s.id, s.rotation)
	if err != nil {
		return fmt.Errorf("recording the use of a session's tokens: %w", err)
	}
	return nil
}

// session is the state a token's session is in.
type session struct {
	id            uuid.UUID
	tokenHash     []byte
	siblingHashes [][]byte
	rotation      int
	answerUsed    bool
	expiresAt     time.Time
	revokedAt     *time.Time
	proof         proof
	createdAt     time.Time
}

// holds reports whether a refresh token is the session's: of several that a lost answer has led to, whichever arrived.
func (s session) holds(token string) bool {
	sum := digest(token)
	return bytes.Equal(sum, s.tokenHash) || slices.ContainsFunc(s.siblingHashes, func(h []byte) bool { return bytes.Equal(sum, h) })
}

// findSession reads a session with its account; one that is gone or whose account is
// disabled or barred has ended.
func (a *Auth) findSession(ctx context.Context, id uuid.UUID) (directory.Account, session, error) {
	var acc directory.Account
	s := session{id: id}
	var school *uuid.UUID
	err := a.Cluster.PlatformPool().QueryRow(ctx, `
		select a.id, a.school_id, a.user_id, a.role_type, coalesce(a.phone, ''), coalesce(a.email, ''),
			s.token_hash, s.sibling_hashes, s.rotation, s.answer_used, s.expires_at, s.revoked_at, s.method, s.proven_phone, s.proven_by,
			coalesce(s.proven_at, s.created_at), s.created_at
		from platform.session s join platform.account a on a.id = s.account_id
		where s.id = $1 and not a.disabled and a.barred_at is null`, id).
		Scan(&acc.ID, &school, &acc.UserID, &acc.Role, &acc.Phone, &acc.Email,
			&s.tokenHash, &s.siblingHashes, &s.rotation, &s.answerUsed, &s.expiresAt, &s.revokedAt,
			&s.proof.method, &s.proof.phone, &s.proof.by, &s.proof.at, &s.createdAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return acc, s, directory.ErrSignedOut
	}
	if err != nil {
		return acc, s, fmt.Errorf("reading a session: %w", err)
	}
	if school != nil {
		acc.SchoolID = *school
	}
	return acc, s, nil
}
