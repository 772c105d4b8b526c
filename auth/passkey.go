package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/auth/attempt"
	"homeroom/auth/directory"
	"homeroom/auth/factor"
)

// maxPasskeys is how many an account may have.
const maxPasskeys = 20

var (
	errNoPasskey    = api.Conflict("This account has no passkey")
	errManyPasskeys = api.Conflict("This account has %d passkeys: remove one first", maxPasskeys)
)

// passkeyView is a passkey as its owner sees it.
type passkeyView struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name" example:"Office laptop"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

func (a *Auth) passkeys(ctx context.Context, account uuid.UUID) ([]passkeyView, error) {
	rows, err := a.Cluster.PlatformPool().Query(ctx, `select id, name, created_at, last_used_at from platform.passkey where account_id = $1
		order by created_at, id`, account)
	if err != nil {
		return nil, fmt.Errorf("reading passkeys: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[passkeyView])
	if err != nil {
		return nil, fmt.Errorf("reading passkeys: %w", err)
	}
	return append([]passkeyView{}, found...), nil
}

// passkeyOptions are the options of a WebAuthn call in a browser.
type passkeyOptions struct {
	PublicKey map[string]any `json:"publicKey" doc:"For PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON"`
}

// optionsOf is the library's own JSON.
func optionsOf(options any) (passkeyOptions, error) {
	var out passkeyOptions
	text, err := json.Marshal(options)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, fmt.Errorf("writing a passkey's options: %w", err)
	}
	return out, nil
}

// passkeyKey is where the WebAuthn session is kept, by the challenge or session it belongs to.
func passkeyKey(of string) string { return "homeroom:passkey:" + of }

// takePasskeySession reads and deletes a WebAuthn session: it is answered once.
func (a *Auth) takePasskeySession(ctx context.Context, of string) (webauthn.SessionData, error) {
	var asked webauthn.SessionData
	if err := a.load(ctx, passkeyKey(of), &asked); err != nil {
		return asked, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.RedisWait)
	defer cancel()
	taken, err := a.Redis.Del(ctx, passkeyKey(of)).Result()
	if err != nil {
		return asked, attempt.ErrCannotCount.Because(err)
	}
	if taken == 0 {
		return asked, errChallenge
	}
	return asked, nil
}

// passkeyHolder reads an account with its passkeys, as the library wants it.
func (a *Auth) passkeyHolder(ctx context.Context, acc directory.Account) (factor.Holder, error) {
	holder := factor.Holder{Account: acc.ID, Name: acc.Email}
	rows, err := a.Cluster.PlatformPool().Query(ctx, `select credential from platform.passkey where account_id = $1 order by created_at, id`,
		acc.ID)
	if err != nil {
		return holder, fmt.Errorf("reading passkeys: %w", err)
	}
	holder.Credentials, err = pgx.CollectRows(rows, pgx.RowTo[webauthn.Credential])
	if err != nil {
		return holder, fmt.Errorf("reading passkeys: %w", err)
	}
	return holder, nil
}

// beginPasskey begins a WebAuthn session that a browser answers with one of the account's passkeys.
func (a *Auth) beginPasskey(ctx context.Context, acc directory.Account, of string) (passkeyOptions, error) {
	party, err := factor.RelyingParty(factorIssuer, a.PublicURL, "")
	if err != nil {
		return passkeyOptions{}, err
	}
	holder, err := a.passkeyHolder(ctx, acc)
	if err != nil {
		return passkeyOptions{}, err
	}
	if len(holder.Credentials) == 0 {
		return passkeyOptions{}, errNoPasskey
	}
	options, asked, err := party.BeginLogin(holder)
	if err != nil {
		return passkeyOptions{}, fmt.Errorf("asking for a passkey: %w", err)
	}
	if err := a.store(ctx, passkeyKey(of), asked); err != nil {
		return passkeyOptions{}, err
	}
	return optionsOf(options)
}

// signInOptions asks for a passkey in the middle of a sign-in.
func (a *Auth) signInOptions(c api.OpenCtx, r challengeRequest) (passkeyOptions, error) {
	acc, _, err := a.readChallenge(c, r.Challenge, false)
	if err != nil {
		return passkeyOptions{}, err
	}
	return a.beginPasskey(c, acc, challengeKey(r.Challenge))
}

// reauthOptions asks for a passkey of a signed-in caller.
func (a *Auth) reauthOptions(c api.OpenCtx, _ api.Nothing) (passkeyOptions, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return passkeyOptions{}, err
	}
	return a.beginPasskey(c, acc, c.User.SessionID.String())
}

