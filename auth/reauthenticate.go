package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
)

// reauthRequest proves again who holds the session: by password, authenticator app or
// passkey, or as the apps do, by the phone's code or PIN.
type reauthRequest struct {
	Password string     `json:"password" validate:"max=200"`
	Code     string     `json:"code" validate:"omitempty,len=6,number" doc:"Of the authenticator app" example:"123456"`
	Passkey  *assertion `json:"passkey" doc:"The browser's answer to the options of /auth/reauthenticate/options"`
	OTP      string     `json:"otp" validate:"omitempty,len=6,number" doc:"Sent to the account's phone by /auth/send-otp"`
	PIN      string     `json:"pin" validate:"omitempty,max=6,number"`
}

// proofs counts the proofs that were given. Of several only one would be checked.
func (r reauthRequest) proofs() (n int) {
	for _, given := range []bool{r.Password != "", r.Code != "", r.Passkey != nil, r.OTP != "", r.PIN != ""} {
		if given {
			n++
		}
	}
	return n
}

// proved is until when the session has a fresh proof.
type proved struct {
	Until time.Time `json:"until" doc:"Until then calls that ask for a fresh proof are let through"`
}

// reauthenticate takes a fresh proof and keeps its time on the session.
func (a *Auth) reauthenticate(c api.OpenCtx, r reauthRequest) (proved, error) {
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return proved{}, orSignedOut(err)
	}
	if r.proofs() > 1 {
		return proved{}, api.InvalidField("password", "give one proof: password, code, passkey, otp or pin")
	}
	if err := a.prove(c, *acc, r); err != nil {
		return proved{}, err
	}
	now := a.Clock()
	_, err = a.Cluster.PlatformPool().Exec(c, `update platform.session set proved_at = $2,
		proven_at = case when $3 then $2 else proven_at end, proven_by = case when $3 then 'CODE' else proven_by end
		where id = $1`, c.User.SessionID, now, r.OTP != "")
	if err != nil {
		return proved{}, fmt.Errorf("keeping a proof: %w", err)
	}
	return proved{Until: now.Add(api.FreshFor)}, a.WriteAudit(c, *acc, "proved again")
}

// prove requires the strongest proof that the account has: with a second factor, a password,
// code or PIN alone could remove the factor. A user who has lost it signs in by a recovery code.
func (a *Auth) prove(c api.OpenCtx, acc directory.Account, r reauthRequest) error {
	has, err := a.factorsOf(c, acc.ID)
	if err != nil {
		return err
	}
	switch {
	case has.any() && r.Code == "" && r.Passkey == nil:
		return api.InvalidField("code", "code or passkey is required: this account has a second factor")
	case r.Code != "":
		return wrongField("code", a.useTOTP(c, acc, r.Code))
	case r.Passkey != nil:
		return wrongField("passkey", a.usePasskey(c, acc, c.User.SessionID.String(), *r.Passkey))
	case r.Password != "":
		return a.provePassword(c, acc, r.Password)
	case r.OTP != "" || r.PIN != "":
		return a.provePhone(c, acc, r)
	}
	return api.InvalidField("password", "password, code, passkey, otp or pin is required")
}

// wrongField names the field of a wrong proof; other errors stay as they are.
func wrongField(field string, err error) error {
	var e *api.Error
	if errors.As(err, &e) &&
		(e.Code == errFactorWrong.Code || e.Code == attempt.ErrCodeInvalid.Code || e.Code == attempt.ErrCodeExpired.Code) {
		return api.InvalidField(field, "%s is wrong or was used before", field)
	}
	return err
}

func (a *Auth) provePassword(c api.OpenCtx, acc directory.Account, password string) error {
	if acc.Email == "" {
		return errNoPassword
	}
	if err := a.attempts.CountLogin(c, acc.Email); err != nil {
		return err
	}
	stored, err := a.passwordOf(c, acc)
	if err != nil {
		return err
	}
	ok, err := a.Hasher.Verify(c, password, stored)
	if err != nil {
		return err
	}
	if !ok {
		return a.AuditFailure(c, acc, "proof by password failed", api.InvalidField("password", "password is wrong"))
	}
	return a.attempts.ResetLogin(c, acc.Email)
}

// provePhone takes a code sent to the phone that the session has proven, or its PIN. A phone
// that an office has entered proves nothing.
func (a *Auth) provePhone(c api.OpenCtx, acc directory.Account, r reauthRequest) error {
	_, s, err := a.findSession(c, c.User.SessionID)
	if err != nil {
		return err
	}
	if s.proof.phone == "" || s.proof.phone != acc.Phone {
		return errPhoneUnproven
	}
	if r.OTP != "" {
		return wrongField("otp", a.attempts.UseCode(c, acc.Phone, r.OTP, a.attempts.SourceOf(c, acc.Phone)))
	}
	return a.provePIN(c, acc, r.PIN)
}

func (a *Auth) provePIN(c api.OpenCtx, acc directory.Account, pin string) error {
	all, err := a.attempts.CountPIN(c, acc.Phone)
	if err != nil {
		return err
	}
	stored, err := a.pinOf(c, acc)
	if err != nil {
		return err
	}
	ok, err := a.checkPIN(c, pin, stored)
	if err != nil {
		return err
	}
	if !ok {
		return a.AuditFailure(c, acc, "proof by PIN failed", api.InvalidField("pin", "pin is wrong"))
	}
	return a.attempts.Return(c, all)
}

// provedWithFactor records on a session that a second factor was just proved.
func (a *Auth) provedWithFactor(ctx context.Context, session uuid.UUID) error {
	_, err := a.Cluster.PlatformPool().Exec(ctx, `update platform.session set proved_at = $2, second_factor = true where id = $1`, session,
		a.Clock())
	if err != nil {
		return fmt.Errorf("keeping a proof: %w", err)
	}
	return nil
}

// Fresh reports whether the holder of a session has proved who they are in the last ten
// minutes. It asks the database every time: the rows it guards are rare, and a cached
// answer could be wrong.
func (a *Auth) Fresh(ctx context.Context, user api.User) (bool, error) {
	var at *time.Time
	err := a.Cluster.PlatformPool().QueryRow(ctx, `select proved_at from platform.session where id = $1`, user.SessionID).Scan(&at)
	if err != nil {
		return false, fmt.Errorf("reading when a session was proved: %w", err)
	}
	return at != nil && a.Clock().Sub(*at) <= api.FreshFor, nil
}
