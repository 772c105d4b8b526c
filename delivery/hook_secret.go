package delivery

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/delivery/webpush"
	"homeroom/tenancy"
)

// hookPurpose sets the key of webhooks' secrets apart from others that follow from the installation's secret.
const hookPurpose = "secrets of webhooks "

// NewSecret makes a webhook's secret, which the receiver checks signatures with, in the place of the one before. Secrets are
// in the platform's schema, sealed: an archive of the school has none. A school that was made of another one's archive has webhooks
// of the same ids, and takes nothing of that one's: its secret is empty.
func (h *Hooks) NewSecret(ctx context.Context, school, webhook uuid.UUID) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: the runtime ends the program instead
	sealed, err := seal(h.Secret, hookPurpose, secret)
	if err != nil {
		return "", err
	}
	kept, err := h.Platform.Exec(ctx, `insert into platform.webhook_secret as w (webhook_id, school_id, sealed, created_at)
		values ($1, $2, $3, $4) on conflict (webhook_id) do update set sealed = excluded.sealed, created_at = excluded.created_at
		where w.school_id = excluded.school_id`, webhook, school, sealed, h.Clock())
	if err != nil {
		return "", fmt.Errorf("keeping a webhook's secret: %w", err)
	}
	if kept.RowsAffected() == 0 {
		return "", nil
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(secret), nil
}

// secrets are those of a school's webhooks, by id. One that cannot be opened is missing.
func (h *Hooks) secrets(ctx context.Context, school uuid.UUID, webhooks []uuid.UUID) (map[uuid.UUID][]byte, error) {
	rows, err := h.Platform.Query(ctx, `select webhook_id, sealed from platform.webhook_secret
		where school_id = $1 and webhook_id = any($2)`, school, webhooks)
	if err != nil {
		return nil, fmt.Errorf("reading webhooks' secrets: %w", err)
	}
	out := map[uuid.UUID][]byte{}
	var id uuid.UUID
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() error {
		if secret, err := unseal(h.Secret, hookPurpose, sealed); err == nil {
			out[id] = secret
		}
		return nil
	})
	return out, err
}

// KeepSecrets deletes the secrets of a school's webhooks but these, unless they are of the last hour: one is made before its
// webhook is committed.
func (h *Hooks) KeepSecrets(ctx context.Context, school uuid.UUID, webhooks []uuid.UUID) error {
	_, err := h.Platform.Exec(ctx, `delete from platform.webhook_secret where school_id = $1 and not (webhook_id = any($2))
		and created_at < $3::timestamptz - interval '1 hour'`, school, webhooks, h.Clock())
	return err
}

// ResealHooks encrypts the webhooks' secrets under another secret, in the transaction that makes it the installation's. One
// that the old secret does not open stays as it is: it was of no use before either.
func ResealHooks(old, next []byte) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select webhook_id, sealed from platform.webhook_secret for update`)
		if err != nil {
			return fmt.Errorf("reading webhooks' secrets: %w", err)
		}
		batch := &pgx.Batch{}
		var id uuid.UUID
		var sealed []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() error {
			secret, err := unseal(old, hookPurpose, sealed)
			if err != nil {
				return nil
			}
			again, err := seal(next, hookPurpose, secret)
			if err == nil {
				batch.Queue(`update platform.webhook_secret set sealed = $2 where webhook_id = $1`, id, again)
			}
			return err
		})
		if err == nil {
			err = tx.SendBatch(ctx, batch).Close()
		}
		if err != nil {
			return fmt.Errorf("encrypting webhooks' secrets anew: %w", err)
		}
		return nil
	}
}

// CheckURL says what is wrong with a webhook's address, or nothing. What a name leads to is checked by the client, when it
// connects.
func (h *Hooks) CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return errors.New("must be an https address")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); h.Loopback && err == nil && ip.Unmap().IsLoopback() && u.User == nil && u.Fragment == "" &&
		(u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return webpush.CheckEndpoint(text)
}
