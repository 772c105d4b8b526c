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
	silence   = 3 * time.Second // without an answer to a ping, after which a subscription is dead
)

var errSilent = errors.New("the subscription answers no ping")

// subscribe receives hints until its subscription fails. subscribed reports whether
// Redis ever confirmed it.
//
// Reading has no deadline, since a deadline in the middle of a message would lose the
// position in the stream. A second goroutine pings and closes the connection when no
// answer comes: that detects a frozen Redis and a half-open connection, which reading
// alone would not.
func (h *Hints) subscribe(ctx context.Context) (subscribed bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sub := h.client.Subscribe(ctx) // no channel yet, so nothing is dialled before the heartbeat runs
	var lastReceived atomic.Int64
	lastReceived.Store(time.Now().UnixNano())
	stop := context.AfterFunc(ctx, func() { _ = sub.Close() })
	defer stop()
	defer func() { _ = sub.Close() }()
	go h.heartbeat(ctx, cancel, sub, &lastReceived)

	if err := sub.Subscribe(ctx, hintChannel); err != nil {
		return false, fmt.Errorf("subscribing: %w", err)
	}
	for {
		message, err := sub.Receive(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return subscribed, fmt.Errorf("receiving: %w", err)
		}
		lastReceived.Store(time.Now().UnixNano())
		switch m := message.(type) {
		case *redis.Subscription: // also when go-redis reconnected under us
			subscribed = true
			h.gap()
			h.readyOnce.Do(func() { close(h.ready) })
		case *redis.Message:
			h.receive(m.Payload)
		}
	}
}

// heartbeat pings the subscription, and cancels it when nothing was received for silence.
func (h *Hints) heartbeat(ctx context.Context, cancel context.CancelCauseFunc, sub *redis.PubSub, lastReceived *atomic.Int64) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(time.Unix(0, lastReceived.Load())) > silence {
			cancel(errSilent)
			return
		}
		// The ping takes the subscription's lock, which a running dial may hold for long;
		// the heartbeat must not wait for it.
		go func() { _ = sub.Ping(ctx) }()
	}
}
