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

// ownRedis is a Redis that this test may stop and freeze.
func ownRedis(t *testing.T) *localstack.Stack {
	t.Helper()
	s, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Redis: true})
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop()) })
	return s
}

func TestRelay_RedisStopped_PublishesAndRestoresPendingRows(t *testing.T) {
	t.Parallel()
	s, f, rec := ownRedis(t), newFleet(t, 3), newRecorder()
	var stopped atomic.Bool
	bus := busWith(func(ctx context.Context, h events.Heard) error {
		if h.Kind == "thing.refused" && stopped.Load() {
			return errDown
		}
		return rec.listen(ctx, h)
	})
	i := f.startOn(s.RedisURL(), bus).swept(f)
	first := f.write(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the first fact is heard", func() bool { return rec.heard(first...) })

	stopped.Store(true)
	must(t, s.StopRedis(t.Context()))
	ids := f.write(i.Relay, f.schools[0], time.Now(), fact(2))
	wait.Eventually(t, "its own facts are published without Redis", func() bool { return rec.heard(ids...) && f.waiting(f.schools[0]) == 0 })
	// A fact whose listener fails is retried from this instance's memory.
	again := f.write(i.Relay, f.schools[1], time.Now(), events.Fact{Kind: "thing.refused"})
	lost := f.write(nil, f.schools[2], time.Now(), fact(3)) // of a process that died without a lease
	wait.Eventually(t, "the failure is recorded", func() bool {
		var n int
		must(t, f.db.Raw("select attempts from "+schema(f.schools[1])+".outbox").Scan(&n).Error)
		return n > 0
	})
	must(t, s.StartRedis(t.Context())) // empty: there is no generation, so everything is swept
	wait.Eventually(t, "a fact without a lease is found once Redis is back", func() bool { return rec.heard(lost...) })
	wait.Eventually(t, "the failing fact has a pending row",
		func() bool { return slices.Equal(i.entries(f), []string{f.schools[1].String()}) })
	i.stop()
	stopped.Store(false)
	f.startOn(s.RedisURL(), bus)
	wait.Eventually(t, "another instance publishes it", func() bool { return rec.heard(again...) })
}

func TestRelay_RedisFlushed_LosesNoFact(t *testing.T) {
	t.Parallel()
	s, f, rec := ownRedis(t), newFleet(t, 20), newRecorder()
	i := f.startOn(s.RedisURL(), busWith(rec.listen)).swept(f)
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
	wait.Eventually(t, "every fact is heard", func() bool { return rec.heard(ids...) })
	i.swept(f)
}

// waits reports whether a command may wait for Redis longer than a request may. Its
// deadline is compared, since the time it takes depends on the machine.
func waits(ctx context.Context) bool {
	until, ok := ctx.Deadline()
	return !ok || time.Until(until) > 80*time.Millisecond
}

func TestRelay_RedisFrozen_WritesDoNotWaitAndLoseNothing(t *testing.T) {
	t.Parallel()
	s, f, rec := ownRedis(t), newFleet(t, 4), newRecorder()
	i := f.startOn(s.RedisURL(), busWith(rec.listen)).swept(f)
	f.startOn(s.RedisURL(), busWith(rec.listen))
	must(t, s.FreezeRedis())
	type requests struct{}
	request := context.WithValue(t.Context(), requests{}, true) // a sweep may wait
	var patient, leases atomic.Int64
	i.redis.AddHook(counting{n: &leases, name: "evalsha", only: func(ctx context.Context) bool { return ctx.Value(requests{}) != nil }})
	i.redis.AddHook(counting{n: &patient, name: "evalsha",
		only: func(ctx context.Context) bool { return ctx.Value(requests{}) != nil && waits(ctx) }})
	var ids []uuid.UUID
	for n := range 40 {
		id, commit := f.prepare(nil, f.schools[n%4], time.Now(), fact(n))
		i.Lease(request, f.schools[n%4])
		must(t, commit())
		i.Wake(f.schools[n%4])
		ids = append(ids, id...)
	}
	wait.Eventually(t, "every fact is heard while Redis is frozen", func() bool { return rec.heard(ids...) })
	if leases.Load() == 0 || patient.Load() != 0 {
		t.Errorf("%d of %d leases may wait longer than a request, want none of at least one", patient.Load(), leases.Load())
	}
	var polls atomic.Int64
	i.redis.AddHook(counting{n: &polls, name: "zrangebyscore"})
	wait.Eventually(t, "a poll failed", func() bool { return polls.Load() >= 2 }) // the second begins when the first gave up
	lost := f.write(nil, f.schools[0], time.Now(), fact(99))                      // of a process that died meanwhile
	must(t, s.ThawRedis())
	wait.Eventually(t, "a fact without a lease is found after the outage", func() bool { return rec.heard(lost...) })
	wait.Eventually(t, "the set is empty again", func() bool { return len(i.entries(f)) == 0 })
	more := f.write(i.Relay, f.schools[1], time.Now(), fact(100))
	wait.Eventually(t, "a later fact is heard and its lease removed", func() bool { return rec.heard(more...) && len(i.entries(f)) == 0 })
}
