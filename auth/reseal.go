package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/auth/factor"
	"homeroom/tenancy"
)

// ResealFactors encrypts the secrets of all authenticator apps under another secret, in the transaction that makes it
// the installation's. One that the old secret does not open stays as it is: it was of no use before either.
func ResealFactors(old, next []byte) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select account_id, secret from platform.totp for update`)
		if err != nil {
			return fmt.Errorf("reading the authenticator apps' secrets: %w", err)
		}
		batch := &pgx.Batch{}
		var account uuid.UUID
		var sealed []byte
		_, err = pgx.ForEachRow(rows, []any{&account, &sealed}, func() error {
			secret, err := factor.Open(old, account, sealed)
			if err != nil {
				return nil
			}
			again, err := factor.Seal(next, account, secret)
			if err == nil {
				batch.Queue(`update platform.totp set secret = $2 where account_id = $1`, account, again)
			}
			return err
		})
		if err == nil {
			err = tx.SendBatch(ctx, batch).Close()
		}
		if err != nil {
			return fmt.Errorf("encrypting the authenticator apps' secrets anew: %w", err)
		}
		return nil
	}
}
