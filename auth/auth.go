// Package auth authenticates callers: accounts, passwords, tokens and sessions. It decides
// who a caller is, never what they may do; that is rbac's.
package auth

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/redis/go-redis/v9"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/auth/hashing"
	"homeroom/auth/sso"
	"homeroom/auth/tokens"
	"homeroom/tenancy"
)

const (
	sessionsKnown = 100_000
	// sessionTTL bounds the effect of a lost hint: a revoked session is accepted no longer.
	sessionTTL = 15 * time.Second
)

// Parts are the dependencies of sign-in; cmd wires them.
type Parts struct {
	Cluster  *tenancy.Cluster
	Schools  directory.Schools
	Redis    redis.UniversalClient
	Tokens   *tokens.Signer
	Hasher   *hashing.Hasher
	Messages Messenger
	Rights   Rights
	Clock    func() time.Time
	// Secret keys one-time passwords, PINs, device tokens and links.
	Secret []byte
	// Country is whose numbers people sign in with without its code; empty: every number needs its code.
	Country string
	// SecondFactorRequired refuses super-admins without a second factor.
	SecondFactorRequired bool
	// PublicURL is the address of the console; links in e-mails begin with it.
	PublicURL string
	// SessionEnded sends every instance the hint that a session has ended; SessionsChanged, that
	// a user's sessions have to be read again.
	SessionEnded    func(session uuid.UUID)
	SessionsChanged func(user uuid.UUID)
	// CountSignIn is called with the outcome of every attempt to sign in; nil: not counted.
	CountSignIn func(method, outcome string)
	// SSO talks to the identity providers of schools.
	SSO       *sso.Client
	Log       *slog.Logger
	RedisWait time.Duration // how long a sign-in waits for Redis; 0 is 2 s
}

// Messenger queues a message for delivery. It does not wait for the provider.
type Messenger interface {
	Send(ctx context.Context, m Message) error
	// Ready returns why a channel cannot be used, before an account is looked up: the answer
	// must not reveal who has one.
	Ready(channel string) error
}

// Message goes to a phone or an e-mail address.
type Message struct {
	Channel string // SMS or EMAIL
	To      string
	Subject string
	Text    string
}

// Rights lists what a role may do, module by module.
type Rights interface {
	Effective(ctx context.Context, s *tenancy.School, role uuid.UUID) (map[string]api.Granted, error)
}

// Auth authenticates callers.
type Auth struct {
	Parts
	*directory.Directory
	attempts      *attempt.Counters
	cache         *lru.Cache[uuid.UUID, cachedSession] // by session
	invalidations atomic.Int64                         // how many there were: a session that was read before one is not cached
}

// New makes an Auth of its parts.
func New(p Parts) *Auth {
	cache, err := lru.New[uuid.UUID, cachedSession](sessionsKnown)
	if err != nil {
		panic(err) // the size is a constant
	}
	if p.RedisWait <= 0 {
		p.RedisWait = 2 * time.Second
	}
	return &Auth{Parts: p, cache: cache, attempts: attempt.New(p.Redis, p.Secret, p.Clock, p.RedisWait),
		Directory: directory.New(directory.Parts{Cluster: p.Cluster, Schools: p.Schools, Clock: p.Clock, SessionEnded: p.SessionEnded,
			SessionsChanged: p.SessionsChanged})}
}

// Authenticate verifies a token, its session and its user. The
// result is cached for seconds, or until a hint invalidates it. A token that has expired is
// refused with its session's id and nothing else.
func (a *Auth) Authenticate(ctx context.Context, token string) (api.User, error) {
	if token == "" {
		return api.User{}, api.Unauthorized("A bearer token is required")
	}
	if strings.HasPrefix(token, keyPrefix) {
		return a.authenticateKey(ctx, token)
	}
	if strings.HasPrefix(token, tokens.KeyPrefix) {
		return a.authenticateKeyToken(ctx, token)
	}
	claim, err := a.Tokens.ReadAccess(token)
	if err != nil {
		return api.User{SessionID: claim.SessionID}, api.Unauthorized("The token is invalid or has expired").Because(err)
	}
	now := a.Clock()
	load := func() (cachedSession, error) { return a.loadSession(ctx, claim) }
	k, err := a.cached(claim.SessionID, now, load)
	if err == nil && k.rotation < claim.Rotation { // the first token of a new pair, which has to be recorded
		a.cache.Remove(claim.SessionID)
		k, err = a.cached(claim.SessionID, now, load)
	}
	if err != nil {
		return api.User{SessionID: claim.SessionID}, a.refuse(ctx, claim, err)
	}
	if k.user.ID != claim.UserID || k.user.SchoolID != claim.SchoolID || k.user.Role != claim.Role || !now.Before(k.expiresAt) {
		return api.User{SessionID: claim.SessionID}, a.refuse(ctx, claim, directory.ErrSignedOut)
	}
	return k.user, nil
}

// cached is a session or key as it was read in the last seconds, else as load reads it now.
func (a *Auth) cached(id uuid.UUID, now time.Time, load func() (cachedSession, error)) (cachedSession, error) {
	k, ok := a.cache.Get(id)
	if ok && !now.After(k.until) {
		return k, nil
	}
	before := a.invalidations.Load()
	k, err := load()
	if err != nil {
		return k, err
	}
	k.until = now.Add(sessionTTL)
	a.cache.Add(id, k)
	if a.invalidations.Load() != before {
		a.cache.Remove(id) // it may have ended while it was read
	}
	return k, nil
}

// refuse is why a token that we signed opens nothing: its school does not exist, or its session has ended.
func (a *Auth) refuse(ctx context.Context, claim tokens.Access, why error) error {
	if errors.Is(why, directory.ErrSignedOut) && claim.SchoolID != uuid.Nil {
		if _, err := a.Schools.School(ctx, claim.SchoolID); errors.Is(err, tenancy.ErrSchoolNotFound) {
			return err
		}
	}
	return why
}

// Forget drops a session from the cache.
func (a *Auth) Forget(session uuid.UUID) {
	a.invalidations.Add(1)
	a.cache.Remove(session)
}

// ForgetUser drops all of a user's sessions, and the API keys they made, from the cache.
func (a *Auth) ForgetUser(user uuid.UUID) {
	a.forget(func(u api.User) bool { return u.ID == user || u.Key != nil && u.Key.MakerID == user })
}

// ForgetKeys drops all of a school's API keys from the cache.
func (a *Auth) ForgetKeys(school uuid.UUID) {
	a.forget(func(u api.User) bool { return u.Key != nil && u.SchoolID == school })
}

func (a *Auth) forget(which func(api.User) bool) {
	a.invalidations.Add(1)
	for _, session := range a.cache.Keys() {
		if k, ok := a.cache.Peek(session); ok && which(k.user) {
			a.cache.Remove(session)
		}
	}
}

// ForgetAll drops everything, for when hints may have been missed.
func (a *Auth) ForgetAll() {
	a.invalidations.Add(1)
	a.cache.Purge()
}
