package events_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/events"
)

func TestWhatAListenerWantsDoneAfterwardsIsDoneOnceItsWritesAreCommitted(t *testing.T) {
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
	eventually(t, "it is done", func() bool { return seen.Load() == 2 })
	if n := failed.Load(); n != 0 {
		t.Errorf("%d things were done for a listener that failed", n)
	}
	events.After(t.Context(), func() { t.Error("it was done outside a listener") })
}
