package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// pinTries is how many wrong PINs in a row lock it until the next OTP.
	pinTries = 5
	// freshOTP is how long after an OTP sign-in a PIN may be replaced without the old one.
	freshOTP = 10 * time.Minute
)

type pinRequest struct {
	PIN        string `json:"pin" validate:"required,min=4,max=6,numeric" example:"4826"`
	CurrentPIN string `json:"currentPin" validate:"omitempty,min=4,max=6,numeric" doc:"Needed to replace a PIN, unless an OTP sign-in was in the last 10 minutes"`
}

type pinSignIn struct {
	Phone string `json:"phone" validate:"required,max=32" example:"+919812345678"`
	PIN   string `json:"pin" validate:"required,max=6,numeric" example:"4826"`
}

// All failures of a PIN look alike: wrong, locked, never set, nobody's phone.
var errPINWrong = api.Unauthorized("The phone or the PIN is wrong")

// errCurrentPIN is one of the refusals to replace a PIN; those by role have the same code.
var errCurrentPIN = api.Denied("Give the current PIN, or sign in with an OTP first")

// errPhoneUnproven is a PIN for a phone that nobody has entered a code for in this session.
var errPhoneUnproven = api.Denied("Sign in with a code sent to your phone first")

// weakPIN is one digit repeated, or a straight run up or down.
func weakPIN(pin string) bool {
	same, up, down := true, true, true
	for i := 1; i < len(pin); i++ {
		same = same && pin[i] == pin[i-1]
		up = up && pin[i] == pin[i-1]+1
		down = down && pin[i] == pin[i-1]-1
	}
	return same || up || down
}

// setPIN stores the caller's PIN.
func (m mobile) setPIN(c api.OpenCtx, r pinRequest) (api.Nothing, error) {
	if weakPIN(r.PIN) {
		return api.Nothing{}, api.InvalidField("pin", "pin must not be one repeated digit or a straight run")
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
	if s.proof.phone == "" || s.proof.phone != acc.phone {
		return api.Nothing{}, errPhoneUnproven
	}
	fresh := s.proof.method == "OTP" && m.Clock().Sub(s.createdAt) <= freshOTP
	if !fresh {
		if err := m.mayReplacePIN(c, acc, r.CurrentPIN); err != nil {
			return api.Nothing{}, err
		}
	}
	hashed, err := m.Hasher.Hash(c, r.PIN)
	if err != nil {
		return api.Nothing{}, err
	}
	db, err := m.schoolDB(c, acc.schoolID, tenancy.ReadWrite)
	if err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, tenancy.Together(db,
		tenancy.Query{SQL: `update app_user set pin_hash = $2, pin_failures = 0 where id = $1`, Args: []any{acc.userID, hashed}},
		m.bookEntry(c, acc, "PIN set"))
}

// mayReplacePIN wants the present PIN, if there is one, as carefully as a sign-in does.
func (m mobile) mayReplacePIN(c api.OpenCtx, acc account, current string) error {
	db, err := m.schoolDB(c, acc.schoolID, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	var u struct{ PinHash *string }
	if err := db.Table("app_user").Select("pin_hash").Where("id = ?", acc.userID).Take(&u).Error; err != nil {
		return fmt.Errorf("reading a PIN: %w", err)
	}
	if u.PinHash == nil {
		return nil // the first one
	}
	stored, err := m.countPINTry(c, acc)
	if err != nil {
		return err
	}
	ok, err := m.Hasher.Verify(c, current, stored)
	if err != nil {
		return err
	}
	if !ok {
		return m.failed(c, acc, "PIN change refused", errCurrentPIN)
	}
	return nil
}

// verifyPIN signs in without an SMS.
func (m mobile) verifyPIN(c api.OpenCtx, r pinSignIn) (signedIn, error) {
	phone, err := phoneOf(r.Phone)
	if err != nil {
		return signedIn{}, err
	}
	done, err := m.Hasher.Admit(c)
	if err != nil {
		return signedIn{}, err
	}
	defer done()
	accounts, err := m.byPhone(c, phone, m.role)
	if err != nil {
		return signedIn{}, err
	}
	acc, stored, err := m.firstWithPIN(c, accounts)
	if err != nil {
		return signedIn{}, err
	}
	ok, err := m.Hasher.Verify(c, r.PIN, stored)
	if err != nil {
		return signedIn{}, err
	}
	if !ok {
		if len(accounts) > 0 {
			return signedIn{}, m.failed(c, acc, "sign-in by PIN failed", errPINWrong)
		}
		return signedIn{}, errPINWrong
	}
	by := byPIN(phone)
	out, err := m.signIn(c, acc, by)
	if err == nil {
		out.Accounts, err = m.choices(c, accounts, by)
	}
	return out, err
}

// firstWithPIN finds the account used last that has a PIN which is not locked, and
// counts the try. With none, it is the first account and no hash. A PIN under a phone that
// was only typed is nobody's, and takes no try from its owner.
func (m mobile) firstWithPIN(c api.OpenCtx, accounts []account) (account, string, error) {
	for _, acc := range accounts {
		if !acc.proven {
			continue
		}
		stored, err := m.countPINTry(c, acc)
		if err != nil {
			return acc, "", err
		}
		if stored != "" {
			return acc, stored, nil
		}
	}
	if len(accounts) == 0 {
		return account{}, "", nil
	}
	return accounts[0], "", nil
}

// countPINTry counts a try before anybody looks at it, so that a hundred at once get
// no more than five answers. It returns the stored hash, or "" when there is no PIN to try.
func (m mobile) countPINTry(ctx context.Context, acc account) (string, error) {
	db, err := m.schoolDB(ctx, acc.schoolID, tenancy.ReadWrite)
	if err != nil {
		return "", err
	}
	var u struct{ PinHash string }
	err = db.Raw(`update app_user set pin_failures = pin_failures + 1
		where id = ? and status = 'ACTIVE' and pin_hash is not null and pin_failures < ? returning pin_hash`, acc.userID, pinTries).Take(&u).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("counting a PIN try: %w", err)
	}
	return u.PinHash, nil
}
