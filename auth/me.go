package auth

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// me is the caller, with their school and permissions.
type me struct {
	User        signedInUser           `json:"user"`
	School      *mySchool              `json:"school"`
	Permissions map[string]api.Granted `json:"permissions" doc:"By module; what the role may do, before assignments"`
}

type mySchool struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Code     string    `json:"code"`
	TimeZone string    `json:"timeZone"`
	Locale   string    `json:"locale"`
	Currency string    `json:"currency"`

	CurrencyDigits int `json:"currencyDigits" doc:"How many decimals the currency has: amounts are in minor units of it"`
}

func (a *Auth) me(c api.OpenCtx, _ api.Nothing) (me, error) {
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return me{}, orSignedOut(err)
	}
	return a.describe(c, *acc, c.User.RoleID)
}

// describe returns an account's user with the permissions of their role.
func (a *Auth) describe(c api.OpenCtx, acc directory.Account, role uuid.UUID) (me, error) {
	out := me{User: answerOf(acc, Pair{}).User, Permissions: map[string]api.Granted{}}
	if acc.Role == api.SuperAdmin {
		return out, nil
	}
	s, err := a.Schools.School(c, acc.SchoolID)
	if err != nil {
		return out, err
	}
	out.School = &mySchool{ID: s.ID, Name: s.Name, Code: s.Code, TimeZone: s.TimeZone, Locale: s.Locale, Currency: s.Currency,
		CurrencyDigits: tenancy.CurrencyDigits(s.Currency)}
	out.Permissions, err = a.Rights.Effective(c, s, role)
	return out, err
}

type switchRequest struct {
	AccountID    uuid.UUID `json:"accountId" validate:"required" doc:"One of the accounts a sign-in named"`
	RefreshToken string    `json:"refreshToken" validate:"required,max=2000" doc:"Of this session, which goes on beside the new one"`
}

var errAccountNotFound = api.NotFound("account")

// switchTo opens a session for another account of the phone that this session has proven.
// That an office has entered the same phone for both opens nothing. The refresh token is
// required because an access token, which is valid for minutes, would else make a session of days.
func (a *Auth) switchTo(c api.OpenCtx, r switchRequest) (signedIn, error) {
	_, s, err := a.findSession(c, c.User.SessionID)
	if err != nil {
		return signedIn{}, err
	}
	if !s.holds(r.RefreshToken) {
		return signedIn{}, api.InvalidField("refreshToken", "refreshToken is not this session's")
	}
	other, err := a.ByID(c, r.AccountID)
	if err != nil {
		return signedIn{}, err
	}
	if other == nil || !s.proof.opens(*other) {
		return signedIn{}, errAccountNotFound
	}
	if s.proof.stale(*other, a.Clock()) {
		return signedIn{}, api.ErrNotFresh
	}
	by := proof{method: "SWITCH", phone: s.proof.phone, by: s.proof.by, at: s.proof.at}
	out, err := a.signIn(c, *other, by)
	if err != nil {
		return signedIn{}, err
	}
	all, err := a.ByPhone(c, by.phone, "")
	if err == nil {
		out.Accounts, err = a.choices(c, all, by)
	}
	return out, err
}
