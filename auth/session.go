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
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
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
func (p proof) opens(acc account) bool {
	return p.phone != "" && acc.phone == p.phone && (p.by == "CODE" || acc.role != api.SchoolAdmin)
}

// stale reports whether the proof is too old to open an account.
func (p proof) stale(acc account, now time.Time) bool {
	life := proofLife
	if acc.role == api.SchoolAdmin {
		life = api.FreshFor
	}
	return now.Sub(p.at) > life
}

// startSession opens a session for an account and signs its first pair. Should the phone
// have been changed since it was proven, nothing is opened. A switch between accounts is no
// fresh proof, and neither is a sign-in for which nobody was asked for anything.
func (a *Auth) startSession(ctx context.Context, acc account, by proof, secondFactor bool, device, ip string) (Pair, error) {
	sessionID := api.NewID()
	refresh, err := a.Tokens.SignRefresh(acc.userID, sessionID)
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
		sessionID, acc.id, digest(refresh), now.Add(tokens.RefreshLife), by.method, device, ip, now, by.phone, by.by, secondFactor,
		nullTime(by.at), by.isFresh())
	if err != nil {
		return Pair{}, fmt.Errorf("starting a session: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return Pair{}, errSignedOut
	}
	return a.pair(acc, sessionID, 0, refresh)
}

func nullTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func (a *Auth) pair(acc account, sessionID uuid.UUID, rotation int, refresh string) (Pair, error) {
	access, err := a.Tokens.SignAccess(tokens.Access{UserID: acc.userID, SessionID: sessionID, SchoolID: acc.schoolID, Role: acc.role,
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

var errSignedOut = api.Unauthorized("Your session has ended, sign in again")

// loadSession reads a session and its user from the database.
func (a *Auth) loadSession(ctx context.Context, claim tokens.Access) (cachedSession, error) {
	acc, s, err := a.findSession(ctx, claim.SessionID)
	if err != nil {
		return cachedSession{}, err
	}
	if s.revokedAt != nil || acc.userID != claim.UserID || acc.schoolID != claim.SchoolID || acc.role != claim.Role {
		return cachedSession{}, errSignedOut
	}
	if claim.Rotation == s.rotation && !s.answerUsed {
		if err = a.recordUse(ctx, s); err != nil {
			return cachedSession{}, err
		}
	}
	k := cachedSession{expiresAt: s.expiresAt, rotation: claim.Rotation, user: api.User{ID: acc.userID, AccountID: acc.id,
		SessionID: claim.SessionID, SchoolID: acc.schoolID, Role: acc.role}}
	if k.user.RoleID, err = a.findRole(ctx, acc); err != nil {
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
func (a *Auth) findSession(ctx context.Context, id uuid.UUID) (account, session, error) {
	var acc account
	s := session{id: id}
	var school *uuid.UUID
	err := a.Cluster.PlatformPool().QueryRow(ctx, `
		select a.id, a.school_id, a.user_id, a.role_type, coalesce(a.phone, ''), coalesce(a.email, ''),
			s.token_hash, s.sibling_hashes, s.rotation, s.answer_used, s.expires_at, s.revoked_at, s.method, s.proven_phone, s.proven_by,
			coalesce(s.proven_at, s.created_at), s.created_at
		from platform.session s join platform.account a on a.id = s.account_id
		where s.id = $1 and not a.disabled and a.barred_at is null`, id).
		Scan(&acc.id, &school, &acc.userID, &acc.role, &acc.phone, &acc.email,
			&s.tokenHash, &s.siblingHashes, &s.rotation, &s.answerUsed, &s.expiresAt, &s.revokedAt,
			&s.proof.method, &s.proof.phone, &s.proof.by, &s.proof.at, &s.createdAt)
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

// endAll ends every session of an account but one (uuid.Nil: no exception), and every sign-in
// that waits for its second factor.
func (a *Auth) endAll(ctx context.Context, on execer, reason string, account, except uuid.UUID) ([]uuid.UUID, error) {
	if _, err := on.Exec(ctx, `update platform.account set epoch = epoch + 1 where id = $1`, account); err != nil {
		return nil, fmt.Errorf("ending sign-ins: %w", err)
	}
	return a.revoke(ctx, on, reason, `account_id = $3 and id <> $4`, account, except)
}

// endSessions revokes the sessions that match and publishes that to every instance.
func (a *Auth) endSessions(ctx context.Context, reason, where string, args ...any) (int, error) {
	ended, err := a.revoke(ctx, a.Cluster.PlatformPool(), reason, where, args...)
	a.publishEnded(ended)
	return len(ended), err
}

// querier is the platform's pool, or a transaction on it.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

type execer interface {
	querier
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// revoke marks the sessions that match as over; the caller publishes it after the commit.
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

func (a *Auth) publishEnded(sessions []uuid.UUID) {
	for _, id := range sessions {
		a.SessionEnded(id)
	}
}
