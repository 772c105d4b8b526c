package events_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/events"
	"homeroom/testkit/wait"
)

func TestAfter_WritesCommitted_IsCalled(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	var seen, failed atomic.Int64
	bus := &events.Bus{}
	bus.On("thing.done", "writes", func(ctx context.Context, h events.Heard) error {
		if err := insertHeardOnce(ctx, h); err != nil {
			return err
		}
		events.After(ctx, func() { seen.Store(int64(f.count(f.schools[0], "heard"))) })
		return nil
	})
	bus.On("thing.failed", "fails", func(ctx context.Context, _ events.Heard) error {
		events.After(ctx, func() { failed.Add(1) })
		return errDown
	})
	i := f.start(bus).swept(f)
	f.write(i.Relay, f.schools[0], time.Now(), events.Fact{Kind: "thing.failed"}, fact(1), fact(2))
	wait.Eventually(t, "After's function saw both rows", func() bool { return seen.Load() == 2 })
	if n := failed.Load(); n != 0 {
		t.Errorf("After's function was called %d times for a listener that failed, want 0", n)
	}
	events.After(t.Context(), func() { t.Error("After's function was called outside a listener") })
}

// The first message of a long outbox must not wait for the last fact.
func TestAfter_LongOutbox_IsCalledBeforeTheLastFact(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	var heard, done, early atomic.Int64
	bus := &events.Bus{}
	const facts = 20
	bus.On("thing.done", "slow", func(ctx context.Context, _ events.Heard) error {
		if heard.Add(1) == facts { // the last one
			early.Store(done.Load())
		}
		events.After(ctx, func() { done.Add(1) })
		time.Sleep(15 * time.Millisecond)
		return nil
	})
	i := f.start(bus).swept(f)
	var list []events.Fact
	for n := range facts {
		list = append(list, fact(n))
	}
	f.write(i.Relay, f.schools[0], time.Now(), list...)
	wait.Eventually(t, "After's function was called for every fact", func() bool { return done.Load() == facts })
	if early.Load() == 0 {
		t.Error("After's function was not called before the last fact was published")
	}
}
