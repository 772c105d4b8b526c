package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/tenancy"
)

// factors are the second factors an account has.
type factors struct {
	totp     bool
	passkeys int
}

func (f factors) any() bool { return f.totp || f.passkeys > 0 }

// methods are the proofs that can follow a challenge, as the answer names them.
func (f factors) methods() []string {
	var out []string
	if f.totp {
		out = append(out, "TOTP")
	}
	if f.passkeys > 0 {
		out = append(out, "PASSKEY")
	}
	return append(out, "RECOVERY_CODE")
}

func (a *Auth) factorsOf(ctx context.Context, account uuid.UUID) (factors, error) {
	var f factors
	err := a.Cluster.PlatformPool().QueryRow(ctx, `select exists (select from platform.totp where account_id = $1),
		(select count(*) from platform.passkey where account_id = $1)`, account).Scan(&f.totp, &f.passkeys)
	if err != nil {
		return f, fmt.Errorf("reading second factors: %w", err)
	}
	return f, nil
}

// mayHaveFactor reports whether accounts of a role can have a second factor: administrators'.
func mayHaveFactor(role api.RoleType) bool { return role == api.SuperAdmin || role == api.SchoolAdmin }

// factorRequired reports whether an account must have a second factor: a super-admin's by
// the configuration, a school administrator's by their school's settings.
func (a *Auth) factorRequired(ctx context.Context, acc directory.Account) (required bool, err error) {
	switch acc.Role {
	case api.SuperAdmin:
		return a.SecondFactorRequired, nil
	case api.SchoolAdmin:
		db, err := a.SchoolDB(ctx, acc.SchoolID, tenancy.ReadOnly)
		if err != nil {
			return false, err
		}
		err = tenancy.Pipeline(db, tenancy.Query{SQL: `select second_factor_required from school_setting`, Scan: tenancy.One(&required)})
		if err != nil {
			return false, fmt.Errorf("reading whether a second factor is required: %w", err)
		}
	}
	return required, nil
}

// errSecondFactor is the answer to a right password, code or PIN that a second factor has
// to follow; its Data is a factorNeeded.
var errSecondFactor = &api.Error{
	Status: 403, Code: "SECOND_FACTOR_NEEDED", Message: "A second factor is needed to sign in",
	Data: factorNeeded{Challenge: "q1w2e3", ExpiresIn: int(challengeLife.Seconds()), Methods: []string{"TOTP", "RECOVERY_CODE"}},
}

// factorNeeded is how a sign-in continues.
type factorNeeded struct {
	Challenge string   `json:"challenge"`
	ExpiresIn int      `json:"expiresIn"`
	Methods   []string `json:"methods"`
	Enrol     bool     `json:"enrol"` // there is none yet, and one is required
}

// requireFactor stops a sign-in of any kind that needs a second factor, and returns the challenge
// it continues with.
func (a *Auth) requireFactor(c api.OpenCtx, acc directory.Account, by proof) error {
	if !mayHaveFactor(acc.Role) {
		return nil
	}
	has, err := a.factorsOf(c, acc.ID)
	if err != nil {
		return err
	}
	needed := factorNeeded{ExpiresIn: int(challengeLife.Seconds()), Methods: has.methods()}
	if !has.any() {
		required, err := a.factorRequired(c, acc)
		if err != nil || !required {
			return err
		}
		needed.Enrol, needed.Methods = true, []string{}
	}
	needed.Challenge,
		err = a.newChallenge(c, challenge{Account: acc.ID, Epoch: acc.Epoch, Method: by.method, Phone: by.phone, By: by.by, At: by.at,
		Enrol: needed.Enrol})
	if err != nil {
		return err
	}
	e := *errSecondFactor
	e.Data = needed
	return &e
}

// checkFactorRequirement refuses to refresh a session that was begun without a second factor
// once one is required: the requirement would else hold only after a sign-out.
func (a *Auth) checkFactorRequirement(ctx context.Context, acc directory.Account, session uuid.UUID) error {
	if !mayHaveFactor(acc.Role) {
		return nil
	}
	required, err := a.factorRequired(ctx, acc)
	if err != nil || !required {
		return err
	}
	var with bool
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select second_factor from platform.session where id = $1`, session).Scan(&with)
	if err != nil {
		return fmt.Errorf("reading a session: %w", err)
	}
	if !with {
		return directory.ErrSignedOut
	}
	return nil
}
