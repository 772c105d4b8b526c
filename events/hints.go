package events

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/breaker"
)

// hintChannel is the one Redis channel all instances subscribe to.
const hintChannel = "homeroom:hints"

// Hints are cache invalidations between instances: "your copy of this is out of date".
// A hint may be lost, or arrive twice (at its sender too), so it carries no data: its
// receiver reads Postgres again. Functions given to On and OnGap run one after the other
// and must be quick.
type Hints struct {
	client  redis.UniversalClient
	log     *slog.Logger
	breaker *breaker.Breaker

	ready     chan struct{}
	readyOnce sync.Once

	mu     sync.RWMutex
	topics map[string][]func(value string)
	gaps   []func()
}

// NewHints prepares hints over Redis. Hints of other instances arrive only during Run.
// timeout is how long Send waits for Redis; 0: 80 ms.
func NewHints(client redis.UniversalClient, log *slog.Logger, timeout time.Duration) *Hints {
	return &Hints{
		client: client, log: log, breaker: breaker.New("hints", timeout, time.Now, log),
		ready: make(chan struct{}), topics: map[string][]func(string){},
	}
}

// On registers f for a topic. A topic is one word.
func (h *Hints) On(topic string, f func(value string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[topic] = append(h.topics[topic], f)
}

// OnGap registers f to run after every (re)connect: hints may have been missed
// meanwhile, so f drops everything that hints would have invalidated.
func (h *Hints) OnGap(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gaps = append(h.gaps, f)
}

// Send sends a hint to every instance. In this one its functions have run before Send
// returns, without Redis; the others get it as soon as Redis passes it on, or lose it
// and run OnGap. Send waits for Redis 80 ms at most, unless NewHints was given another
// timeout.
func (h *Hints) Send(ctx context.Context, topic, value string) {
	h.deliver(topic, value)
	_, _ = breaker.Call(ctx, h.breaker, func(ctx context.Context) (int64, error) { // the breaker logs it; a hint may be lost
		return h.client.Publish(ctx, hintChannel, topic+" "+value).Result()
	})
}

// SendConfirmed is Send for a caller that can wait two seconds and needs to know whether
// Redis took the hint.
func (h *Hints) SendConfirmed(ctx context.Context, topic, value string) error {
	h.deliver(topic, value)
	_, err := breaker.Try(ctx, h.breaker, 2*time.Second, func(ctx context.Context) (int64, error) {
		return h.client.Publish(ctx, hintChannel, topic+" "+value).Result()
	})
	return err
}

// Away reports whether the last hint could not be sent to Redis.
func (h *Hints) Away() bool { return h.breaker.Away() }

// Ready is closed at the first subscription.
func (h *Hints) Ready() <-chan struct{} { return h.ready }

// Run receives hints until ctx ends, and reconnects after failures.
func (h *Hints) Run(ctx context.Context) error {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		subscribed, err := h.subscribe(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if pause = min(max(2*pause, 50*time.Millisecond), time.Second); subscribed {
			pause = 50 * time.Millisecond
		}
		h.log.Warn("hint subscription failed", "retry_in", pause, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

func (h *Hints) receive(message string) {
	topic, value, _ := strings.Cut(message, " ")
	h.deliver(topic, value)
}

func (h *Hints) deliver(topic, value string) {
	h.mu.RLock()
	listeners := h.topics[topic]
	h.mu.RUnlock()
	for _, f := range listeners {
		h.guard(topic, func() { f(value) })
	}
}

func (h *Hints) gap() {
	h.mu.RLock()
	gaps := h.gaps
	h.mu.RUnlock()
	for _, f := range gaps {
		h.guard("gap", f)
	}
}

// guard keeps a panic of one listener from ending the subscription.
func (h *Hints) guard(topic string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("hint listener panicked", "topic", topic, "panic", p)
		}
	}()
	f()
}
