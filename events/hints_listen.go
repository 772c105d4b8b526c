package events

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	pingEvery = time.Second
	silence   = 3 * time.Second // a subscription that answers no ping for so long is dead
)

var errSilent = errors.New("the subscription fell silent")

// listen lives as long as one subscription does. heard says whether it ever stood.
//
// The reading has no deadline, since a deadline in the middle of a message would
// lose the place in the stream; a watch beside it pings, and closes the connection
// when nothing comes back. That finds a frozen Redis and a half-open connection,
// which reading alone never would.
func (h *Hints) listen(ctx context.Context) (heard bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sub := h.client.Subscribe(ctx) // no channel yet, so nothing is dialled before the watch stands
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	stop := context.AfterFunc(ctx, func() { _ = sub.Close() })
	defer stop()
	defer func() { _ = sub.Close() }()
	go h.watch(ctx, cancel, sub, &last)

	if err := sub.Subscribe(ctx, hintChannel); err != nil {
		return false, fmt.Errorf("subscribing: %w", err)
	}
	for {
		message, err := sub.Receive(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return heard, fmt.Errorf("listening: %w", err)
		}
		last.Store(time.Now().UnixNano())
		switch m := message.(type) {
		case *redis.Subscription: // also when go-redis reconnected under us
			heard = true
			h.gap()
			h.readyOnce.Do(func() { close(h.ready) })
		case *redis.Message:
			h.heard(m.Payload)
		}
	}
}

func (h *Hints) watch(ctx context.Context, dead context.CancelCauseFunc, sub *redis.PubSub, last *atomic.Int64) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(time.Unix(0, last.Load())) > silence {
			dead(errSilent)
			return
		}
		// The ping takes the subscription's lock, which a dial under way may hold for
		// long; the watch must not wait for it.
		go func() { _ = sub.Ping(ctx) }()
	}
}
