package events

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Every is the kind that hears all facts.
const Every = "*"

const (
	listenerTime = 10 * time.Second // what one listener may take over one fact
	leaving      = time.Second      // what a listener gets to return once its time is over
)

// Bus knows who wants to hear which facts. Listeners are registered when the
// program is wired together, before the relay runs.
type Bus struct {
	mu        sync.RWMutex
	listeners []listener
}

type listener struct {
	kind, name string
	f          func(ctx context.Context, h Heard) error
}

// On registers a listener for a kind of fact, or for Every. Its name appears in
// logs and in the outbox's last_error.
//
// A listener is told at least once, has ten seconds, and is told again later if it
// returns an error or panics, together with the fact's other listeners: hearing a
// fact twice must equal hearing it once. For the school's own tables it uses DB,
// not a connection of its own.
func (b *Bus) On(kind, name string, f func(ctx context.Context, h Heard) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(b.listeners, listener{kind, name, f})
}

func (b *Bus) listenersTo(kind string) []listener {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var found []listener
	for _, l := range b.listeners {
		if l.kind == kind || l.kind == Every {
			found = append(found, l)
		}
	}
	return found
}

// tell tells every listener, in the order they were registered. One that fails
// does not keep the fact from the others.
func (b *Bus) tell(t *telling, h Heard) error {
	ctx, cancel := context.WithTimeout(t.ctx, factTime)
	defer cancel()
	t.touched = false
	var failed []error
	for _, l := range b.listenersTo(h.Kind) {
		if err := l.hear(ctx, t, h); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", l.name, err))
		}
		if t.broken != nil {
			break // the transaction is gone, and with it the claim on this fact
		}
	}
	return errors.Join(failed...)
}

func (l listener) hear(ctx context.Context, t *telling, h Heard) error {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	turn := &turn{tx: t.tx}
	heard := make(chan error, 1)
	go func() {
		err := errors.New("the listener ended its goroutine")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			heard <- err
		}()
		err = l.f(context.WithValue(ctx, turnKey{}, turn), h)
	}()
	returned, err := await(ctx, heard)
	broken := turn.end(err, returned)
	t.touched = t.touched || turn.used
	if err == nil && turn.refused == nil {
		t.after = append(t.after, turn.after...)
	}
	if broken != nil {
		t.broken = broken
		return errors.Join(err, broken)
	}
	return errors.Join(err, turn.refused)
}

// await waits for a listener, and a little longer once its time is over. One that
// does not come back even then is left behind: a worker lost to it for good would
// be worse than the goroutine.
func await(ctx context.Context, heard <-chan error) (returned bool, err error) {
	select {
	case err := <-heard:
		return true, err
	case <-ctx.Done():
	}
	select {
	case err := <-heard:
		if err == nil {
			return true, nil
		}
		return true, errors.Join(err, ctx.Err())
	case <-time.After(leaving):
		return false, fmt.Errorf("the listener ignored the end of its time: %w", ctx.Err())
	}
}
