package api

import (
	"context"
	"time"
)

// FreshFor is how long a proof of identity is good for what asks for a fresh one.
const FreshFor = 10 * time.Minute

// Fresh rows can do great harm from a screen that was left open: they run only when the
// caller has proved who they are in the last ten minutes, by signing in or by
// POST /auth/reauthenticate.
func Fresh(r *Row) { r.Fresh = true }

// ErrNotFresh refuses a row that is Fresh to a caller whose proof of identity is too old.
var ErrNotFresh = Coded(403, "REAUTHENTICATION_NEEDED", "Confirm that it is you, then try again")

// checkFresh asks for a fresh proof where the row does.
func (k *Kernel) checkFresh(ctx context.Context, row *Row, user User) error {
	if !row.Fresh {
		return nil
	}
	fresh, err := k.Authenticator.Fresh(ctx, user)
	if err != nil {
		return err
	}
	if !fresh {
		return ErrNotFresh
	}
	return nil
}
