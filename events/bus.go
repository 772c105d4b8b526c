package events

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Every is the kind of a listener that receives all facts.
const Every = "*"

const (
	listenerTimeout = 10 * time.Second // for one listener and one fact
	listenerGrace   = time.Second      // for a listener to return after its timeout
)

// Bus holds the listeners. They are registered when the program is wired together,
// before the relay runs.
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
// A listener is called at least once for a fact and has ten seconds. If it returns an
// error or panics, the fact is published again later, to all its listeners: hearing a
// fact twice must have the same effect as hearing it once. For the school's own tables
// it uses DB, not a connection of its own.
func (b *Bus) On(kind, name string, f func(ctx context.Context, h Heard) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(b.listeners, listener{kind, name, f})
}

// publish calls every listener of the fact, in the order they were registered. One
// that fails does not keep the fact from the others.
func (b *Bus) publish(t *batchTx, h Heard) error {
	ctx, cancel := context.WithTimeout(t.ctx, factTimeout)
	defer cancel()
	t.used = false
	var failed []error
	for _, l := range b.listenersTo(h.Kind) {
		if err := l.call(ctx, t, h); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", l.name, err))
		}
		if t.broken != nil {
			break // the transaction is lost, and with it the claim on this fact
		}
	}
	return errors.Join(failed...)
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

// call runs the listener in a goroutine of its own, so that one which panics or never
// returns fails alone.
func (l listener) call(ctx context.Context, t *batchTx, h Heard) error {
	ctx, cancel := context.WithTimeout(ctx, t.listenerTimeout)
	defer cancel()
	sp := &savepoint{tx: t.tx}
	result := make(chan error, 1)
	go func() {
		err := errors.New("the listener ended its goroutine")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			result <- err
		}()
		err = l.f(context.WithValue(ctx, savepointKey{}, sp), h)
	}()
	returned, err := await(ctx, result)
	broken := sp.end(err, returned)
	t.used = t.used || sp.used
	if err == nil && sp.refused == nil {
		t.after = append(t.after, sp.after...)
	}
	if broken != nil {
		t.broken = broken
		return errors.Join(err, broken)
	}
	return errors.Join(err, sp.refused)
}

// await waits for a listener until its timeout, and then listenerGrace longer. A
// listener that has not returned by then is abandoned: a leaked goroutine is better
// than a worker that is blocked for good.
func await(ctx context.Context, result <-chan error) (returned bool, err error) {
	select {
	case err := <-result:
		return true, err
	case <-ctx.Done():
	}
	select {
	case err := <-result:
		if err == nil {
			return true, nil
		}
		return true, errors.Join(err, ctx.Err())
	case <-time.After(listenerGrace):
		return false, fmt.Errorf("the listener did not return after its timeout: %w", ctx.Err())
	}
}
