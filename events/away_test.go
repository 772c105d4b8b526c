package events_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/events"
	"homeroom/localstack"
	"homeroom/testkit/wait"
)

// ownRedis is a Redis this test may hurt.
func ownRedis(t *testing.T) *localstack.Stack {
	t.Helper()
	s, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Redis: true})
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop()) })
	return s
}

func TestFactsAreToldWhileRedisIsStoppedAndMarksReturnWithIt(t *testing.T) {
	t.Parallel()
	s, f, e := ownRedis(t), newFleet(t, 3), newEar()
	var away atomic.Bool
	bus := busWith(func(ctx context.Context, h events.Heard) error {
		if h.Kind == "thing.refused" && away.Load() {
			return errDown
		}
		return e.hear(ctx, h)
	})
	i := f.startOn(s.RedisURL(), bus).swept(f)
	first := f.write(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "all is well", func() bool { return e.heard(first...) })

	away.Store(true)
	must(t, s.StopRedis(t.Context()))
	ids := f.write(i.Relay, f.schools[0], time.Now(), fact(2))
	wait.Eventually(t, "its own writes are told without Redis", func() bool { return e.heard(ids...) && f.waiting(f.schools[0]) == 0 })
	// A fact whose listener fails is tried again by this process's own memory.
	again := f.write(i.Relay, f.schools[1], time.Now(), events.Fact{Kind: "thing.refused"})
	lost := f.write(nil, f.schools[2], time.Now(), fact(3)) // by a process that died without a mark
	wait.Eventually(t, "the failure is recorded", func() bool {
		var n int
		must(t, f.db.Raw("select attempts from "+schema(f.schools[1])+".outbox").Scan(&n).Error)
		return n > 0
	})
	must(t, s.StartRedis(t.Context())) // empty: the epoch is gone, so everything is swept
	wait.Eventually(t, "what nobody marked is found once Redis is back", func() bool { return e.heard(lost...) })
	wait.Eventually(t, "Redis knows of the resting fact", func() bool { return slices.Equal(i.marks(f), []string{f.schools[1].String()}) })
	i.stop()
	away.Store(false)
	f.startOn(s.RedisURL(), bus)
	wait.Eventually(t, "another process tells it", func() bool { return e.heard(again...) })
}

func TestAFlushedRedisLosesNoFact(t *testing.T) {
	t.Parallel()
	s, f, e := ownRedis(t), newFleet(t, 20), newEar()
	i := f.startOn(s.RedisURL(), busWith(e.hear)).swept(f)
	doomed := events.NewRelay(events.Options{Redis: i.redis, Schools: f, Bus: &events.Bus{}, Namespace: f.namespace})
	var ids []uuid.UUID
	var commits []func() error
	for _, school := range f.schools[:5] {
		id, commit := f.prepare(doomed, school, time.Now(), fact(1))
		ids, commits = append(ids, id...), append(commits, commit)
	}
	for _, c := range commits {
		must(t, c())
	}
	must(t, i.redis.FlushAll(t.Context()).Err())
	for n, school := range f.schools[5:] {
		ids = append(ids, f.write(i.Relay, school, time.Now(), fact(n))...)
	}
	wait.Eventually(t, "everything is told", func() bool { return e.heard(ids...) })
	i.swept(f)
}

// waits says whether a command waits for Redis longer than a request may. What it does
// wait depends on the machine; when it gives up does not.
func waits(ctx context.Context) bool {
	until, ok := ctx.Deadline()
	return !ok || time.Until(until) > 80*time.Millisecond
}

func TestAFrozenRedisCostsAWriteLittleAndLosesNothing(t *testing.T) {
	t.Parallel()
	s, f, e := ownRedis(t), newFleet(t, 4), newEar()
	i := f.startOn(s.RedisURL(), busWith(e.hear)).swept(f)
	f.startOn(s.RedisURL(), busWith(e.hear))
	must(t, s.FreezeRedis())
	type requests struct{}
	request := context.WithValue(t.Context(), requests{}, true) // a sweep may wait
	var patient, marks atomic.Int64
	i.redis.AddHook(counting{n: &marks, name: "evalsha", only: func(ctx context.Context) bool { return ctx.Value(requests{}) != nil }})
	i.redis.AddHook(counting{n: &patient, name: "evalsha", only: func(ctx context.Context) bool { return ctx.Value(requests{}) != nil && waits(ctx) }})
	var ids []uuid.UUID
	for n := range 40 {
		id, commit := f.prepare(nil, f.schools[n%4], time.Now(), fact(n))
		i.Mark(request, f.schools[n%4])
		must(t, commit())
		i.Wake(f.schools[n%4])
		ids = append(ids, id...)
	}
	wait.Eventually(t, "everything is told while Redis is frozen", func() bool { return e.heard(ids...) })
	if marks.Load() == 0 || patient.Load() != 0 {
		t.Errorf("%d of %d marks would have waited longer than a request may", patient.Load(), marks.Load())
	}
	var polls atomic.Int64
	i.redis.AddHook(counting{n: &polls, name: "zrangebyscore"})
	wait.Eventually(t, "a poll failed", func() bool { return polls.Load() >= 2 }) // the second begins when the first gave up
	lost := f.write(nil, f.schools[0], time.Now(), fact(99))                      // by a process that died meanwhile
	must(t, s.ThawRedis())
	wait.Eventually(t, "what nobody marked is found after the outage", func() bool { return e.heard(lost...) })
	wait.Eventually(t, "the set is clean again", func() bool { return len(i.marks(f)) == 0 })
	more := f.write(i.Relay, f.schools[1], time.Now(), fact(100))
	wait.Eventually(t, "life goes on", func() bool { return e.heard(more...) && len(i.marks(f)) == 0 })
}
