package auth

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/redis/go-redis/v9"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	sessionsKnown = 100_000
	// sessionTTL bounds what a lost hint can cost: a revoked session lives no longer.
	sessionTTL = 15 * time.Second
)

// Parts are what sign-in leans on; cmd puts them together.
type Parts struct {
	Cluster  *tenancy.Cluster
	Schools  api.Schools
	Redis    redis.UniversalClient
	Tokens   *Tokens
	Hasher   *Hasher
	Messages Messenger
	Rights   Rights
	Clock    func() time.Time
	// Secret keys one-time passwords, PINs, device tokens and links.
	Secret []byte
	// SecondFactorRequired keeps super-admins out who have no second factor.
	SecondFactorRequired bool
	// PublicURL is where people reach the console; links in e-mails begin with it.
	PublicURL string
	// SessionEnded tells every instance that a session is over; SessionsChanged, that all of a user's may be.
	SessionEnded    func(session uuid.UUID)
	SessionsChanged func(user uuid.UUID)
	// CountSignIn is told how every try to sign in ended, see the outcomes; nil: nobody counts.
	CountSignIn func(method, outcome string)
}

// Messenger hands a message over for delivery. It does not wait for the provider.
type Messenger interface {
	Send(ctx context.Context, m Message) error
	// Ready says why a channel cannot be used, before anybody is looked up: the answer
	// must not tell who has an account.
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

// Auth answers who is calling.
type Auth struct {
	Parts
	cache         *lru.Cache[uuid.UUID, cachedSession] // by session
	invalidations atomic.Int64                         // how often something was: a load it overtook is not kept
}

// New puts the parts together.
func New(p Parts) *Auth {
	cache, err := lru.New[uuid.UUID, cachedSession](sessionsKnown)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &Auth{Parts: p, cache: cache}
}

// Authenticate verifies a token, its session and its user. What it has learnt it
// remembers for seconds, or until a hint says otherwise. A token that was good once is
// refused with its session's id and nothing else.
func (a *Auth) Authenticate(ctx context.Context, token string) (api.User, error) {
	if token == "" {
		return api.User{}, api.Unauthorized("A bearer token is required")
	}
	claim, err := a.Tokens.ReadAccess(token)
	if err != nil {
		return api.User{SessionID: claim.SessionID}, api.Unauthorized("The token is invalid or has expired").Because(err)
	}
	now := a.Clock()
	k, ok := a.cache.Get(claim.SessionID)
	if !ok || now.After(k.until) {
		before := a.invalidations.Load()
		if k, err = a.loadSession(ctx, claim); err != nil {
			return api.User{SessionID: claim.SessionID}, err
		}
		k.until = now.Add(sessionTTL)
		a.cache.Add(claim.SessionID, k)
		if a.invalidations.Load() != before {
			a.cache.Remove(claim.SessionID) // it may have ended while it was read
		}
	}
	if k.user.ID != claim.UserID || k.user.SchoolID != claim.SchoolID || k.user.Role != claim.Role || !now.Before(k.expiresAt) {
		return api.User{SessionID: claim.SessionID}, errSignedOut
	}
	return k.user, nil
}

// Forget drops what is remembered of a session.
func (a *Auth) Forget(session uuid.UUID) {
	a.invalidations.Add(1)
	a.cache.Remove(session)
}

// ForgetUser drops what is remembered of all of a user's sessions.
func (a *Auth) ForgetUser(user uuid.UUID) {
	a.invalidations.Add(1)
	for _, session := range a.cache.Keys() {
		if k, ok := a.cache.Peek(session); ok && k.user.ID == user {
			a.cache.Remove(session)
		}
	}
}

// ForgetAll drops everything, for when hints may have been missed.
func (a *Auth) ForgetAll() {
	a.invalidations.Add(1)
	a.cache.Purge()
}