// assertion is a browser's answer to a question: PublicKeyCredential.toJSON().
type assertion struct {
	ID       string `json:"id" validate:"required,max=2000"`
	RawID    string `json:"rawId" validate:"required,max=2000"`
	Type     string `json:"type" validate:"oneof=public-key" example:"public-key"`
	Response struct {
		ClientDataJSON    string `json:"clientDataJSON" validate:"required,max=10000"`
		AuthenticatorData string `json:"authenticatorData" validate:"required,max=10000"`
		Signature         string `json:"signature" validate:"required,max=10000"`
		UserHandle        string `json:"userHandle,omitempty" validate:"max=200"`
	} `json:"response"`
}

// usePasskey takes an answer of one of the account's passkeys. It is not counted as
// an attempt: nobody guesses a signature, and an account that is delayed for wrong codes can
// still be opened by a passkey.
func (a *Auth) usePasskey(c api.OpenCtx, acc directory.Account, of string, answer assertion) error {
	asked, err := a.takePasskeySession(c, of)
	if errors.Is(err, errChallenge) {
		return errFactorWrong.Because(err)
	}
	if err != nil {
		return err
	}
	used, err := a.checkPasskey(c, acc, asked, answer)
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) && e.Code == errFactorWrong.Code {
			return a.AuditFailure(c, acc, "second factor failed", err)
		}
		return err
	}
	// One that was removed meanwhile is refused.
	tag, err := a.Cluster.PlatformPool().Exec(c, `update platform.passkey set credential = $3, last_used_at = $4 where account_id = $1
		and credential_id = $2`, acc.ID, used.ID, used, a.Clock())
	if err != nil {
		return fmt.Errorf("using a passkey: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return a.AuditFailure(c, acc, "second factor failed", errFactorWrong)
	}
	return a.attempts.ResetFactor(c, acc.ID)
}

func (a *Auth) checkPasskey(ctx context.Context, acc directory.Account, asked webauthn.SessionData,
	answer assertion) (*webauthn.Credential, error) {
	holder, err := a.passkeyHolder(ctx, acc)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("reading a passkey's answer: %w", err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(text)
	if err != nil {
		return nil, errFactorWrong.Because(err)
	}
	party, err := factor.RelyingParty(factorIssuer, a.PublicURL, parsed.Response.CollectedClientData.Origin)
	if err != nil {
		return nil, err
	}
	used, err := party.ValidateLogin(holder, asked, parsed)
	if err != nil {
		return nil, errFactorWrong.Because(err)
	}
	if used.Authenticator.CloneWarning {
		return nil, errFactorWrong.Because(errors.New("the passkey's counter went back: it may have been copied"))
	}
	return used, nil
}

// addPasskeyOptions asks a browser to make a passkey.
func (a *Auth) addPasskeyOptions(c api.OpenCtx, _ api.Nothing) (passkeyOptions, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return passkeyOptions{}, err
	}
	party, err := factor.RelyingParty(factorIssuer, a.PublicURL, "")
	if err != nil {
		return passkeyOptions{}, err
	}
	holder, err := a.passkeyHolder(c, acc)
	if err != nil {
		return passkeyOptions{}, err
	}
	if len(holder.Credentials) >= maxPasskeys {
		return passkeyOptions{}, errManyPasskeys
	}
	options, asked, err := party.BeginRegistration(holder,
		webauthn.WithExclusions(webauthn.Credentials(holder.Credentials).CredentialDescriptors()))
	if err != nil {
		return passkeyOptions{}, fmt.Errorf("asking for a new passkey: %w", err)
	}
	if err := a.store(c, passkeyKey("new "+c.User.SessionID.String()), asked); err != nil {
		return passkeyOptions{}, err
	}
	return optionsOf(options)
}

