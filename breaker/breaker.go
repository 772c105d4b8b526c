// Package breaker is the circuit breaker between the service and Redis: every call has a timeout, and while Redis does not
// answer, calls on behalf of requests fail at once instead of waiting. What each part does without Redis is its own matter.
package breaker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// DefaultTimeout is how long a call on behalf of a request waits for Redis.
	DefaultTimeout = 80 * time.Millisecond
	// cooldown is how long Redis is not called after a failure.
	cooldown = 500 * time.Millisecond
	// maxLate is how many answers in a row are late when Redis is taken for away: one late answer on a busy machine says
	// nothing.
	maxLate = 3
)

// ErrUnavailable is the error of a call that Redis did not answer in time, or that was not made since the breaker is open.
var ErrUnavailable = errors.New("redis is unavailable")

// Breaker is one part's. The Redis client must heed its contexts' deadlines, which go-redis does with ContextTimeoutEnabled.
type Breaker struct {
	part    string
	log     *slog.Logger
	timeout time.Duration
	now     func() time.Time

	late      atomic.Int32 // late answers in a row
	openUntil atomic.Int64 // the end of the cooldown in Unix nanoseconds; 0 while Redis answers
}

// New makes a breaker. part is what uses Redis, for the log; without a timeout it has the default; now is the clock of its
// cooldown.
func New(part string, timeout time.Duration, now func() time.Time, log *slog.Logger) *Breaker {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	return &Breaker{part: part, log: log, timeout: timeout, now: now}
}

// Away reports whether Redis did not answer.
func (b *Breaker) Away() bool { return b.openUntil.Load() != 0 }

// Call calls Redis on behalf of a request. While the breaker is open it returns ErrUnavailable at once, but for one call
// after each cooldown.
func Call[T any](ctx context.Context, b *Breaker, f func(context.Context) (T, error)) (T, error) {
	return CallWithin(ctx, b, b.timeout, f)
}

// CallWithin is Call for a request that can wait longer than others.
func CallWithin[T any](ctx context.Context, b *Breaker, timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	if !b.lets() {
		var none T
		return none, ErrUnavailable
	}
	return Try(ctx, b, max(timeout, b.timeout), f)
}

// Try calls Redis even while the breaker is open, for work that nobody waits for. It ignores the caller's cancellation: a
// request that was cancelled may have committed, and is no sign that Redis is away.
func Try[T any](ctx context.Context, b *Breaker, timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	value, err := f(ctx)
	switch {
	case err == nil || errors.Is(err, redis.Nil):
		b.answered()
	case ctx.Err() != nil:
		err = fmt.Errorf("%w: no answer within %s", ErrUnavailable, timeout)
		b.failed(err, timeout <= b.timeout)
	default:
		b.failed(err, false)
	}
	return value, err
}

func (b *Breaker) lets() bool {
	until := b.openUntil.Load()
	if until == 0 {
		return true
	}
	now := b.now()
	return now.UnixNano() > until && b.openUntil.CompareAndSwap(until, now.Add(cooldown).UnixNano())
}

// answered and failed log one line when Redis fails and one when it is back, not one for each request.
func (b *Breaker) answered() {
	if b.late.Load() != 0 {
		b.late.Store(0)
	}
	if b.openUntil.Load() != 0 && b.openUntil.Swap(0) != 0 {
		b.log.Info("redis is available again", "part", b.part)
	}
}

func (b *Breaker) failed(err error, mayBeSlow bool) {
	if mayBeSlow && b.late.Add(1) < maxLate && !b.Away() {
		return
	}
	if b.openUntil.Swap(b.now().Add(cooldown).UnixNano()) == 0 {
		b.log.Warn("redis is unavailable", "part", b.part, "error", err)
	}
}
