package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// signedIn is the answer of a sign-in.
type signedIn struct {
	AccessToken  string       `json:"accessToken"`
	RefreshToken string       `json:"refreshToken"`
	DeviceToken  string       `json:"deviceToken,omitempty" doc:"Keep it for the phone or e-mail on this device, also after signing out, and send it as X-Device-Token when you sign in again"`
	User         signedInUser `json:"user"`
	Accounts     []choice     `json:"accounts,omitempty" doc:"The accounts of the phone that was proven; POST /auth/switch changes between them. None after a password; no administrator's after a PIN"`

	account account // whom the session is of
}

type signedInUser struct {
	ID       uuid.UUID    `json:"id"`
	Phone    string       `json:"phone,omitempty"`
	Email    string       `json:"email,omitempty"`
	Role     api.RoleType `json:"role"`
	SchoolID string       `json:"schoolId"`
}

// Flatten also puts the fields at the top level, where the spec shows them.
func (s signedIn) Flatten() map[string]any {
	flat := map[string]any{"accessToken": s.AccessToken, "refreshToken": s.RefreshToken, "user": s.User}
	if s.DeviceToken != "" {
		flat["deviceToken"] = s.DeviceToken
	}
	if s.Accounts != nil {
		flat["accounts"] = s.Accounts
	}
	return flat
}

// signIn opens a session for an account whose holder has just proved who they are.
func (a *Auth) signIn(c api.OpenCtx, acc account, by proof) (signedIn, error) {
	if _, err := a.findRole(c, acc); err != nil {
		return signedIn{}, err
	}
	if err := a.requireFactor(c, acc, by); err != nil {
		return signedIn{}, err
	}
	return a.openSession(c, acc, by, false)
}

// openSession opens the session of a sign-in that has nothing left to prove.
func (a *Auth) openSession(c api.OpenCtx, acc account, by proof, secondFactor bool) (signedIn, error) {
	pair, err := a.startSession(c, acc, by, secondFactor, c.Device, c.IP)
	if err != nil {
		return signedIn{}, err
	}
	if err := a.recordSignIn(c, acc, by.method); err != nil {
		return signedIn{}, err
	}
	contact := acc.phone
	if by.method == "PASSWORD" || by.method == "SSO" {
		contact = acc.email
	}
	out := answerOf(acc, pair)
	if by.method != "SWITCH" { // no secret was proved: a token alone must not make a known device
		out.DeviceToken = a.deviceToken(c, contact)
	}
	return out, nil
}

func answerOf(acc account, pair Pair) signedIn {
	out := signedIn{
		AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, account: acc,
		User: signedInUser{ID: acc.userID, Phone: acc.phone, Email: acc.email, Role: acc.role},
	}
	if acc.schoolID != uuid.Nil {
		out.User.SchoolID = acc.schoolID.String()
	}
	return out
}

// findRole finds the role of the account's user in their school. A school that is not active
// is refused; a user who is removed or disabled is signed out.
func (a *Auth) findRole(ctx context.Context, acc account) (role uuid.UUID, err error) {
	if acc.role == api.SuperAdmin {
		var u struct{ Status string }
		err := a.Cluster.Platform(ctx, tenancy.ReadOnly).Table("super_admin").Select("status").Where("id = ?", acc.userID).Take(&u).Error
		if errors.Is(err, gorm.ErrRecordNotFound) || (err == nil && u.Status != "ACTIVE") {
			return uuid.Nil, errSignedOut
		}
		return uuid.Nil, err
	}
	db, err := a.schoolDB(ctx, acc.schoolID, tenancy.ReadOnly)
	if err != nil {
		return uuid.Nil, err
	}
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `select role_id from app_user where id = $1 and status = 'ACTIVE'`, Args: []any{acc.userID},
		Scan: tenancy.One(&role)})
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, errSignedOut
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("reading a user: %w", err)
	}
	return role, nil
}

var errNotActive = api.Coded(403, "", "This school is not active")

// schoolDB opens the school of an account, if it is active.
func (a *Auth) schoolDB(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*gorm.DB, error) {
	_, db, err := a.Schools.Open(ctx, id, mode)
	if errors.Is(err, tenancy.ErrNotActive) {
		return nil, errNotActive
	}
	return db, err
}

// recordSignIn records the sign-in with the user and in the audit. A sign-in by code unlocks
// the PIN.
func (a *Auth) recordSignIn(c api.OpenCtx, acc account, method string) error {
	now := a.Clock()
	book := a.auditRow(c, acc, "sign-in by "+method)
	if acc.role == api.SuperAdmin {
		return tenancy.Pipeline(a.Cluster.Platform(c, tenancy.ReadWrite),
			tenancy.Query{SQL: `update super_admin set last_sign_in_at = $2 where id = $1`, Args: []any{acc.userID, now}}, book)
	}
	db, err := a.schoolDB(c, acc.schoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	sql := `update app_user set last_sign_in_at = $2 where id = $1`
	if method == "OTP" || method == "PIN" {
		sql = `update app_user set last_sign_in_at = $2, pin_failures = 0 where id = $1`
	}
	return tenancy.Pipeline(db, tenancy.Query{SQL: sql, Args: []any{acc.userID, now}}, book)
}
