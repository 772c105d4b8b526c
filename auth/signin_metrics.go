package auth

import (
	"errors"

	"homeroom/api"
)

// The outcomes of an attempt to sign in.
const (
	SignedIn = "in"      // a session was opened
	Refused  = "refused" // a wrong secret, no account, or one that may not sign in
	Slowed   = "slowed"  // too many wrong attempts: not checked
	Halfway  = "halfway" // right, and a second factor has to follow
	Away     = "away"    // not checked: too many at once, or a server is unavailable
)

// countSignIns counts the attempts of one sign-in method by outcome. Calls that the kernel
// refuses before, by address or for their form, are in its own metrics.
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
