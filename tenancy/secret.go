package tenancy

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrSecret says that the secret of these Options is not the installation's: the shards' logins have passwords that
// follow from another.
var ErrSecret = errors.New("HOMEROOM_SECRET is not the one of this installation: set the one the service runs with. " +
	"To change it: homeroom rotate-secret")

// secretMAC tells a secret from another without keeping it.
func secretMAC(secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("homeroom installation secret"))
	return mac.Sum(nil)
}

// CheckSecret returns ErrSecret if the installation's secret is recorded and is another. recorded is false before the
// first set-up of this release.
func (c *Cluster) CheckSecret(ctx context.Context) (recorded bool, err error) {
	var mac []byte
	if err := c.platform.QueryRow(ctx, `select secret_mac from platform.installation`).Scan(&mac); err != nil {
		return false, fmt.Errorf("reading the secret's MAC: %w", err)
	}
	if mac != nil && !hmac.Equal(mac, secretMAC(c.options.Secret)) {
		return true, ErrSecret
	}
	return mac != nil, nil
}

// RecordSecret records that the secret of these Options is the installation's, unless one is recorded.
func (c *Cluster) RecordSecret(ctx context.Context) error {
	_, err := c.platform.Exec(ctx, `update platform.installation set secret_mac = $1 where secret_mac is null`, secretMAC(c.options.Secret))
	if err != nil {
		return fmt.Errorf("recording the secret's MAC: %w", err)
	}
	return nil
}

// ReplaceSecret records another secret as the installation's, in one transaction with also. The logins' passwords
// follow when a cluster with the new secret is set up.
func (c *Cluster) ReplaceSecret(ctx context.Context, next []byte, also ...InTx) error {
	err := Transact(ctx, c.platform, also, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update platform.installation set secret_mac = $2, updated_at = now() where secret_mac = $1`,
			secretMAC(c.options.Secret), secretMAC(next))
		if err == nil && tag.RowsAffected() != 1 {
			err = ErrSecret
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("replacing the secret: %w", err)
	}
	return nil
}
