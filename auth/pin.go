package auth

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/hashing"
	"homeroom/auth/strength"
	"homeroom/tenancy"
)

type pinRequest struct {
	PIN        string `json:"pin" validate:"required,min=4,max=6,number" example:"4826"`
	CurrentPIN string `json:"currentPin" validate:"omitempty,min=4,max=6,number" doc:"Needed to replace a PIN, unless the last proof of identity is less than 10 minutes old"`
}

type pinSignIn struct {
	Phone string `json:"phone" validate:"required,max=32" example:"+919812345678"`
	PIN   string `json:"pin" validate:"required,max=6,number" example:"4826"`
}

// All failures of a PIN have the same answer: wrong, never set, unknown phone.
var errPINWrong = api.Coded(400, "PIN_WRONG", "The phone or the PIN is wrong")

// errCurrentPIN is one of the refusals to replace a PIN; those by role have the same code.
var errCurrentPIN = api.Denied("Give the current PIN, or sign in with an OTP first")

// errPhoneUnproven refuses a PIN for a phone that was not proven by a code in this session.
var errPhoneUnproven = api.Denied("Sign in with a code sent to your phone first")

// setPIN stores the caller's PIN.
func (m mobile) setPIN(c api.OpenCtx, r pinRequest) (api.Nothing, error) {
	if strength.WeakPIN(r.PIN) {
		return api.Nothing{}, api.InvalidField("pin", "pin is easily guessed: no year, run, repetition or pattern of the keypad")
	}
	if m.role != "" && c.User.Role != m.role {
		return api.Nothing{}, api.Denied("This is not for your role")
	}
	if c.User.Role == api.SuperAdmin {
		return api.Nothing{}, api.Denied("PINs are for the mobile apps")
	}
	acc, s, err := m.findSession(c, c.User.SessionID)
	if err != nil {
		return api.Nothing{}, err
	}
	if s.proof.phone == "" || s.proof.phone != acc.Phone {
		return api.Nothing{}, errPhoneUnproven
	}
	fresh, err := m.Fresh(c, c.User)
	if err != nil {
		return api.Nothing{}, err
	}
	if !fresh {
		if err := m.mayReplacePIN(c, acc, r.CurrentPIN); err != nil {
			return api.Nothing{}, err
		}
	}
	hashed, err := m.HashPIN(c, r.PIN)
	if err != nil {
		return api.Nothing{}, err
	}
	db, err := m.SchoolDB(c, acc.SchoolID, tenancy.ReadWrite)
	if err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, tenancy.Pipeline(db,
		tenancy.Query{SQL: `update app_user set pin_hash = $2 where id = $1`, Args: []any{acc.UserID, hashed}},
		m.AuditRow(c, acc, "PIN set"))
}

// mayReplacePIN requires the current PIN, with the same counters as a sign-in. The first PIN
// requires a fresh proof: a stolen token must not become a lasting way to sign in.
func (m mobile) mayReplacePIN(c api.OpenCtx, acc directory.Account, current string) error {
	stored, err := m.pinOf(c, acc)
	if err != nil {
		return err
	}
	if stored == "" {
		return api.ErrNotFresh
	}
	all, err := m.attempts.CountPIN(c, acc.ID.String())
	if err != nil {
		return err
	}
	ok, err := m.checkPIN(c, current, stored)
	if err != nil {
		return err
	}
	if !ok {
		return m.AuditFailure(c, acc, "PIN change refused", errCurrentPIN)
	}
	return m.attempts.Return(c, all)
}

