package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/factor"
	"homeroom/tenancy"
)

// factorIssuer is what authenticator apps and browsers call us.
const factorIssuer = "Homeroom"

var (
	errNoFactor         = api.Denied("A second factor is for accounts that administer")
	errLastFactor       = api.Conflict("A second factor is required for this account: add another before you remove this one")
	errNoEnrolment      = api.Conflict("There is no enrolment under way, begin again")
	errNothingToRecover = api.Conflict("Recovery codes go with a second factor: add one first")
)

// factorState is what the holder of an account sees of its second factors.
type factorState struct {
	Required      bool          `json:"required" doc:"By the platform or by the school: the last factor cannot be removed"`
	TOTP          bool          `json:"totp" doc:"There is an authenticator app"`
	TOTPSince     *time.Time    `json:"totpSince"`
	RecoveryCodes int           `json:"recoveryCodes" doc:"How many are left"`
	Passkeys      []passkeyView `json:"passkeys"`
}

func (a *Auth) factorState(c api.OpenCtx, _ api.Nothing) (factorState, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return factorState{}, err
	}
	var out factorState
	if out.Required, err = a.factorRequired(c, acc); err != nil {
		return out, err
	}
	err = a.Cluster.PlatformPool().QueryRow(c, `select (select created_at from platform.totp where account_id = $1),
		(select count(*) from platform.recovery_code where account_id = $1
		and used_at is null)`, acc.ID).Scan(&out.TOTPSince, &out.RecoveryCodes)
	if err != nil {
		return out, fmt.Errorf("reading second factors: %w", err)
	}
	out.TOTP = out.TOTPSince != nil
	out.Passkeys, err = a.passkeys(c, acc.ID)
	return out, err
}

// factorHolder is the caller's own account, if it can have a second factor.
func (a *Auth) factorHolder(c api.OpenCtx) (directory.Account, error) {
	if !mayHaveFactor(c.User.Role) {
		return directory.Account{}, errNoFactor
	}
	acc, err := a.ByID(c, c.User.AccountID)
	if err != nil || acc == nil {
		return directory.Account{}, orSignedOut(err)
	}
	return *acc, nil
}

// totpEnrolment is the secret for an authenticator app. It is shown once; nothing changes
// until a code of the app has confirmed it.
type totpEnrolment struct {
	Secret string `json:"secret" doc:"To type into the app" example:"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"`
	URI    string `json:"uri" doc:"To show as a QR code" example:"otpauth://totp/Homeroom:a@example.org?secret=…&issuer=Homeroom"`
}

// totpCode confirms an enrolment.
type totpCode struct {
	Code string `json:"code" validate:"required,len=6,number" doc:"That the app shows now" example:"123456"`
}

// recoveryCodes are shown once. Empty: the account has its own already.
type recoveryCodes struct {
	RecoveryCodes []string `json:"recoveryCodes" doc:"Shown once, each good once, for a user who has lost the other factors; empty: there are some already"`
}

// enrolmentKey is where a secret is kept until its first code, by the challenge or session
// that it was made for.
func enrolmentKey(of string) string { return "homeroom:enrolment:" + of }

// beginTOTP makes a secret and keeps it, sealed, until a code confirms it.
func (a *Auth) beginTOTP(ctx context.Context, acc directory.Account, of string) (totpEnrolment, error) {
	secret := factor.NewSecret()
	sealed, err := factor.Seal(a.Secret, acc.ID, secret)
	if err != nil {
		return totpEnrolment{}, err
	}
	if err := a.store(ctx, enrolmentKey(of), sealed); err != nil {
		return totpEnrolment{}, err
	}
	name := acc.Email
	if name == "" {
		name = acc.Phone
	}
	return totpEnrolment{Secret: factor.Text(secret), URI: factor.URI(secret, factorIssuer, name)}, nil
}

