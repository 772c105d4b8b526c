package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/auth/factor"
	"homeroom/auth/hashing"
	"homeroom/auth/sso"
	"homeroom/events"
	"homeroom/tenancy"
)

// SSORevoked is the fact that users of a school have lost a link to an identity provider, or the provider itself: their
// sessions by it end.
const SSORevoked = "sign-in.revoked"

// ssoRevoked is its data.
type ssoRevoked struct {
	UserIDs []uuid.UUID `json:"userIds"`
}

// followSSO ends the sessions of those who have lost their link, and sign-ins by it that wait for a second factor.
func (a *Auth) followSSO(bus *events.Bus) {
	bus.On(SSORevoked, "sessions", func(ctx context.Context, h events.Heard) error {
		var lost ssoRevoked
		if err := h.Read(&lost); err != nil {
			return err
		}
		_, err := a.Cluster.PlatformPool().Exec(ctx, `update platform.account set epoch = epoch + 1 where school_id = $1 and user_id = any($2)`,
			h.SchoolID, lost.UserIDs)
		if err != nil {
			return fmt.Errorf("ending sign-ins: %w", err)
		}
		_, err = a.EndWhere(ctx, "sign-in by the school's account was removed", `method = 'SSO' and account_id in
			(select id from platform.account where school_id = $3 and user_id = any($4))`, h.SchoolID, lost.UserIDs)
		return err
	})
}

// KeepProviderSecret keeps the client secret of a school's identity provider, in the place of the one before.
func (a *Auth) KeepProviderSecret(ctx context.Context, school, provider uuid.UUID, secret string) error {
	sealed, err := factor.Seal(providerKey(a.Secret), provider, []byte(secret))
	if err != nil {
		return err
	}
	_, err = a.Cluster.PlatformPool().Exec(ctx, `insert into platform.sign_in_secret (school_id, provider_id, sealed, created_at)
		values ($1, $2, $3, $4) on conflict (school_id, provider_id) do update set sealed = excluded.sealed, created_at = excluded.created_at`,
		school, provider, sealed, a.Clock())
	if err != nil {
		return fmt.Errorf("keeping the secret of an identity provider: %w", err)
	}
	return nil
}

// DropProviderSecrets deletes the secrets of a school's identity providers but these, unless they are of the last hour: one is kept
// before its provider is committed.
func (a *Auth) DropProviderSecrets(ctx context.Context, school uuid.UUID, but []uuid.UUID) error {
	_, err := a.Cluster.PlatformPool().Exec(ctx, `delete from platform.sign_in_secret where school_id = $1 and not (provider_id = any($2))
		and created_at < $3::timestamptz - interval '1 hour'`, school, but, a.Clock())
	return err
}

// CheckIssuer says what is wrong with the address of an identity provider, or nothing.
func (a *Auth) CheckIssuer(issuer string) error { return a.SSO.CheckIssuer(issuer) }

// CheckProvider asks an identity provider what it publishes of itself, and says what is wrong with it.
func (a *Auth) CheckProvider(ctx context.Context, issuer string) error {
	err := a.SSO.Check(ctx, issuer)
	for _, known := range []error{sso.ErrAddress, sso.ErrTenant, sso.ErrOtherIssuer, sso.ErrUnreachable} {
		if errors.Is(err, known) {
			a.Log.Info("an identity provider was checked", "error", err)
			return known // what the provider says is not repeated
		}
	}
	return err
}

// providerKey is what the secrets of identity providers are encrypted under.
func providerKey(secret []byte) []byte {
	return hashing.Keyed(secret, "secrets of identity providers")
}

// ssoProvider is a school's identity provider with its secret.
type ssoProvider struct {
	ID       uuid.UUID
	Name     string
	Issuer   string
	ClientID string
	Domains  []string `gorm:"serializer:json"`
	secret   string
}

// TableName is where they are.
func (ssoProvider) TableName() string { return "sign_in_provider" }

// readProvider reads an identity provider that is switched on.
func (a *Auth) readProvider(ctx context.Context, db *gorm.DB, school, id uuid.UUID) (ssoProvider, error) {
	var p ssoProvider
	err := db.Where("id = ? and status = 'ON'", id).Take(&p).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return p, errSSOOff
	}
	if err != nil {
		return p, fmt.Errorf("reading an identity provider: %w", err)
	}
	var sealed []byte
	err = a.Cluster.PlatformPool().QueryRow(ctx, `select sealed from platform.sign_in_secret where school_id = $1 and provider_id = $2`,
		school, id).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, errSSOIncomplete
	}
	if err != nil {
		return p, fmt.Errorf("reading the secret of an identity provider: %w", err)
	}
	secret, err := factor.Open(providerKey(a.Secret), id, sealed)
	if err != nil {
		return p, errSSOIncomplete.Because(err)
	}
	p.secret = string(secret)
	return p, nil
}

// settings are what its protocol needs. Each provider has an address of its own that browsers come back to, so that no other can
// pass an answer of it on.
func (p ssoProvider) settings(publicURL string, app bool) sso.Provider {
	return sso.Provider{Issuer: p.Issuer, ClientID: p.ClientID, Secret: p.secret, Domains: p.Domains,
		Redirect: SSORedirect(publicURL, p.ID, app)}
}

// SSORedirect is the page of the console, or of the people's app, that an identity provider sends browsers back to.
func SSORedirect(publicURL string, provider uuid.UUID, app bool) string {
	page := "/console/sso/"
	if app {
		page = "/app/sso/"
	}
	return strings.TrimSuffix(publicURL, "/") + page + provider.String()
}

// ResealProviders encrypts the secrets of identity providers under another secret, in the transaction that makes it the
// installation's. One that the old secret does not open stays as it is: it was of no use before either.
func ResealProviders(old, next []byte) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select school_id, provider_id, sealed from platform.sign_in_secret for update`)
		if err != nil {
			return fmt.Errorf("reading the secrets of identity providers: %w", err)
		}
		batch := &pgx.Batch{}
		var school, provider uuid.UUID
		var sealed []byte
		_, err = pgx.ForEachRow(rows, []any{&school, &provider, &sealed}, func() error {
			secret, err := factor.Open(providerKey(old), provider, sealed)
			if err != nil {
				return nil
			}
			again, err := factor.Seal(providerKey(next), provider, secret)
			if err == nil {
				batch.Queue(`update platform.sign_in_secret set sealed = $3 where school_id = $1 and provider_id = $2`, school, provider, again)
			}
			return err
		})
		if err == nil {
			err = tx.SendBatch(ctx, batch).Close()
		}
		if err != nil {
			return fmt.Errorf("encrypting the secrets of identity providers anew: %w", err)
		}
		return nil
	}
}
