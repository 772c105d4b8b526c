package tenancy

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// InTx is work of the caller's in the transaction of a change to a school: the audit
// row, say.
type InTx func(ctx context.Context, tx pgx.Tx) error

// Transact runs change and then also in one transaction of db, the platform's pool or a connection of it.
func Transact(ctx context.Context, db interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}, also []InTx, change func(tx pgx.Tx) error,
) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		for _, do := range also {
			if err := do(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}
