// Package limit counts calls by class and caller, for all instances together: in Redis, and in this
// process while Redis does not answer. What a class allows is configured; which class a row is in,
// and who counts as one caller, is said by package api.
package limit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	limitstore "github.com/ulule/limiter/v3/drivers/store/redis"

	"homeroom/api"
	"homeroom/breaker"
)

// requiredTimeout is how long a call waits for Redis that cannot run uncounted: better a moment later than not at all.
const requiredTimeout = time.Second

// Limits is an api.Limiter.
type Limits struct {
	shared, local limiter.Store
	rates         map[api.LimitClass]limiter.Rate
	breaker       *breaker.Breaker
}

// Rates are what each class allows, as ulule/limiter writes it: 10-M is ten a minute.
type Rates map[api.LimitClass]string

// New makes limits; now is the clock of the breaker's cooldown.
func New(client redis.UniversalClient, rates Rates, timeout time.Duration, now func() time.Time, log *slog.Logger) (*Limits, error) {
	shared, err := limitstore.NewStoreWithOptions(scripts{client, &batcher{}}, limiter.StoreOptions{Prefix: "homeroom:limit"})
	if err != nil {
		return nil, err
	}
	l := &Limits{
		shared: shared, local: memory.NewStore(), rates: map[api.LimitClass]limiter.Rate{},
		breaker: breaker.New("limits", timeout, now, log),
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
	timeout := time.Duration(0)
	if required {
		timeout = requiredTimeout
	}
	state, err := breaker.CallWithin(ctx, l.breaker, timeout, func(ctx context.Context) (limiter.Context, error) {
		return l.shared.Get(ctx, key, rate)
	})
	together := err == nil
	if !together {
		if state, err = l.local.Get(ctx, key, rate); err != nil {
			return api.LimitState{}, fmt.Errorf("counting a call: %w", err)
		}
	}
	return api.LimitState{
		Limit: state.Limit, Remaining: state.Remaining, Reset: state.Reset, Reached: state.Reached, Shared: together,
	}, nil
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
func (l *Limits) Away() bool { return l.breaker.Away() }
