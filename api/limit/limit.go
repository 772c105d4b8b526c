// Package limit counts calls by class and caller, for all instances together: in Redis, and in this
// process while Redis does not answer. What a class allows is configured; which class a row is in,
// and who counts as one caller, is said by package api.
package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	limitstore "github.com/ulule/limiter/v3/drivers/store/redis"

	"homeroom/api"
)

const (
	// defaultTimeout is how long a call waits for Redis.
	defaultTimeout = 80 * time.Millisecond
	// requiredTimeout is the same for a call that cannot run uncounted: better a moment
	// later than not at all.
	requiredTimeout = time.Second
	// cooldown is how long Redis is not asked once it is taken for away.
	cooldown = time.Second
	// maxMisses is how many answers in a row may be late before it is: one late answer
	// on a busy machine says nothing.
	maxMisses = 3
)

// Limits is an api.Limiter.
type Limits struct {
	// Timeout is how long a call waits for Redis, 80 ms unless set.
	Timeout time.Duration

	shared, local limiter.Store
	rates         map[api.LimitClass]limiter.Rate
	log           *slog.Logger
	away          func(bool) // sets the metric
	now           func() time.Time

	closedUntil atomic.Int64 // unix nanoseconds; 0 while Redis answers
	misses      atomic.Int32 // late answers in a row
}

// Rates are what each class allows, as ulule/limiter writes it: 10-M is ten a minute.
type Rates map[api.LimitClass]string

// New makes limits; now is the clock of the cooldown.
func New(client redis.UniversalClient, rates Rates, log *slog.Logger, away func(bool), now func() time.Time) (*Limits, error) {
	shared, err := limitstore.NewStoreWithOptions(scripts{client, &batcher{}}, limiter.StoreOptions{Prefix: "homeroom:limit"})
	if err != nil {
		return nil, err
	}
	l := &Limits{
		Timeout: defaultTimeout, shared: shared, local: memory.NewStore(),
		rates: map[api.LimitClass]limiter.Rate{}, log: log, away: away, now: now,
	}
	for class, text := range rates {
		rate, err := limiter.NewRateFromFormatted(text)
		if err != nil {
			return nil, fmt.Errorf("limit %s: %q is not a rate like 10-M", class, text)
		}
		l.rates[class] = rate
	}
	return l, nil
}

// Count counts one call. A required one waits longer for Redis.
func (l *Limits) Count(ctx context.Context, class api.LimitClass, caller string, required bool) (api.LimitState, error) {
	return l.count(ctx, string(class)+":"+caller, l.rates[class], required)
}

// CountKey counts one call of an API key against the key's own limit.
func (l *Limits) CountKey(ctx context.Context, key string, perMinute int) (api.LimitState, error) {
	return l.count(ctx, "key:"+key, limiter.Rate{Period: time.Minute, Limit: int64(perMinute)}, false)
}

func (l *Limits) count(ctx context.Context, key string, rate limiter.Rate, required bool) (api.LimitState, error) {
	if l.mayAsk() {
		timeout := l.Timeout
		if required {
			timeout = max(timeout, requiredTimeout)
		}
		// A caller who hangs up is no sign that Redis is away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		state, err := l.shared.Get(ctx, key, rate)
		if err == nil {
			l.answered()
			return api.LimitState{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset, Reached: state.Reached, Shared: true}, nil
		}
		l.failed(err)
	}
	state, err := l.local.Get(ctx, key, rate)
	if err != nil {
		return api.LimitState{}, fmt.Errorf("counting a call: %w", err)
	}
	return api.LimitState{Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset, Reached: state.Reached}, nil
}

// Take counts something that is no request, such as an event of the live channel, against
// a class; the error is a 429 once there were too many.
func (l *Limits) Take(ctx context.Context, class api.LimitClass, caller string) error {
	state, err := l.Count(ctx, class, caller, false)
	if err == nil && state.Reached {
		return state.Refusal()
	}
	return err
}

// Away reports whether limits are counted by this process alone, since Redis does not answer.
func (l *Limits) Away() bool { return l.closedUntil.Load() != 0 }

// mayAsk lets all calls through while Redis answers, and after a cooldown one at a time.
func (l *Limits) mayAsk() bool {
	until := l.closedUntil.Load()
	now := l.now().UnixNano()
	if until == 0 {
		return true
	}
	return now > until && l.closedUntil.CompareAndSwap(until, now+int64(cooldown))
}

func (l *Limits) answered() {
	l.misses.Store(0)
	if l.closedUntil.Swap(0) != 0 {
		l.away(false)
		l.log.Info("Redis answers again: limits are counted together")
	}
}

func (l *Limits) failed(err error) {
	late := errors.Is(err, context.DeadlineExceeded)
	if late && l.closedUntil.Load() == 0 && l.misses.Add(1) < maxMisses {
		return
	}
	if l.closedUntil.Swap(l.now().Add(cooldown).UnixNano()) == 0 {
		l.away(true)
		l.log.Warn("Redis does not answer: limits are counted by this process alone", "error", err)
	}
}
