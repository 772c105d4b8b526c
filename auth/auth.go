package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	sessionsKnown = 100_000
	// sessionTTL bounds what a lost hint can cost: a revoked session lives no longer.
	sessionTTL = 20 * time.Second
)

// Auth answers who is calling.
type Auth struct {
	cluster *tenancy.Cluster
	schools api.Schools
	tokens  *Tokens
	hasher  *Hasher
	now     func() time.Time
	known   *expirable.LRU[uuid.UUID, known] // by session
}

// New puts the parts together.
func New(cluster *tenancy.Cluster, schools api.Schools, tokens *Tokens, hasher *Hasher, now func() time.Time) *Auth {
	return &Auth{
		cluster: cluster, schools: schools, tokens: tokens, hasher: hasher, now: now,
		known: expirable.NewLRU[uuid.UUID, known](sessionsKnown, nil, sessionTTL),
	}
}

// Authenticate verifies a token, its session and its user. What it has learnt it
// remembers for seconds, or until a hint says otherwise.
func (a *Auth) Authenticate(ctx context.Context, token string) (api.User, error) {
	if token == "" {
		return api.User{}, api.Unauthorized("A bearer token is required")
	}
	claim, err := a.tokens.ReadAccess(token)
	if err != nil {
		return api.User{}, api.Unauthorized("The token is invalid or has expired").Because(err)
	}
	k, ok := a.known.Get(claim.SessionID)
	if !ok {
		if k, err = a.loadSession(ctx, claim); err != nil {
			return api.User{}, err
		}
		a.known.Add(claim.SessionID, k)
	}
	if k.user.ID != claim.UserID || k.user.SchoolID != claim.SchoolID || k.user.Role != claim.Role || !a.now().Before(k.expiresAt) {
		return api.User{}, errSignedOut
	}
	return k.user, nil
}

// Forget drops what is remembered of a session.
func (a *Auth) Forget(session uuid.UUID) { a.known.Remove(session) }

// ForgetAll drops everything, for when hints may have been missed.
func (a *Auth) ForgetAll() { a.known.Purge() }

// roleOf finds the account's user where it lives, and its role there. A user who is
// gone or disabled is nobody.
func (a *Auth) roleOf(ctx context.Context, acc account) (uuid.UUID, error) {
	if acc.role == api.SuperAdmin {
		var status string
		err := a.cluster.Platform(ctx, tenancy.ReadOnly).Raw(`select status from super_admin where id = ?`, acc.userID).Row().Scan(&status)
		if err != nil || status != "ACTIVE" {
			return uuid.Nil, errSignedOut.Because(err)
		}
		return uuid.Nil, nil
	}
	s, err := a.schools.School(ctx, acc.schoolID)
	if err != nil {
		return uuid.Nil, err
	}
	db, err := a.cluster.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return uuid.Nil, err
	}
	var u struct {
		RoleID uuid.UUID
		Status string
	}
	err = db.Table("app_user").Select("role_id", "status").Where("id = ?", acc.userID).Take(&u).Error
	if errors.Is(err, gorm.ErrRecordNotFound) || (err == nil && u.Status != "ACTIVE") {
		return uuid.Nil, errSignedOut
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("reading a user: %w", err)
	}
	return u.RoleID, nil
}
