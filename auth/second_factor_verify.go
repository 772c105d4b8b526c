package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/directory"
	"homeroom/auth/factor"
)

// challengeRequest continues a sign-in that waits for its second factor.
type challengeRequest struct {
	Challenge string `json:"challenge" validate:"required,max=100" doc:"From the data of SECOND_FACTOR_NEEDED"`
}

// verifyRequest answers a challenge with one of an account's second factors.
type verifyRequest struct {
	challengeRequest
	Code         string     `json:"code" validate:"omitempty,len=6,number" doc:"Of the authenticator app" example:"123456"`
	RecoveryCode string     `json:"recoveryCode" validate:"max=40" doc:"One of those that were shown once; each is good once" example:"3f7k-9m2p-x4tq-8rw1"`
	Passkey      *assertion `json:"passkey" doc:"The browser's answer to the options of /auth/second-factor/options"`
}

// verifyFactor ends a sign-in with its second factor.
func (a *Auth) verifyFactor(c api.OpenCtx, r verifyRequest) (signedIn, error) {
	acc, ch, err := a.answerChallenge(c, r)
	if err != nil {
		return signedIn{}, err
	}
	return a.finishSignIn(c, acc, ch, r.Challenge)
}

// consoleVerifyFactor does the same for the console.
func (a *Auth) consoleVerifyFactor(c api.OpenCtx, r verifyRequest) (consoleSession, error) {
	acc, ch, err := a.answerChallenge(c, r)
	if err != nil {
		return consoleSession{}, err
	}
	return a.finishConsoleSignIn(c, acc, ch, r.Challenge)
}

func (a *Auth) answerChallenge(c api.OpenCtx, r verifyRequest) (directory.Account, challenge, error) {
	acc, ch, err := a.readChallenge(c, r.Challenge, false)
	if err != nil {
		return acc, ch, err
	}
	switch {
	case r.Code != "":
		err = a.useTOTP(c, acc, r.Code)
	case r.RecoveryCode != "":
		err = a.useRecoveryCode(c, acc, r.RecoveryCode)
	case r.Passkey != nil:
		err = a.usePasskey(c, acc, challengeKey(r.Challenge), *r.Passkey)
	default:
		err = api.InvalidField("code", "code, recoveryCode or passkey is required")
	}
	return acc, ch, err
}

// finishSignIn uses the challenge up and opens the session it was for.
func (a *Auth) finishSignIn(c api.OpenCtx, acc directory.Account, ch challenge, token string) (signedIn, error) {
	if _, err := a.FindRole(c, acc); err != nil {
		return signedIn{}, err
	}
	if err := a.takeChallenge(c, token); err != nil {
		return signedIn{}, err
	}
	return a.openSession(c, acc, proof{method: ch.Method, phone: ch.Phone, by: ch.By, at: ch.At}, true)
}

func (a *Auth) finishConsoleSignIn(c api.OpenCtx, acc directory.Account, ch challenge, token string) (consoleSession, error) {
	role, err := a.FindRole(c, acc)
	if err != nil {
		return consoleSession{}, err
	}
	in, err := a.finishSignIn(c, acc, ch, token)
	if err != nil {
		return consoleSession{}, err
	}
	return a.openConsole(c, acc, role, in)
}

// useTOTP takes a code of the account's authenticator app, once.
func (a *Auth) useTOTP(c api.OpenCtx, acc directory.Account, code string) error {
	if err := a.attempts.CountFactor(c, acc.ID); err != nil {
		return err
	}
	secret, err := a.totpSecret(c, acc.ID)
	if err != nil {
		return err
	}
	step, ok := factor.Match(secret, code, a.Clock())
	if !ok {
		return a.AuditFailure(c, acc, "second factor failed", errFactorWrong)
	}
	// Of any number of callers with the same code, one raises the step.
	tag, err := a.Cluster.PlatformPool().Exec(c, `update platform.totp set last_step = $2 where account_id = $1 and last_step < $2`, acc.ID,
		step)
	if err != nil {
		return fmt.Errorf("using a code: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return a.AuditFailure(c, acc, "second factor failed", errFactorWrong)
	}
	return a.attempts.ResetFactor(c, acc.ID)
}

// totpSecret reads the secret of an account's authenticator app. Without one, or after a
// change of HOMEROOM_SECRET, no code is right.
func (a *Auth) totpSecret(ctx context.Context, account uuid.UUID) ([]byte, error) {
	var sealed []byte
	err := a.Cluster.PlatformPool().QueryRow(ctx, `select secret from platform.totp where account_id = $1`, account).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errFactorWrong
	}
	if err != nil {
		return nil, fmt.Errorf("reading a second factor: %w", err)
	}
	secret, err := factor.Open(a.Secret, account, sealed)
	if err != nil {
		return nil, errFactorWrong.Because(err)
	}
	return secret, nil
}

// useRecoveryCode takes one of the codes that were shown once.
func (a *Auth) useRecoveryCode(c api.OpenCtx, acc directory.Account, code string) error {
	if err := a.attempts.CountFactor(c, acc.ID); err != nil {
		return err
	}
	tag, err := a.Cluster.PlatformPool().Exec(c, `update platform.recovery_code set used_at = $3 where account_id = $1 and code_hash = $2
		and used_at is null`,
		acc.ID, factor.RecoveryHash(acc.ID, code), a.Clock())
	if err != nil {
		return fmt.Errorf("using a recovery code: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return a.AuditFailure(c, acc, "second factor failed", errFactorWrong)
	}
	if err := a.WriteAudit(c, acc, "recovery code used"); err != nil {
		return err
	}
	return a.attempts.ResetFactor(c, acc.ID)
}
