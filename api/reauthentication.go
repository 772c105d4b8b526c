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

// SometimesFresh is for rows of which a part can do great harm; it says which. The handler
// asks for the proof with Ctx.NeedFresh.
func SometimesFresh(what string) Option { return func(r *Row) { r.SometimesFresh = what } }

// ErrNotFresh asks the caller to prove who they are once more.
var ErrNotFresh = Coded(403, "REAUTHENTICATION_NEEDED", "Confirm that it is you, then try again")

// checkFresh asks for a fresh proof where the row does.
func (k *Kernel) checkFresh(ctx context.Context, asks bool, user User) error {
	if !asks {
		return nil
	}
	return k.needFresh(ctx, user)
}

func (k *Kernel) needFresh(ctx context.Context, user User) error {
	if user.Key != nil {
		return errNeedsPerson // a key proves nothing but itself
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

// NeedFresh refuses a caller who has not proved who they are in the last ten minutes; the row
// is SometimesFresh.
func (c Ctx) NeedFresh() error { return c.rq.kernel.needFresh(c, c.User) }
