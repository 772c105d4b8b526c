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
	patience = 80 * time.Millisecond  // what a request may wait for Redis
	respite  = 250 * time.Millisecond // how long a failing Redis is left alone by requests
	abreast  = 64                     // calls under way at once; more than that means Redis hangs
)

var errAway = errors.New("redis is away")

// link is a careful way to Redis: nobody waits longer than they said, and while
// Redis fails nobody waits at all. The client must heed its contexts' deadlines, which
// go-redis does when told to (ContextTimeoutEnabled).
type link struct {
	what     string // for the log
	log      *slog.Logger
	patience time.Duration // of ask
	slots    chan struct{}

	mu    sync.Mutex
	down  bool
	until time.Time // by time.Now: an instance whose clock a test holds still must come back to Redis too
}

func newLink(what string, log *slog.Logger) *link {
	return &link{what: what, log: log, patience: patience, slots: make(chan struct{}, abreast)}
}

// ask calls Redis on a request's behalf, or answers errAway at once when the last
// call failed a moment ago.
func ask[T any](ctx context.Context, l *link, f func(ctx context.Context) (T, error)) (T, error) {
	if l.resting() {
		var none T
		return none, errAway
	}
	return probe(ctx, l, l.patience, f)
}

// probe calls Redis whatever happened before. The caller's cancellation is not
// passed on: a request that gives up may have committed all the same.
func probe[T any](ctx context.Context, l *link, limit time.Duration, f func(ctx context.Context) (T, error)) (T, error) {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	default:
		var none T
		return none, l.note(fmt.Errorf("%w: %d calls hang", errAway, abreast))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	value, err := f(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: no answer within %s", errAway, limit)
	}
	return value, l.note(err)
}

func (l *link) resting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down && time.Now().Before(l.until)
}

// note remembers how Redis is, and says so when that changes: one line an outage,
// not one a request.
func (l *link) note(err error) error {
	failed := err != nil && !errors.Is(err, redis.Nil)
	l.mu.Lock()
	changed := failed != l.down
	l.down = failed
	if failed {
		l.until = time.Now().Add(respite)
	}
	l.mu.Unlock()
	switch {
	case changed && failed:
		l.log.Warn("redis is away", "for", l.what, "error", err)
	case changed:
		l.log.Info("redis is back", "for", l.what)
	}
	return err
}
