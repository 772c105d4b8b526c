package events_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"homeroom/events"
	"homeroom/testkit/wait"
)

// receiver is one instance's hints, and the values it received.
type receiver struct {
	*events.Hints
	redis  *redis.Client
	gaps   atomic.Int64
	breaks atomic.Int64 // log lines of a failed subscription

	mu     sync.Mutex
	values []string
}

func receive(t *testing.T, redisURL, topic string) *receiver {
	t.Helper()
	h := &receiver{redis: connect(t, redisURL)}
	h.Hints = events.NewHints(h.redis, slog.New(slog.NewTextHandler(h, nil)), 0)
	h.On(topic, func(string) { panic("a broken listener") })
	h.On(topic, func(value string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.values = append(h.values, value)
	})
	h.OnGap(func() { h.gaps.Add(1) })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() { cancel(); must(t, <-ended) })
	<-h.Ready()
	return h
}

func (h *receiver) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("hint subscription failed")) {
		h.breaks.Add(1)
	}
	return len(line), nil
}

func (h *receiver) received(value string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.values, value)
}

func TestHints_Sent_ReachTheOtherInstance(t *testing.T) {
	t.Parallel()
	s, err := stack()
	must(t, err)
	topic := uuid.NewString()
	a, b := receive(t, s.RedisURL(), topic), receive(t, s.RedisURL(), topic)
	if a.gaps.Load() != 1 {
		t.Errorf("OnGap ran %d times after the first connect, want 1", a.gaps.Load())
	}
	a.Send(t.Context(), topic, "one two")
	if !a.received("one two") {
		t.Error("the sender did not receive its own hint at once")
	}
	// A hint may be lost while Redis is slow: it is sent until it is received.
	wait.Eventually(t, "the other instance receives it", func() bool { a.Send(t.Context(), topic, "one two"); return b.received("one two") })
	a.Send(t.Context(), uuid.NewString(), "another topic")
	wait.Eventually(t, "an empty value is received", func() bool { a.Send(t.Context(), topic, ""); return b.received("") })
	if b.received("another topic") {
		t.Error("a hint of another topic was received")
	}
}

func TestHints_RedisRestarted_CallsOnGap(t *testing.T) {
	t.Parallel()
	s := ownRedis(t)
	a, b := receive(t, s.RedisURL(), "topic"), receive(t, s.RedisURL(), "topic")
	must(t, s.StopRedis(t.Context()))
	a.Send(t.Context(), "topic", "while stopped")
	if !a.received("while stopped") {
		t.Error("the sender did not receive its own hint without Redis")
	}
	must(t, s.StartRedis(t.Context()))
	wait.Eventually(t, "both ran OnGap", func() bool { return a.gaps.Load() > 1 && b.gaps.Load() > 1 })
	wait.Eventually(t, "hints are received again", func() bool { a.Send(t.Context(), "topic", "back"); return b.received("back") })
}

func TestHints_SubscriptionFrozen_IsDetectedAndRestored(t *testing.T) {
	t.Parallel()
	s := ownRedis(t)
	a, b := receive(t, s.RedisURL(), "topic"), receive(t, s.RedisURL(), "topic")
	must(t, s.FreezeRedis())
	var patient, sent atomic.Int64
	a.redis.AddHook(counting{n: &sent, name: "publish"})
	a.redis.AddHook(counting{n: &patient, name: "publish", only: waits})
	for range 20 {
		a.Send(t.Context(), "topic", "while frozen")
	}
	if sent.Load() == 0 || patient.Load() != 0 {
		t.Errorf("%d of %d hints may wait longer than a request, want none of at least one", patient.Load(), sent.Load())
	}
	wait.Eventually(t, "both subscriptions fail", func() bool { return a.breaks.Load() > 0 && b.breaks.Load() > 0 })
	must(t, s.ThawRedis())
	wait.Eventually(t, "both ran OnGap", func() bool { return a.gaps.Load() > 1 && b.gaps.Load() > 1 })
	wait.Eventually(t, "hints are received again", func() bool { a.Send(t.Context(), "topic", "back"); return b.received("back") })
}
