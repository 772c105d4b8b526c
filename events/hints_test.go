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

// hearing is one instance's hints, and what it heard.
type hearing struct {
	*events.Hints
	redis  *redis.Client
	gaps   atomic.Int64
	breaks atomic.Int64 // lines in the log that the subscription broke

	mu     sync.Mutex
	values []string
}

func hear(t *testing.T, redisURL, topic string) *hearing {
	t.Helper()
	h := &hearing{redis: connect(t, redisURL)}
	h.Hints = events.NewHints(h.redis, slog.New(slog.NewTextHandler(h, nil)), 0)
	h.On(topic, func(string) { panic("a careless listener") })
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

func (h *hearing) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("hints are not heard")) {
		h.breaks.Add(1)
	}
	return len(line), nil
}

func (h *hearing) heard(value string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.values, value)
}

func TestAHintReachesTheOtherInstance(t *testing.T) {
	t.Parallel()
	s, err := stack()
	must(t, err)
	topic := uuid.NewString()
	a, b := hear(t, s.RedisURL(), topic), hear(t, s.RedisURL(), topic)
	if a.gaps.Load() != 1 {
		t.Error("the first connection is a gap too: what was remembered before it is in doubt")
	}
	a.Send(t.Context(), topic, "one two")
	if !a.heard("one two") {
		t.Error("the sender did not hear its own hint at once")
	}
	wait.Eventually(t, "the other instance hears it", func() bool { return b.heard("one two") })
	a.Send(t.Context(), uuid.NewString(), "another topic")
	a.Send(t.Context(), topic, "")
	wait.Eventually(t, "an empty value passes", func() bool { return b.heard("") })
	if b.heard("another topic") {
		t.Error("another topic's hint was heard")
	}
}

func TestAGapIsToldAfterRedisRestarted(t *testing.T) {
	t.Parallel()
	s := ownRedis(t)
	a, b := hear(t, s.RedisURL(), "topic"), hear(t, s.RedisURL(), "topic")
	must(t, s.StopRedis(t.Context()))
	a.Send(t.Context(), "topic", "while away")
	if !a.heard("while away") {
		t.Error("the sender did not hear its own hint without Redis")
	}
	must(t, s.StartRedis(t.Context()))
	wait.Eventually(t, "both are told of the gap", func() bool { return a.gaps.Load() > 1 && b.gaps.Load() > 1 })
	wait.Eventually(t, "hints flow again", func() bool { a.Send(t.Context(), "topic", "back"); return b.heard("back") })
}

func TestAFrozenSubscriptionIsNoticedAndMended(t *testing.T) {
	t.Parallel()
	s := ownRedis(t)
	a, b := hear(t, s.RedisURL(), "topic"), hear(t, s.RedisURL(), "topic")
	must(t, s.FreezeRedis())
	var patient, sent atomic.Int64
	a.redis.AddHook(counting{n: &sent, name: "publish"})
	a.redis.AddHook(counting{n: &patient, name: "publish", only: waits})
	for range 20 {
		a.Send(t.Context(), "topic", "while frozen")
	}
	if sent.Load() == 0 || patient.Load() != 0 {
		t.Errorf("%d of %d hints would have waited longer than a request may", patient.Load(), sent.Load())
	}
	wait.Eventually(t, "the silence is noticed", func() bool { return a.breaks.Load() > 0 && b.breaks.Load() > 0 })
	must(t, s.ThawRedis())
	wait.Eventually(t, "both are told of the gap", func() bool { return a.gaps.Load() > 1 && b.gaps.Load() > 1 })
	wait.Eventually(t, "hints flow again", func() bool { a.Send(t.Context(), "topic", "back"); return b.heard("back") })
}
