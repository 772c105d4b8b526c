package auth

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// signedIn is the answer of a sign-in.
type signedIn struct {
	AccessToken  string       `json:"accessToken"`
	RefreshToken string       `json:"refreshToken"`
	DeviceToken  string       `json:"deviceToken,omitempty" doc:"Keep it for the phone or e-mail on this device, also after signing out, and send it as X-Device-Token when you sign in again"`
	User         signedInUser `json:"user"`
	Accounts     []choice     `json:"accounts,omitempty" doc:"The accounts of the phone that was proven; POST /auth/switch changes between them. None after a password; no administrator's after a PIN"`

	account directory.Account // whom the session is of
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
func (a *Auth) signIn(c api.OpenCtx, acc directory.Account, by proof) (signedIn, error) {
	if _, err := a.FindRole(c, acc); err != nil {
		return signedIn{}, err
	}
	if err := a.requireFactor(c, acc, by); err != nil {
		return signedIn{}, err
	}
	return a.openSession(c, acc, by, false)
}

// openSession opens the session of a sign-in that has nothing left to prove.
func (a *Auth) openSession(c api.OpenCtx, acc directory.Account, by proof, secondFactor bool) (signedIn, error) {
	pair, err := a.startSession(c, acc, by, secondFactor, c.Device, c.IP)
	if err != nil {
		return signedIn{}, err
	}
	if err := a.recordSignIn(c, acc, by.method); err != nil {
		return signedIn{}, err
	}
	contact := acc.Phone
	if by.method == "PASSWORD" || by.method == "SSO" {
		contact = acc.Email
	}
	out := answerOf(acc, pair)
	if by.method != "SWITCH" { // no secret was proved: a token alone must not make a known device
		out.DeviceToken = a.attempts.DeviceToken(c, contact)
	}
	return out, nil
}

func answerOf(acc directory.Account, pair Pair) signedIn {
	out := signedIn{
		AccessToken: pair.AccessToken, RefreshToken: pair.RefreshToken, account: acc,
		User: signedInUser{ID: acc.UserID, Phone: acc.Phone, Email: acc.Email, Role: acc.Role},
	}
	if acc.SchoolID != uuid.Nil {
		out.User.SchoolID = acc.SchoolID.String()
	}
	return out
}

// recordSignIn records the sign-in with the user and in the audit. A sign-in by code unlocks
// the PIN.
func (a *Auth) recordSignIn(c api.OpenCtx, acc directory.Account, method string) error {
	now := a.Clock()
	book := a.AuditRow(c, acc, "sign-in by "+method)
	if acc.Role == api.SuperAdmin {
		return tenancy.Pipeline(a.Cluster.Platform(c, tenancy.ReadWrite),
			tenancy.Query{SQL: `update super_admin set last_sign_in_at = $2 where id = $1`, Args: []any{acc.UserID, now}}, book)
	}
	db, err := a.SchoolDB(c, acc.SchoolID, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	sql := `update app_user set last_sign_in_at = $2 where id = $1`
	if method == "OTP" || method == "PIN" {
		sql = `update app_user set last_sign_in_at = $2, pin_failures = 0 where id = $1`
	}
	return tenancy.Pipeline(db, tenancy.Query{SQL: sql, Args: []any{acc.UserID, now}}, book)
}
