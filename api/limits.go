package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	limitstore "github.com/ulule/limiter/v3/drivers/store/redis"
)

const (
	// limitPatience is the most a counter may cost a request.
	limitPatience = 80 * time.Millisecond
	// countedTimeout is the same for a row that cannot run uncounted: better a moment
	// later than not at all.
	countedTimeout = time.Second
	// limitRest is how long Redis is left alone once it is taken for away.
	limitRest = time.Second
	// limitMisses is how many answers in a row may be late before it is: one late
	// answer on a busy machine says nothing.
	limitMisses = 3
)

// Limits counts calls by class and caller: in Redis, so that every instance sees
// the same number, and in this process while Redis is away.
type Limits struct {
	// Patience is how long a call waits for Redis, 80 ms unless set.
	Patience time.Duration

	shared, local limiter.Store
	rates         map[LimitClass]limiter.Rate
	log           *slog.Logger
	away          func(bool) // tells the metric
	now           func() time.Time

	restUntil atomic.Int64 // unix nanoseconds; 0 while Redis answers
	misses    atomic.Int32 // late answers in a row
}

// NewLimits takes the rates as ulule/limiter writes them: 10-M is ten a minute. now says how
// long Redis is left alone after it failed.
func NewLimits(client redis.UniversalClient, rates map[LimitClass]string, log *slog.Logger, away func(bool), now func() time.Time) (*Limits, error) {
	shared, err := limitstore.NewStoreWithOptions(scripts{client, &batcher{}}, limiter.StoreOptions{Prefix: "homeroom:limit"})
	if err != nil {
		return nil, err
	}
	l := &Limits{Patience: limitPatience, shared: shared, local: memory.NewStore(), rates: map[LimitClass]limiter.Rate{}, log: log, away: away, now: now}
	for class, text := range rates {
		rate, err := limiter.NewRateFromFormatted(text)
		if err != nil {
			return nil, fmt.Errorf("limit %s: %q is not a rate like 10-M", class, text)
		}
		l.rates[class] = rate
	}
	return l, nil
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

// count counts one call, waiting for Redis no longer than patience. certain is false
// when only this process could count it.
func (l *Limits) count(ctx context.Context, class LimitClass, caller string, patience time.Duration) (state limiter.Context, certain bool, err error) {
	rate := l.rates[class]
	key := string(class) + ":" + caller
	if l.mayAsk() {
		// A caller who hangs up is no sign that Redis is away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		state, err = l.shared.Get(ctx, key, rate)
		if err == nil {
			l.answered()
			return state, true, nil
		}
		l.failed(err)
	}
	state, err = l.local.Get(ctx, key, rate)
	return state, false, err
}

// mayAsk lets everyone through while Redis answers, and after a rest one at a time.
func (l *Limits) mayAsk() bool {
	until := l.restUntil.Load()
	now := l.now().UnixNano()
	if until == 0 {
		return true
	}
	return now > until && l.restUntil.CompareAndSwap(until, now+int64(limitRest))
}

// Away says that limits are counted by this process alone, since Redis does not answer.
func (l *Limits) Away() bool { return l.restUntil.Load() != 0 }

func (l *Limits) answered() {
	l.misses.Store(0)
	if l.restUntil.Swap(0) != 0 {
		l.away(false)
		l.log.Info("Redis answers again: limits are counted together")
	}
}

func (l *Limits) failed(err error) {
	late := errors.Is(err, context.DeadlineExceeded)
	if late && l.restUntil.Load() == 0 && l.misses.Add(1) < limitMisses {
		return
	}
	if l.restUntil.Swap(l.now().Add(limitRest).UnixNano()) == 0 {
		l.away(true)
		l.log.Warn("Redis does not answer: limits are counted by this process alone", "error", err)
	}
}

// Take counts something that is no request, such as an event of the live channel, against
// a class; the error is a 429 once there were too many.
func (l *Limits) Take(ctx context.Context, class LimitClass, caller string) error {
	state, _, err := l.count(ctx, class, caller, l.Patience)
	if err != nil {
		return fmt.Errorf("counting a call: %w", err)
	}
	if state.Reached {
		return tooMany(state)
	}
	return nil
}

func tooMany(state limiter.Context) *Error {
	e := newError(429, "", "Too many requests, slow down")
	e.RetryAfter = max(time.Second, time.Until(time.Unix(state.Reset, 0)))
	return e
}

// limit counts the call against its class and says so in the answer's headers.
func (k *Kernel) limit(ctx context.Context, g *gin.Context, rq *request, class LimitClass, caller string) error {
	rq.limited = true
	patience := k.Limits.Patience
	if rq.row != nil && rq.row.Counted {
		patience = max(patience, countedTimeout)
	}
	state, certain, err := k.Limits.count(ctx, class, caller, patience)
	if err != nil {
		return fmt.Errorf("counting a call: %w", err)
	}
	g.Header("X-RateLimit-Limit", strconv.FormatInt(state.Limit, 10))
	g.Header("X-RateLimit-Remaining", strconv.FormatInt(state.Remaining, 10))
	g.Header("X-RateLimit-Reset", strconv.FormatInt(state.Reset, 10))
	if state.Reached {
		return tooMany(state)
	}
	if !certain && rq.row != nil && rq.row.Counted {
		return Unavailable("Signing in is briefly unavailable, try again")
	}
	return nil
}
