package events_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/testkit/wait"
)

func TestRelay_Fact_IsPublishedAfterItsCommit(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	i := f.start(busWith(rec.listen)).swept(f)

	before := f.txs.Load()
	ids, commit := f.prepare(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the relay checked while the commit was running", func() bool { return f.txs.Load() >= before+2 })
	if rec.count() != 0 {
		t.Fatal("an uncommitted fact was published")
	}
	must(t, commit())
	i.Wake(f.schools[0])
	wait.Eventually(t, "the fact is heard", func() bool { return rec.heard(ids...) })
	wait.Eventually(t, "the outbox is empty", func() bool { return f.waiting(f.schools[0]) == 0 })
	wait.Eventually(t, "the lease is removed", func() bool { return len(i.entries(f)) == 0 })
	h := rec.order[0]
	var data struct{ N int }
	must(t, h.Read(&data))
	if h.ID != ids[0] || h.SchoolID != f.schools[0] || h.Kind != "thing.done" || data.N != 1 || h.OccurredAt.IsZero() {
		t.Errorf("heard %+v", h)
	}
}

func TestRelay_RolledBackFact_IsNeverPublished(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	i := f.start(busWith(rec.listen), func(o *events.Options) { o.CommitWithin = 700 * time.Millisecond }).swept(f)
	var leases atomic.Int64
	i.redis.AddHook(counting{n: &leases, name: "evalsha"})

	err := f.tx(t.Context(), f.schools[0], func(tx *gorm.DB) error {
		args, err := fact(1).InsertArgs(time.Now())
		must(t, err)
		must(t, tx.Exec(strings.NewReplacer("$1", "?", "$2", "?", "$3", "?", "$4", "?", "$5", "?").Replace(events.InsertSQL), args...).Error)
		i.Lease(t.Context(), f.schools[0])
		return errors.New("rolled back")
	})
	if err == nil || leases.Load() == 0 { // it may have expired by now
		t.Fatal("no lease was taken:", err)
	}
	wait.Eventually(t, "the lease expired", func() bool { return len(i.entries(f)) == 0 })
	if rec.count() != 0 {
		t.Error("a rolled-back fact was published")
	}
}

func TestRelay_SlowCommitOfDeadInstance_AnotherPublishes(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	survivor := f.start(busWith(rec.listen)).swept(f)
	doomed := events.NewRelay(events.Options{Redis: survivor.redis, Schools: f, Bus: &events.Bus{},
		Namespace: f.namespace}) // never runs, never wakes

	before := f.txs.Load()
	ids, commit := f.prepare(doomed, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the survivor checked and found nothing", func() bool { return f.txs.Load() >= before+3 })
	if len(survivor.entries(f)) != 1 {
		t.Fatal("the lease of a running commit was removed")
	}
	must(t, commit())
	wait.Eventually(t, "the survivor publishes the fact", func() bool { return rec.heard(ids...) })
}

func TestRelay_FactDueLater_IsPublishedByItsInstance(t *testing.T) {
	t.Parallel()
	const schools = 20
	f, clock, mine, others := newFleet(t, schools), wait.NewClock(), newRecorder(), newRecorder()
	ticking := func(o *events.Options) { o.Clock = clock.Now }
	owner := f.start(busWith(mine.listen), ticking).swept(f)
	f.start(busWith(others.listen), ticking)
	for _, school := range f.schools {
		later := fact(1)
		later.DueAt = clock.Now().Add(time.Hour)
		f.write(owner.Relay, school, clock.Now(), later)
	}
	wait.Eventually(t, "every school has a pending row and no lease", func() bool {
		entries := owner.entries(f)
		return len(entries) == schools && !strings.Contains(strings.Join(entries, ""), "/")
	})
	clock.Pass(2 * time.Hour)
	wait.Eventually(t, "all are heard", func() bool { return mine.count()+others.count() == schools })
	// That another waits longer is TestScheduler_PendingRow_IsCheckedFirstByItsInstance; on a machine that pauses for so long
	// it publishes some, hardly all.
	if mine.count() == 0 {
		t.Errorf("of %d facts their own instance published none", schools)
	}
}

func TestRelay_TwoInstances_PublishOnceAndInOrder(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 5), newRecorder()
	instances := []*instance{f.start(busWith(rec.listen)).swept(f), f.start(busWith(rec.listen))}
	var written sync.Mutex
	order := map[uuid.UUID][]uuid.UUID{}
	var writers sync.WaitGroup
	for _, school := range f.schools {
		writers.Go(func() {
			for n := range 100 {
				ids := f.write(instances[n%2].Relay, school, time.Now(), fact(n), fact(n), fact(n), fact(n))
				written.Lock()
				order[school] = append(order[school], ids...)
				written.Unlock()
			}
		})
	}
	writers.Wait()
	wait.Eventually(t, "2,000 facts are heard", func() bool { return rec.count() >= 2000 })
	wait.Eventually(t, "all leases are removed", func() bool { return len(instances[0].entries(f)) == 0 })
	for _, i := range instances {
		i.stop()
	}
	heard := map[uuid.UUID][]uuid.UUID{}
	for _, h := range rec.order {
		heard[h.SchoolID] = append(heard[h.SchoolID], h.ID)
	}
	if rec.count() != 2000 || rec.twice {
		t.Errorf("heard %d facts, want 2000; one twice at once: %v, want false", rec.count(), rec.twice)
	}
	for _, school := range f.schools {
		if !slices.Equal(heard[school], order[school]) {
			t.Errorf("the %d facts of school %s were heard out of order", len(heard[school]), school)
		}
		if f.waiting(school) != 0 {
			t.Errorf("facts are left in the outbox of %s", school)
		}
	}
}

func TestRelay_FailingFact_IsRetriedWithBackoff(t *testing.T) {
	t.Parallel()
	f, rec, c := newFleet(t, 1), newRecorder(), wait.NewClock()
	var poison atomic.Value
	poison.Store(uuid.Nil)
	var tries atomic.Int64
	bus := busWith(rec.listen)
	bus.On("thing.done", "push", func(_ context.Context, h events.Heard) error {
		if h.ID == poison.Load() {
			tries.Add(1)
			return fmt.Errorf("%w\x00\xff", errDown)
		}
		return nil
	})
	i := f.start(bus, func(o *events.Options) { o.Clock = c.Now; o.SweepEvery = 24 * time.Hour }).swept(f)
	args, commit := f.prepare(i.Relay, f.schools[0], c.Now(), fact(0), fact(1), fact(2))
	poison.Store(args[1])
	must(t, commit())
	i.Wake(f.schools[0])
	wait.Eventually(t, "the others are published and deleted", func() bool { return f.waiting(f.schools[0]) == 1 })

	type row struct {
		Attempts  int
		NextAt    time.Time
		LastError string
	}
	delay := time.Second
	for n := 1; n <= 12; n++ {
		var r row
		wait.Eventually(t, "the failure is recorded", func() bool {
			must(t, f.db.Raw("select attempts, next_at, last_error from "+schema(f.schools[0])+".outbox").Scan(&r).Error)
			return r.Attempts == n
		})
		if d := r.NextAt.Sub(c.Now()); d < delay*4/5 || d > delay*6/5 {
			t.Fatalf("after failure %d it is retried in %s, want about %s", n, d, delay)
		}
		if !strings.Contains(r.LastError, errDown.Error()) || !strings.HasPrefix(r.LastError, "push: ") {
			t.Fatalf("last_error is %q", r.LastError)
		}
		wait.Eventually(t, "Redis has the pending row", func() bool { return slices.Equal(i.entries(f), []string{f.schools[0].String()}) })
		before := tries.Load()
		fresh := f.write(i.Relay, f.schools[0], c.Now(), fact(n)) // does not bring the failing fact forward
		wait.Eventually(t, "a new fact is published", func() bool { return rec.heard(fresh...) && f.waiting(f.schools[0]) == 1 })
		if tries.Load() != before {
			t.Fatal("the failing fact was retried too early")
		}
		c.Pass(r.NextAt.Sub(c.Now())) // the pending row, not Wake, causes the next check
		delay = min(2*delay, 5*time.Minute)
	}
	wait.Eventually(t, "it was retried once more, and that is recorded", func() bool {
		var attempts int
		must(t, f.db.Raw("select attempts from "+schema(f.schools[0])+".outbox").Scan(&attempts).Error)
		return tries.Load() == 13 && attempts == 13
	})
	poison.Store(uuid.Nil)
	c.Pass(10 * time.Minute)
	wait.Eventually(t, "it is heard in the end", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestRelay_ListenerPanics_OnlyItsFactFails(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 2), newRecorder()
	bus := &events.Bus{}
	bus.On("thing.done", "panics", func(_ context.Context, h events.Heard) error {
		var d struct{ N int }
		if must(t, h.Read(&d)); d.N == 1 {
			panic("boom")
		}
		return nil
	})
	bus.On("thing.done", "recorder", rec.listen)
	i := f.start(bus).swept(f)
	ids := f.write(i.Relay, f.schools[0], time.Now(), fact(0), fact(1), fact(2))
	other := f.write(i.Relay, f.schools[1], time.Now(), fact(3))
	wait.Eventually(t, "the other listener hears every fact", func() bool { return rec.heard(append(ids, other...)...) })
	wait.Eventually(t, "the panic is recorded", func() bool {
		var text string
		must(t, f.db.Raw("select last_error from "+schema(f.schools[0])+".outbox").Scan(&text).Error)
		return strings.HasPrefix(text, "panics: panic: boom")
	})
	if f.waiting(f.schools[0]) != 1 {
		t.Error("more than one fact is left")
	}
}

func TestRelay_Idle_DoesNotQueryPostgres(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 3), newRecorder()
	i := f.start(busWith(rec.listen)).swept(f)
	j := f.start(busWith(rec.listen))
	f.write(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the fact is heard and its lease removed", func() bool { return rec.count() == 1 && len(i.entries(f)) == 0 })

	var polls atomic.Int64
	for _, x := range []*instance{i, j} {
		x.redis.AddHook(counting{n: &polls, name: "zrangebyscore"})
	}
	// A Redis that answers late is a reason to sweep, once it is back: then we look again.
	wait.Eventually(t, "Redis is polled 60 times without a transaction", func() bool {
		txs, from := f.txs.Load(), polls.Load()
		wait.Eventually(t, "Redis is polled", func() bool { return polls.Load() >= from+60 })
		return f.txs.Load() == txs
	})
}

// counting counts the commands of one name that a client sends.
type counting struct {
	n    *atomic.Int64
	name string
	only func(context.Context) bool // nil: all of them
}

func (c counting) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c counting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == c.name && (c.only == nil || c.only(ctx)) {
			c.n.Add(1)
		}
		return next(ctx, cmd)
	}
}
func (c counting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestRelay_Stop_FinishesTheRunningBatch(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var heard atomic.Int64
	i := f.start(busWith(func(ctx context.Context, _ events.Heard) error {
		if heard.Add(1) == 1 {
			close(begun)
			<-goOn
		}
		return ctx.Err()
	})).swept(f)
	f.write(i.Relay, f.schools[0], time.Now(), fact(1), fact(2))
	<-begun
	i.cancel() // must not end the listener's ctx: its error would leave both facts
	close(goOn)
	i.stop()
	if left := f.waiting(f.schools[0]); left+int(heard.Load()) != 2 || heard.Load() == 0 {
		t.Errorf("heard %d facts and %d are left, want 2 in all and at least 1 heard", heard.Load(), left)
	}
	rec := newRecorder()
	f.start(busWith(rec.listen))
	wait.Eventually(t, "the next instance publishes the rest", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestRelay_SchoolsGone_PendingRowsAreRemoved(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	i := f.start(busWith(rec.listen)).swept(f)
	key := f.namespace + ":outbox:pending"
	var gone []redis.Z
	for range 2500 {
		gone = append(gone, redis.Z{Score: 1, Member: uuid.NewString()})
	}
	must(t, i.redis.ZAdd(t.Context(), key, gone...).Err())
	ids := f.write(nil, f.schools[0], time.Now(), fact(1))
	must(t, i.redis.ZAdd(t.Context(), key, redis.Z{Score: 2, Member: f.schools[0].String()}).Err())
	wait.Eventually(t, "the fact of the real school behind them is heard", func() bool { return rec.heard(ids...) })
	wait.Eventually(t, "all pending rows are removed", func() bool { return len(i.entries(f)) == 0 })
}

func TestRelay_DatabaseHangs_OtherSchoolsGoOn(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 30), newRecorder()
	healthy := f.schools[0]
	const working, failing, hanging = 0, 1, 2
	var state, hang atomic.Int64
	recovery := make(chan struct{})
	tried := sync.Map{}
	f.trouble = func(ctx context.Context, id uuid.UUID) error {
		if id == healthy || state.Load() == working {
			return nil
		}
		if state.Load() == hanging {
			hang.Add(1)
			select {
			case <-ctx.Done():
			case <-recovery:
			}
		}
		before, _ := tried.LoadOrStore(id, new(atomic.Int64))
		before.(*atomic.Int64).Add(1)
		return errDown
	}
	i := f.start(busWith(rec.listen)).swept(f)
	state.Store(failing)
	var ids []uuid.UUID
	for _, s := range f.schools[1:] {
		ids = append(ids, f.write(i.Relay, s, time.Now(), fact(1))...)
	}
	wait.Eventually(t, "every failing school was tried twice", func() bool {
		for _, s := range f.schools[1:] {
			if n, ok := tried.Load(s); !ok || n.(*atomic.Int64).Load() < 2 {
				return false
			}
		}
		return true
	})
	state.Store(hanging)
	for _, s := range f.schools[1:] {
		i.Wake(s) // all of them are queued for a worker
	}
	wait.Eventually(t, "two of them hang", func() bool { return hang.Load() >= 2 })
	for n := range 20 {
		own := f.write(i.Relay, healthy, time.Now(), fact(n))
		wait.Eventually(t, "facts of the healthy school are heard meanwhile", func() bool { return rec.heard(own...) })
	}
	state.Store(working)
	close(recovery)
	wait.Eventually(t, "the others' facts are heard after the recovery", func() bool { return rec.heard(ids...) })
}
