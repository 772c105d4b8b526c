package api

import (
	"context"
	"net/netip"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// LimitClass is the family of rate limits a row counts against.
type LimitClass string

const (
	LimitAuth  LimitClass = "auth"
	LimitRead  LimitClass = "read"
	LimitWrite LimitClass = "write"
	LimitRide  LimitClass = "ride"
	// LimitLive counts what the live channel asks the database for: connections and joins.
	LimitLive LimitClass = "live"
	// Unlimited is for what only a developer's own machine serves.
	Unlimited LimitClass = "unlimited"
)

// Limiter counts calls by class and caller: package limit.
type Limiter interface {
	// Count counts one call; a required one may take longer.
	Count(ctx context.Context, class LimitClass, caller string, required bool) (LimitState, error)
	// CountKey counts one call of an API key, of whichever class, against the key's own limit.
	CountKey(ctx context.Context, key string, perMinute int) (LimitState, error)
	// Take counts something that is no request; the error is a 429 once there were too many.
	Take(ctx context.Context, class LimitClass, caller string) error
}

// LimitState is how much of a limit a caller has used.
type LimitState struct {
	Limit, Remaining int64
	Reset            int64 // unix seconds
	Reached          bool
	Shared           bool // counted for all instances together; else by this process alone
}

// Refusal is the answer to a call beyond the limit.
func (s LimitState) Refusal() *Error {
	e := newError(429, "", "Too many requests, slow down")
	e.RetryAfter = max(time.Second, time.Until(time.Unix(s.Reset, 0)))
	return e
}

// limit counts the call against its class and says so in the answer's headers.
func (k *Kernel) limit(ctx context.Context, g *gin.Context, rq *request, class LimitClass, caller string) error {
	rq.limited = true
	required := rq.row != nil && rq.row.Counted
	state, err := k.count(ctx, rq, class, caller, required)
	if err != nil {
		return err
	}
	g.Header("X-RateLimit-Limit", strconv.FormatInt(state.Limit, 10))
	g.Header("X-RateLimit-Remaining", strconv.FormatInt(state.Remaining, 10))
	g.Header("X-RateLimit-Reset", strconv.FormatInt(state.Reset, 10))
	if state.Reached {
		return state.Refusal()
	}
	if required && !state.Shared {
		return Unavailable("Signing in is briefly unavailable, try again")
	}
	return nil
}

func (k *Kernel) count(ctx context.Context, rq *request, class LimitClass, caller string, required bool) (LimitState, error) {
	if key := rq.user.Key; key != nil {
		return k.Limits.CountKey(ctx, rq.user.ID.String(), key.PerMinute)
	}
	return k.Limits.Count(ctx, class, caller, required)
}

// AddressKey is what an address is counted by. A house has a whole /64 of IPv6 and may call
// from any address of it, so that is one caller; an IPv4 address written as IPv6 is the
// IPv4 address it is.
func AddressKey(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}
