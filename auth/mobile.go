package auth

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// mobile is one family of sign-in paths: a client's own, which sees accounts of its
// role only, or /auth, which sees all of a phone's, or the people's app, which sees all
// but administrators'.
type mobile struct {
	*Auth
	role api.RoleType
	app  bool
}

type phoneRequest struct {
	Phone string `json:"phone" validate:"required,max=32" example:"+919812345678"`
}

type otpRequest struct {
	Phone string `json:"phone" validate:"required,max=32" example:"+919812345678"`
	OTP   string `json:"otp" validate:"required,len=6,number" example:"123456"`
}

// phoneOf reads a number, one without its country's code as of the installation's country: nobody's school is known yet. A bad
// one is an error of the caller's field.
func (a *Auth) phoneOf(text string) (string, error) {
	phone, err := api.ParsePhoneIn(a.Country, text)
	if err != nil {
		return "", api.InvalidField("phone", "phone %v", err)
	}
	return string(phone), nil
}

// sendOTP answers alike whether or not the phone is known.
func (m mobile) sendOTP(c api.OpenCtx, r phoneRequest) (api.Nothing, error) {
	phone, err := m.phoneOf(r.Phone)
	if err != nil {
		return api.Nothing{}, err
	}
	if err := m.Messages.Ready("SMS"); err != nil {
		return api.Nothing{}, err
	}
	accounts, err := m.accountsOf(c, phone)
	if err != nil {
		return api.Nothing{}, err
	}
	code, err := m.attempts.IssueCode(c, phone, string(m.role), m.attempts.SourceOf(c, phone))
	if err != nil || code == "" || len(accounts) == 0 {
		return api.Nothing{}, err
	}
	err = m.Messages.Send(c, Message{Channel: "SMS", To: phone,
		Text: fmt.Sprintf("%s is your Homeroom code. It is valid for 5 minutes. Do not share it.", code)})
	return api.Nothing{}, err
}

// verifyOTP starts a session for the phone's only account, or the one used last.
func (m mobile) verifyOTP(c api.OpenCtx, r otpRequest) (signedIn, error) {
	phone, err := m.phoneOf(r.Phone)
	if err != nil {
		return signedIn{}, err
	}
	accounts, err := m.accountsOf(c, phone)
	if err != nil {
		return signedIn{}, err
	}
	if err := m.attempts.UseCode(c, phone, r.OTP, m.attempts.SourceOf(c, phone)); err != nil {
		if len(accounts) > 0 {
			err = m.AuditFailure(c, accounts[0], "sign-in by OTP failed", err)
		}
		return signedIn{}, err
	}
	if len(accounts) == 0 {
		return signedIn{}, attempt.ErrCodeInvalid // the code was for an account that is gone
	}
	if err := m.attempts.UnlockPIN(c, phone); err != nil {
		return signedIn{}, err
	}
	return m.signInToOneOf(c, accounts, m.byCode(phone))
}

// signInToOneOf signs in to the first account whose school is active and whose user exists.
// The others are listed, so that the app can offer a switch. One that needs a second factor is
// not skipped: another school may have entered the phone.
func (a *Auth) signInToOneOf(c api.OpenCtx, accounts []directory.Account, by proof) (signedIn, error) {
	var refused error
	for _, acc := range accounts {
		out, err := a.signIn(c, acc, by)
		if err == nil {
			out.Accounts, err = a.choices(c, accounts, by)
			return out, err
		}
		if outcomeOf(err) == Halfway {
			return signedIn{}, err
		}
		if refused == nil {
			refused = err
		}
	}
	return signedIn{}, cmp.Or(refused, error(directory.ErrSignedOut))
}

// choice is one account of a phone.
type choice struct {
	ID         uuid.UUID    `json:"id"`
	Role       api.RoleType `json:"role"`
	SchoolID   string       `json:"schoolId"`
	SchoolName string       `json:"schoolName"`
}

// choices are those of the accounts that the proof opens.
func (a *Auth) choices(ctx context.Context, accounts []directory.Account, by proof) ([]choice, error) {
	out := []choice{}
	for _, acc := range accounts {
		if !by.opens(acc) {
			continue
		}
		s, err := a.Schools.School(ctx, acc.SchoolID)
		if err != nil {
			return nil, err
		}
		if s.Status == tenancy.Active {
			out = append(out, choice{ID: acc.ID, Role: acc.Role, SchoolID: s.ID.String(), SchoolName: s.Name})
		}
	}
	return out, nil
}