// attestation is a passkey that a browser has made: PublicKeyCredential.toJSON().
type attestation struct {
	ID       string `json:"id" validate:"required,max=2000"`
	RawID    string `json:"rawId" validate:"required,max=2000"`
	Type     string `json:"type" validate:"oneof=public-key" example:"public-key"`
	Response struct {
		ClientDataJSON    string   `json:"clientDataJSON" validate:"required,max=10000"`
		AttestationObject string   `json:"attestationObject" validate:"required,max=100000"`
		Transports        []string `json:"transports,omitempty" validate:"max=10,dive,max=40"`
	} `json:"response"`
}

type newPasskey struct {
	Name       string      `json:"name" validate:"name,max=60" doc:"What its owner calls it" example:"Office laptop"`
	Credential attestation `json:"credential" doc:"The browser's answer to the options of /auth/second-factor/passkey/options"`
}

// addedPasskey is a passkey that was just added.
type addedPasskey struct {
	passkeyView
	recoveryCodes
}

// addPasskey stores a passkey that the browser has made.
func (a *Auth) addPasskey(c api.OpenCtx, r newPasskey) (addedPasskey, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return addedPasskey{}, err
	}
	made, err := a.readPasskey(c, acc, r.Credential)
	if err != nil {
		return addedPasskey{}, err
	}
	view := passkeyView{ID: api.NewID(), Name: r.Name, CreatedAt: a.Clock()}
	codes, err := a.addFactor(c, acc, true, `insert into platform.passkey (id, account_id, name, credential_id, credential, created_at)
		values ($1, $2, $3, $4, $5, $6)`,
		view.ID, acc.ID, view.Name, made.ID, made, view.CreatedAt)
	if err != nil {
		return addedPasskey{}, err
	}
	if err := a.WriteAudit(c, acc, "passkey added"); err != nil {
		return addedPasskey{}, err
	}
	return addedPasskey{view, recoveryCodes{codes}}, a.provedWithFactor(c, c.User.SessionID)
}

func (a *Auth) readPasskey(c api.OpenCtx, acc directory.Account, answer attestation) (*webauthn.Credential, error) {
	asked, err := a.takePasskeySession(c, "new "+c.User.SessionID.String())
	if errors.Is(err, errChallenge) {
		return nil, errNoEnrolment
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("reading a new passkey: %w", err)
	}
	refused := api.InvalidField("credential", "credential is not an answer to what was asked")
	parsed, err := protocol.ParseCredentialCreationResponseBytes(text)
	if err != nil {
		return nil, refused.Because(err)
	}
	party, err := factor.RelyingParty(factorIssuer, a.PublicURL, parsed.Response.CollectedClientData.Origin)
	if err != nil {
		return nil, err
	}
	holder := factor.Holder{Account: acc.ID, Name: acc.Email}
	made, err := party.CreateCredential(holder, asked, parsed)
	if err != nil {
		return nil, refused.Because(err)
	}
	return made, nil
}

type passkeyByID struct {
	ID uuid.UUID `path:"id"`
}

// removePasskey removes a passkey of the caller's own account.
func (a *Auth) removePasskey(c api.OpenCtx, r passkeyByID) (api.Nothing, error) {
	acc, err := a.factorHolder(c)
	if err != nil {
		return api.Nothing{}, err
	}
	if err := a.removeFactor(c, acc, `delete from platform.passkey where account_id = $1 and id = $2`, acc.ID, r.ID); err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, a.WriteAudit(c, acc, "passkey removed")
}
