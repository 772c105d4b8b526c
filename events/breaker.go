package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	redisTimeout  = 80 * time.Millisecond  // for a call on behalf of a request
	cooldown      = 250 * time.Millisecond // after a failure, during which requests do not call Redis
	maxConcurrent = 64                     // calls at once; more than that means Redis hangs
)

var errUnavailable = errors.New("redis is unavailable")

// breaker is a circuit breaker for Redis: every call has a timeout, and after a failure
// requests fail at once until the cooldown is over. The client must heed its contexts'
// deadlines, which go-redis does with ContextTimeoutEnabled.
type breaker struct {
	part    string // what uses Redis, for the log
	log     *slog.Logger
	timeout time.Duration // of call
	slots   chan struct{}

	mu        sync.Mutex
	failing   bool      // the last call failed
	openUntil time.Time // by time.Now: the cooldown ends even if a test stops the instance's clock
}

func newBreaker(part string, log *slog.Logger) *breaker {
	return &breaker{part: part, log: log, timeout: redisTimeout, slots: make(chan struct{}, maxConcurrent)}
}

// call calls Redis on behalf of a request, or returns errUnavailable at once while the
// breaker is open.
func call[T any](ctx context.Context, b *breaker, f func(ctx context.Context) (T, error)) (T, error) {
	if b.isOpen() {
		var none T
		return none, errUnavailable
	}
	return probe(ctx, b, b.timeout, f)
}

// probe calls Redis even while the breaker is open. It ignores the caller's
// cancellation: a request that was cancelled may have committed.
func probe[T any](ctx context.Context, b *breaker, timeout time.Duration, f func(ctx context.Context) (T, error)) (T, error) {
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	default:
		var none T
		return none, b.record(fmt.Errorf("%w: %d calls hang", errUnavailable, maxConcurrent))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	value, err := f(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: no answer within %s", errUnavailable, timeout)
	}
	return value, b.record(err)
}

func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failing && time.Now().Before(b.openUntil)
}

func (b *breaker) isFailing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failing
}

// record takes in the result of a call. It logs one line when Redis fails and one when
// it is back, not one for each request.
func (b *breaker) record(err error) error {
	failed := err != nil && !errors.Is(err, redis.Nil)
	b.mu.Lock()
	changed := failed != b.failing
	b.failing = failed
	if failed {
		b.openUntil = time.Now().Add(cooldown)
	}
	b.mu.Unlock()
	switch {
	case changed && failed:
		b.log.Warn("redis is unavailable", "part", b.part, "error", err)
	case changed:
		b.log.Info("redis is available again", "part", b.part)
	}
	return err
}