// verifyPIN signs in without an SMS.
func (m mobile) verifyPIN(c api.OpenCtx, r pinSignIn) (signedIn, error) {
	phone, err := m.phoneOf(r.Phone)
	if err != nil {
		return signedIn{}, err
	}
	done, err := m.Hasher.Admit(c)
	if err != nil {
		return signedIn{}, err
	}
	defer done()
	all, err := m.attempts.CountPIN(c, phone)
	if err != nil {
		return signedIn{}, err
	}
	accounts, err := m.accountsOf(c, phone)
	if err != nil {
		return signedIn{}, err
	}
	acc, stored, err := m.firstWithPIN(c, accounts)
	if err != nil {
		return signedIn{}, err
	}
	ok, err := m.checkPIN(c, r.PIN, stored)
	if err != nil {
		return signedIn{}, err
	}
	if !ok {
		if len(accounts) > 0 {
			return signedIn{}, m.AuditFailure(c, acc, "sign-in by PIN failed", errPINWrong)
		}
		return signedIn{}, errPINWrong
	}
	if err := m.attempts.Return(c, all); err != nil {
		return signedIn{}, err
	}
	m.rekeyPIN(c, acc, r.PIN, stored)
	by := m.byPIN(phone)
	out, err := m.signIn(c, acc, by)
	if err == nil {
		out.Accounts, err = m.choices(c, accounts, by)
	}
	return out, err
}

// firstWithPIN finds the account used last that has a PIN. With none, it is the first
// account and no hash. A PIN of an account whose phone is not proven does not count.
func (m mobile) firstWithPIN(c api.OpenCtx, accounts []directory.Account) (directory.Account, string, error) {
	for _, acc := range accounts {
		if !acc.Proven {
			continue
		}
		stored, err := m.pinOf(c, acc)
		if err != nil {
			return acc, "", err
		}
		if stored != "" {
			return acc, stored, nil
		}
	}
	if len(accounts) == 0 {
		return directory.Account{}, "", nil
	}
	return accounts[0], "", nil
}

// pinOf reads the stored PIN of an account's user; empty when there is none. Whether the
// school is active is checked once the PIN was right.
func (a *Auth) pinOf(ctx context.Context, acc directory.Account) (string, error) {
	s, err := a.Schools.School(ctx, acc.SchoolID)
	if err != nil || s.Schema == "" {
		return "", err
	}
	db, err := a.Cluster.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return "", err
	}
	var u struct{ PinHash *string }
	if err := db.Table("app_user").Select("pin_hash").Where("id = ? and status = 'ACTIVE'", acc.UserID).Limit(1).Scan(&u).Error; err != nil {
		return "", fmt.Errorf("reading a PIN: %w", err)
	}
	if u.PinHash == nil {
		return "", nil
	}
	return *u.PinHash, nil
}

// keyedPIN marks a PIN that was keyed with the installation's secret before it was hashed: the
// few possible PINs could else be tried on a stolen database in minutes.
const keyedPIN = "keyed"

// HashPIN makes the stored form of a PIN.
func (a *Auth) HashPIN(ctx context.Context, pin string) (string, error) {
	hashed, err := a.Hasher.Hash(ctx, a.pinSecret(pin))
	return keyedPIN + hashed, err
}

func (a *Auth) pinSecret(pin string) string {
	return hex.EncodeToString(hashing.Keyed(a.Secret, "pin "+pin))
}

// checkPIN compares a PIN with its stored form, be it one from before PINs were keyed.
func (a *Auth) checkPIN(ctx context.Context, pin, stored string) (bool, error) {
	if hashed, ok := strings.CutPrefix(stored, keyedPIN); ok {
		return a.Hasher.Verify(ctx, a.pinSecret(pin), hashed)
	}
	return a.Hasher.Verify(ctx, pin, stored)
}

// rekeyPIN replaces the stored form of a PIN from before they were keyed. A failure
// does not fail the sign-in: the next one tries again.
func (a *Auth) rekeyPIN(c api.OpenCtx, acc directory.Account, pin, stored string) {
	if strings.HasPrefix(stored, keyedPIN) {
		return
	}
	hashed, err := a.HashPIN(c, pin)
	if err != nil {
		return
	}
	db, err := a.SchoolDB(c, acc.SchoolID, tenancy.ReadWrite)
	if err != nil {
		return
	}
	_ = tenancy.Pipeline(db, tenancy.Query{SQL: `update app_user set pin_hash = $3 where id = $1 and pin_hash = $2`,
		Args: []any{acc.UserID, stored, hashed}})
}
