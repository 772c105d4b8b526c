package events

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// hintChannel is the one Redis channel all instances listen on.
const hintChannel = "homeroom:hints"

// Hints are small words between instances: "what you remember of this has
// changed". They may be lost, and may be heard twice (by their sender too), so
// they carry no truth: who hears one reads Postgres again. Functions given to On
// and OnGap run one after the other and must be quick.
type Hints struct {
	client redis.UniversalClient
	log    *slog.Logger
	link   *link

	ready     chan struct{}
	readyOnce sync.Once

	mu     sync.RWMutex
	topics map[string][]func(value string)
	gaps   []func()
}

// NewHints prepares hints over Redis. Nothing is heard from others before Run. wait is
// how long Send waits for Redis; 0: 80 ms.
func NewHints(client redis.UniversalClient, log *slog.Logger, wait time.Duration) *Hints {
	h := &Hints{
		client: client, log: log, link: newLink("hints", log),
		ready: make(chan struct{}), topics: map[string][]func(string){},
	}
	h.link.patience = or(wait, h.link.patience)
	return h
}

// On registers f for a topic. A topic is one word.
func (h *Hints) On(topic string, f func(value string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[topic] = append(h.topics[topic], f)
}

// OnGap registers f to run after every (re)connect: hints may have been missed
// meanwhile, so whatever is remembered is in doubt.
func (h *Hints) OnGap(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gaps = append(h.gaps, f)
}

// Send tells every instance. This one hears it before Send returns and does not
// depend on Redis; the others hear it as soon as Redis passes it on, or not at all
// and then their OnGap follows. The caller waits 80 ms at most, unless they said otherwise.
func (h *Hints) Send(ctx context.Context, topic, value string) {
	h.deliver(topic, value)
	_, _ = ask(ctx, h.link, func(ctx context.Context) (int64, error) { // link logs it; a hint may be lost
		return h.client.Publish(ctx, hintChannel, topic+" "+value).Result()
	})
}

// Tell is Send for a caller who can wait two seconds, and wants to know whether the
// other instances were told.
func (h *Hints) Tell(ctx context.Context, topic, value string) error {
	h.deliver(topic, value)
	_, err := probe(ctx, h.link, 2*time.Second, func(ctx context.Context) (int64, error) {
		return h.client.Publish(ctx, hintChannel, topic+" "+value).Result()
	})
	return err
}

// Ready is closed at the first subscription.
func (h *Hints) Ready() <-chan struct{} { return h.ready }

// Run listens until ctx ends, reconnecting by itself.
func (h *Hints) Run(ctx context.Context) error {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		heard, err := h.listen(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if pause = min(max(2*pause, 50*time.Millisecond), time.Second); heard {
			pause = 50 * time.Millisecond
		}
		h.log.Warn("hints are not heard", "again_in", pause, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

func (h *Hints) deliver(topic, value string) {
	h.mu.RLock()
	listeners := h.topics[topic]
	h.mu.RUnlock()
	for _, f := range listeners {
		h.guard(topic, func() { f(value) })
	}
}

func (h *Hints) heard(message string) {
	topic, value, _ := strings.Cut(message, " ")
	h.deliver(topic, value)
}

func (h *Hints) gap() {
	h.mu.RLock()
	gaps := h.gaps
	h.mu.RUnlock()
	for _, f := range gaps {
		h.guard("gap", f)
	}
}

// guard keeps one listener's panic from ending the hints of all.
func (h *Hints) guard(topic string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("a listener to hints panicked", "topic", topic, "panic", p)
		}
	}()
	f()
}
