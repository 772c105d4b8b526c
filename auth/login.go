package auth

import (
	"context"
	"errors"
	"fmt"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// loginRequest is a web administrator's.
type loginRequest struct {
	Email    string `json:"email" validate:"required,email,max=254" example:"admin@green-valley.local"`
	Password string `json:"password" validate:"required,max=200"`
}

var errWrongPassword = api.Coded(400, "PASSWORD_WRONG", "The e-mail or the password is wrong")

// login signs a web administrator in. Every wrong attempt has the same answer and takes as long.
func (a *Auth) login(c api.OpenCtx, r loginRequest) (signedIn, error) {
	acc, err := a.byPassword(c, r)
	if err != nil {
		return signedIn{}, err
	}
	return a.finishLogin(c, acc, r.Email)
}

// finishLogin opens the session of an account whose password was right.
func (a *Auth) finishLogin(c api.OpenCtx, acc directory.Account, email string) (signedIn, error) {
	out, err := a.signIn(c, acc, proof{method: "PASSWORD"})
	if err == nil || outcomeOf(err) == Halfway { // the password was right: what follows is counted by itself
		err = errors.Join(err, a.attempts.ResetLogin(c, email))
	}
	return out, err
}

// maxPasswordAccounts is how many accounts of one e-mail a password is checked for.
const maxPasswordAccounts = 5

// byPassword finds the account an e-mail and a password open. An e-mail may have accounts
// at several schools, each with a password of its own: the one used last comes first.
func (a *Auth) byPassword(c api.OpenCtx, r loginRequest) (directory.Account, error) {
	done, err := a.Hasher.Admit(c)
	if err != nil {
		return directory.Account{}, err
	}
	defer done()
	if err := a.attempts.CountLogin(c, r.Email); err != nil {
		return directory.Account{}, err
	}
	accounts, err := a.ByEmail(c, r.Email)
	if err != nil {
		return directory.Account{}, err
	}
	checked := 0
	var inactive *directory.Account // the password is right, the school not active
	for _, acc := range accounts {
		stored, err := a.passwordOf(c, acc)
		if err != nil {
			return directory.Account{}, err
		}
		if stored == "" {
			continue // entered by an office, and no password was set yet
		}
		ok, err := a.Hasher.Verify(c, r.Password, stored)
		if err != nil {
			return directory.Account{}, err
		}
		if ok {
			if _, err := a.FindRole(c, acc); !errors.Is(err, directory.ErrNotActive) {
				return acc, nil
			}
			inactive = &acc
		}
		if checked++; checked == maxPasswordAccounts {
			break
		}
	}
	if checked == 0 { // takes as long
		if _, err := a.Hasher.Verify(c, r.Password, ""); err != nil {
			return directory.Account{}, err
		}
	}
	if inactive != nil {
		return *inactive, nil
	}
	if len(accounts) == 0 {
		return directory.Account{}, errWrongPassword
	}
	return directory.Account{}, a.AuditFailure(c, accounts[0], "sign-in by password failed", errWrongPassword)
}

// passwordOf reads the stored hash of an account's user; empty when there is none.
func (a *Auth) passwordOf(ctx context.Context, acc directory.Account) (string, error) {
	db := a.Cluster.Platform(ctx, tenancy.ReadOnly)
	table := "super_admin"
	if acc.Role != api.SuperAdmin {
		table = "app_user"
		s, err := a.Schools.School(ctx, acc.SchoolID)
		if err != nil {
			return "", err
		}
		if s.Schema == "" {
			return "", nil // its school is not made yet
		}
		if db, err = a.Cluster.School(ctx, s, tenancy.ReadOnly); err != nil {
			return "", err
		}
	}
	var u struct{ PasswordHash *string }
	err := db.Table(table).Select("password_hash").Where("id = ? and status = 'ACTIVE'", acc.UserID).Limit(1).Scan(&u).Error
	if err != nil {
		return "", fmt.Errorf("reading a password: %w", err)
	}
	if u.PasswordHash == nil {
		return "", nil
	}
	return *u.PasswordHash, nil
}