// confirmTOTP puts the secret of an enrolment in force once the app has shown a code of
// it. replace lets it take the place of another app's.
func (a *Auth) confirmTOTP(c api.OpenCtx, acc directory.Account, of, code string, replace bool) ([]string, error) {
	if err := a.attempts.CountFactor(c, acc.ID); err != nil {
		return nil, err
	}
	var sealed []byte
	if err := a.load(c, enrolmentKey(of), &sealed); errors.Is(err, errChallenge) {
		return nil, errNoEnrolment
	} else if err != nil {
		return nil, err
	}
	secret, err := factor.Open(a.Secret, acc.ID, sealed)
	if err != nil {
		return nil, err
	}
	step, ok := factor.Match(secret, code, a.Clock())
	if !ok {
		return nil, api.InvalidField("code", "code is not what the app shows now")
	}
	codes, err := a.addFactor(c, acc, replace, `insert into platform.totp as t (account_id, secret, last_step, created_at)
		values ($1, $2, $3, $4)
		on conflict (account_id) do update set secret = excluded.secret, last_step = excluded.last_step, created_at = excluded.created_at`,
		acc.ID, sealed, step, a.Clock())
	if err != nil {
		return nil, err
	}
	if err := a.attempts.Clear(c, enrolmentKey(of)); err != nil {
		return nil, err
	}
	return codes, errors.Join(a.WriteAudit(c, acc, "authenticator app added"), a.attempts.ResetFactor(c, acc.ID))
}

// addFactor writes a factor in a transaction that locks the account. With the first one it
// gives the account its recovery codes, and ends the other sessions, which were begun without
// one. An enrolment in the middle of a sign-in adds nothing to an account that has got a
// factor meanwhile.
func (a *Auth) addFactor(c api.OpenCtx, acc directory.Account, further bool, sql string, args ...any) (codes []string, err error) {
	var ended []uuid.UUID
	ctx := context.Context(c)
	err = pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) error {
		// A statement of its own: one that waits for the lock would read what was there before.
		if _, err := tx.Exec(ctx, `select from platform.account where id = $1 for update`, acc.ID); err != nil {
			return err
		}
		var has bool
		err := tx.QueryRow(ctx, `select exists (select from platform.totp where account_id = $1) or exists (select from platform.passkey
			where account_id = $1)`, acc.ID).Scan(&has)
		if err != nil {
			return err
		}
		if has && !further {
			return errChallenge
		}
		if _, err := tx.Exec(ctx, sql, args...); err != nil {
			return err
		}
		if has {
			return nil
		}
		if codes, err = a.replaceRecoveryCodes(ctx, tx, acc.ID); err != nil {
			return err
		}
		ended, err = a.Revoke(ctx, tx, "a second factor was added", `account_id = $3 and id <> $4`, acc.ID, c.User.SessionID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("adding a second factor: %w", err)
	}
	a.PublishEnded(ended)
	return append([]string{}, codes...), nil
}

func (a *Auth) replaceRecoveryCodes(ctx context.Context, tx pgx.Tx, account uuid.UUID) ([]string, error) {
	codes := factor.NewRecoveryCodes()
	hashes := make([][]byte, len(codes))
	for i, code := range codes {
		hashes[i] = factor.RecoveryHash(account, code)
	}
	if _, err := tx.Exec(ctx, `delete from platform.recovery_code where account_id = $1`, account); err != nil {
		return nil, err
	}
	_, err := tx.Exec(ctx, `insert into platform.recovery_code (account_id, code_hash, created_at) select $1, unnest($2::bytea[]), $3`,
		account, hashes, a.Clock())
	return codes, err
}

// enrol begins the enrolment that a sign-in requires.
func (a *Auth) enrol(c api.OpenCtx, r challengeRequest) (totpEnrolment, error) {
	acc, _, err := a.readChallenge(c, r.Challenge, true)
	if err != nil {
		return totpEnrolment{}, err
	}
	return a.beginTOTP(c, acc, challengeKey(r.Challenge))
}

type enrolConfirmRequest struct {
	challengeRequest
	totpCode
}

// enrolled is a sign-in that made the account's first factor.
type enrolled struct {
	signedIn
	recoveryCodes
}

// confirmEnrolment ends a sign-in with the first code of a new authenticator app.
func (a *Auth) confirmEnrolment(c api.OpenCtx, r enrolConfirmRequest) (enrolled, error) {
	acc, ch, codes, err := a.enrolByChallenge(c, r)
	if err != nil {
		return enrolled{}, err
	}
	in, err := a.finishSignIn(c, acc, ch, r.Challenge)
	return enrolled{in, recoveryCodes{codes}}, err
}

// consoleEnrolled is the same for the console.
type consoleEnrolled struct {
	consoleSession
	recoveryCodes
}

func (a *Auth) consoleConfirmEnrolment(c api.OpenCtx, r enrolConfirmRequest) (consoleEnrolled, error) {
	acc, ch, codes, err := a.enrolByChallenge(c, r)
	if err != nil {
		return consoleEnrolled{}, err
	}
	in, err := a.finishConsoleSignIn(c, acc, ch, r.Challenge)
	return consoleEnrolled{in, recoveryCodes{codes}}, err
}

