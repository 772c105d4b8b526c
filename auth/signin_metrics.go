package auth

import (
	"errors"

	"homeroom/api"
)

// The outcomes of a try to sign in.
const (
	SignedIn = "in"      // they are in
	Refused  = "refused" // a wrong secret, nobody's account, or one that may not
	Slowed   = "slowed"  // too many wrong tries: not looked at
	Halfway  = "halfway" // right, and a second factor has to follow
	Away     = "away"    // nothing could be said: too many at once, or something is away
)

// countSignIns has every try of a way to sign in counted by how it ended. What the kernel turns
// away before, by address or for its form, is among its own numbers.
func countSignIns[Req, Resp any](a *Auth, method string, f func(api.OpenCtx, Req) (Resp, error)) func(api.OpenCtx, Req) (Resp, error) {
	return func(c api.OpenCtx, r Req) (Resp, error) {
		resp, err := f(c, r)
		if a.CountSignIn != nil {
			a.CountSignIn(method, outcomeOf(err))
		}
		return resp, err
	}
}

func outcomeOf(err error) string {
	var e *api.Error
	switch {
	case err == nil:
		return SignedIn
	case !errors.As(err, &e) || e.Status >= 500:
		return Away
	case e.Code == errSecondFactor.Code:
		return Halfway
	case e.Status == 429:
		return Slowed
	}
	return Refused
}