func (a *Auth) enrolByChallenge(c api.OpenCtx, r enrolConfirmRequest) (directory.Account, challenge, []string, error) {
	acc, ch, err := a.readChallenge(c, r.Challenge, true)
	if err != nil {
		return acc, ch, nil, err
	}
	codes, err := a.confirmTOTP(c, acc, challengeKey(r.Challenge), r.Code, false)
	return acc, ch, codes, err
}

// addTOTP begins the enrolment of an authenticator app for a signed-in caller.
func (a *Auth) addTOTP(c api.OpenCtx, _ api.Nothing) (totpEnrolment, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return totpEnrolment{}, err
	}
	return a.beginTOTP(c, acc, c.User.SessionID.String())
}

// confirmAddedTOTP puts it in force, in the place of the one before.
func (a *Auth) confirmAddedTOTP(c api.OpenCtx, r totpCode) (recoveryCodes, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return recoveryCodes{}, err
	}
	codes, err := a.confirmTOTP(c, acc, c.User.SessionID.String(), r.Code, true)
	if err != nil {
		return recoveryCodes{}, err
	}
	return recoveryCodes{codes}, a.provedWithFactor(c, c.User.SessionID)
}

// removeTOTP removes the authenticator app.
func (a *Auth) removeTOTP(c api.OpenCtx, _ api.Nothing) (api.Nothing, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return api.Nothing{}, err
	}
	err = a.removeFactor(c, acc, `delete from platform.totp where account_id = $1`, acc.ID)
	if err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, a.WriteAudit(c, acc, "authenticator app removed")
}

// removeFactor deletes one factor, unless it is the last one and required. With the last
// one the recovery codes go.
func (a *Auth) removeFactor(ctx context.Context, acc directory.Account, sql string, args ...any) error {
	required, err := a.factorRequired(ctx, acc)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from platform.account where id = $1 for update`, acc.ID); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return fmt.Errorf("removing a second factor: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return api.NotFound("second factor")
		}
		var left bool
		err = tx.QueryRow(ctx, `select exists (select from platform.totp where account_id = $1) or exists (select from platform.passkey
			where account_id = $1)`, acc.ID).Scan(&left)
		if err != nil || left {
			return err
		}
		if required {
			return errLastFactor
		}
		if _, err = tx.Exec(ctx, `delete from platform.recovery_code where account_id = $1`, acc.ID); err != nil {
			return err
		}
		// A factor that is gone meets no requirement that comes later.
		_, err = tx.Exec(ctx, `update platform.session set second_factor = false where account_id = $1`, acc.ID)
		return err
	})
}

// newRecoveryCodes makes another set; those before end.
func (a *Auth) newRecoveryCodes(c api.OpenCtx, _ api.Nothing) (recoveryCodes, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return recoveryCodes{}, err
	}
	has, err := a.factorsOf(c, acc.ID)
	if err != nil {
		return recoveryCodes{}, err
	}
	if !has.any() {
		return recoveryCodes{}, errNothingToRecover
	}
	var codes []string
	err = pgx.BeginFunc(c, a.Cluster.PlatformPool(), func(tx pgx.Tx) (err error) {
		codes, err = a.replaceRecoveryCodes(c, tx, acc.ID)
		return err
	})
	if err != nil {
		return recoveryCodes{}, fmt.Errorf("making recovery codes: %w", err)
	}
	return recoveryCodes{codes}, a.WriteAudit(c, acc, "recovery codes made")
}

// ResetFactors removes every second factor of an account whose holder has lost them all,
// and ends its sessions. also runs in the same transaction.
func (a *Auth) ResetFactors(ctx context.Context, account uuid.UUID, also ...tenancy.InTx) error {
	var ended []uuid.UUID
	err := pgx.BeginFunc(ctx, a.Cluster.PlatformPool(), func(tx pgx.Tx) (err error) {
		for _, table := range []string{"totp", "passkey", "recovery_code"} {
			if _, err := tx.Exec(ctx, `delete from platform.`+table+` where account_id = $1`, account); err != nil {
				return err
			}
		}
		if ended, err = a.EndAll(ctx, tx, "second factor reset", account, uuid.Nil); err != nil {
			return err
		}
		return runInTx(ctx, tx, also)
	})
	if err != nil {
		return fmt.Errorf("resetting second factors: %w", err)
	}
	a.PublishEnded(ended)
	return nil
}
