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

func TestAFactIsToldAfterItsCommitAndNotBefore(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	i := f.start(busWith(e.hear)).swept(f)

	looks := f.txs.Load()
	ids, commit := f.prepare(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the relay looked while the commit was under way", func() bool { return f.txs.Load() >= looks+2 })
	if e.count() != 0 {
		t.Fatal("an uncommitted fact was told")
	}
	must(t, commit())
	i.Wake(f.schools[0])
	wait.Eventually(t, "the fact is heard", func() bool { return e.heard(ids...) })
	wait.Eventually(t, "the fact left the outbox", func() bool { return f.waiting(f.schools[0]) == 0 })
	wait.Eventually(t, "the mark is gone", func() bool { return len(i.marks(f)) == 0 })
	h := e.order[0]
	var data struct{ N int }
	must(t, h.Read(&data))
	if h.ID != ids[0] || h.SchoolID != f.schools[0] || h.Kind != "thing.done" || data.N != 1 || h.OccurredAt.IsZero() {
		t.Errorf("heard %+v", h)
	}
}

func TestARolledBackFactIsNeverTold(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	i := f.start(busWith(e.hear), func(o *events.Options) { o.CommitWithin = 700 * time.Millisecond }).swept(f)
	var marks atomic.Int64
	i.redis.AddHook(counting{n: &marks, name: "evalsha"})

	err := f.tx(t.Context(), f.schools[0], func(tx *gorm.DB) error {
		args, err := fact(1).InsertArgs(time.Now())
		must(t, err)
		must(t, tx.Exec(strings.NewReplacer("$1", "?", "$2", "?", "$3", "?", "$4", "?", "$5", "?").Replace(events.InsertSQL), args...).Error)
		i.Mark(t.Context(), f.schools[0])
		return errors.New("rolled back")
	})
	if err == nil || marks.Load() == 0 { // it may be given up by now
		t.Fatal("no mark was made:", err)
	}
	wait.Eventually(t, "the mark was given up", func() bool { return len(i.marks(f)) == 0 })
	if e.count() != 0 {
		t.Error("a rolled-back fact was told")
	}
}

func TestASlowCommitOfAnInstanceThatDiesIsToldByAnother(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	survivor := f.start(busWith(e.hear)).swept(f)
	doomed := events.NewRelay(events.Options{Redis: survivor.redis, Schools: f, Bus: &events.Bus{}, Namespace: f.namespace}) // never runs, never wakes

	looks := f.txs.Load()
	ids, commit := f.prepare(doomed, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the survivor looked in vain", func() bool { return f.txs.Load() >= looks+3 })
	if len(survivor.marks(f)) != 1 {
		t.Fatal("the mark of a commit under way was cleared")
	}
	must(t, commit())
	wait.Eventually(t, "the survivor tells the fact", func() bool { return e.heard(ids...) })
}

func TestAFactThatIsDueLaterIsToldByTheInstanceThatNotedIt(t *testing.T) {
	t.Parallel()
	const schools = 20
	f, clock, mine, others := newFleet(t, schools), wait.NewClock(), newEar(), newEar()
	ticking := func(o *events.Options) { o.Clock = clock.Now }
	maker := f.start(busWith(mine.hear), ticking).swept(f)
	f.start(busWith(others.hear), ticking)
	for _, school := range f.schools {
		later := fact(1)
		later.DueAt = clock.Now().Add(time.Hour)
		f.write(maker.Relay, school, clock.Now(), later)
	}
	wait.Eventually(t, "every school has its note and nothing else", func() bool {
		marks := maker.marks(f)
		return len(marks) == schools && !strings.Contains(strings.Join(marks, ""), "/")
	})
	clock.Pass(2 * time.Hour)
	wait.Eventually(t, "all are heard", func() bool { return mine.count()+others.count() == schools })
	// A machine that stands still for two seconds has the other help out.
	if mine.count() < schools*3/4 {
		t.Errorf("of %d facts who noted them told %d and another %d", schools, mine.count(), others.count())
	}
}

func TestTwoRelaysTellEachFactOnceAndInOrder(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 5), newEar()
	instances := []*instance{f.start(busWith(e.hear)).swept(f), f.start(busWith(e.hear))}
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
	wait.Eventually(t, "2,000 facts are heard", func() bool { return e.count() >= 2000 })
	wait.Eventually(t, "all marks are cleared", func() bool { return len(instances[0].marks(f)) == 0 })
	for _, i := range instances {
		i.stop()
	}
	told := map[uuid.UUID][]uuid.UUID{}
	for _, h := range e.order {
		told[h.SchoolID] = append(told[h.SchoolID], h.ID)
	}
	if e.count() != 2000 || e.twice {
		t.Errorf("told %d times, twice at once: %v", e.count(), e.twice)
	}
	for _, school := range f.schools {
		if !slices.Equal(told[school], order[school]) {
			t.Errorf("school %s heard %d facts out of order", school, len(told[school]))
		}
		if f.waiting(school) != 0 {
			t.Errorf("facts are left in %s", school)
		}
	}
}

func TestAFailingFactIsRetriedWithBackOffWhileOthersGoOn(t *testing.T) {
	t.Parallel()
	f, e, c := newFleet(t, 1), newEar(), wait.NewClock()
	var poison atomic.Value
	poison.Store(uuid.Nil)
	var tries atomic.Int64
	bus := busWith(e.hear)
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
	wait.Eventually(t, "the others are told and gone", func() bool { return f.waiting(f.schools[0]) == 1 })

	type row struct {
		Attempts  int
		NextAt    time.Time
		LastError string
	}
	rest := time.Second
	for n := 1; n <= 12; n++ {
		var r row
		wait.Eventually(t, "the failure is recorded", func() bool {
			must(t, f.db.Raw("select attempts, next_at, last_error from "+schema(f.schools[0])+".outbox").Scan(&r).Error)
			return r.Attempts == n
		})
		if d := r.NextAt.Sub(c.Now()); d < rest*4/5 || d > rest*6/5 {
			t.Fatalf("after failure %d it rests %s, not about %s", n, d, rest)
		}
		if !strings.Contains(r.LastError, errDown.Error()) || !strings.HasPrefix(r.LastError, "push: ") {
			t.Fatalf("last_error is %q", r.LastError)
		}
		wait.Eventually(t, "Redis knows when to look", func() bool { return slices.Equal(i.marks(f), []string{f.schools[0].String()}) })
		before := tries.Load()
		fresh := f.write(i.Relay, f.schools[0], c.Now(), fact(n)) // others go on, and do not wake the resting one
		wait.Eventually(t, "a fresh fact passes", func() bool { return e.heard(fresh...) && f.waiting(f.schools[0]) == 1 })
		if tries.Load() != before {
			t.Fatal("the failing fact was tried before its time")
		}
		c.Pass(r.NextAt.Sub(c.Now())) // Redis's note, not a wake, brings the relay back
		rest = min(2*rest, 5*time.Minute)
	}
	wait.Eventually(t, "it was tried once more", func() bool { return tries.Load() == 13 })
	poison.Store(uuid.Nil)
	c.Pass(10 * time.Minute)
	wait.Eventually(t, "it is heard in the end", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestAPanicIsAFailureOfThatFactOnly(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 2), newEar()
	bus := &events.Bus{}
	bus.On("thing.done", "bomb", func(_ context.Context, h events.Heard) error {
		var d struct{ N int }
		if must(t, h.Read(&d)); d.N == 1 {
			panic("boom")
		}
		return nil
	})
	bus.On("thing.done", "ear", e.hear)
	i := f.start(bus).swept(f)
	ids := f.write(i.Relay, f.schools[0], time.Now(), fact(0), fact(1), fact(2))
	other := f.write(i.Relay, f.schools[1], time.Now(), fact(3))
	wait.Eventually(t, "everybody else hears everything", func() bool { return e.heard(append(ids, other...)...) })
	wait.Eventually(t, "the panic is recorded", func() bool {
		var text string
		must(t, f.db.Raw("select last_error from "+schema(f.schools[0])+".outbox").Scan(&text).Error)
		return strings.HasPrefix(text, "bomb: panic: boom")
	})
	if f.waiting(f.schools[0]) != 1 {
		t.Error("more than the one fact is left")
	}
}

func TestAnIdleFleetAsksPostgresNothing(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 3), newEar()
	i := f.start(busWith(e.hear)).swept(f)
	j := f.start(busWith(e.hear))
	f.write(i.Relay, f.schools[0], time.Now(), fact(1))
	wait.Eventually(t, "the fact is told and forgotten", func() bool { return e.count() == 1 && len(i.marks(f)) == 0 })

	var polls atomic.Int64
	for _, x := range []*instance{i, j} {
		x.redis.AddHook(counting{n: &polls, name: "zrangebyscore"})
	}
	before := f.txs.Load()
	wait.Eventually(t, "Redis was polled", func() bool { return polls.Load() >= 60 })
	if n := f.txs.Load() - before; n != 0 {
		t.Errorf("%d transactions while nothing happened", n)
	}
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

func TestAStopFinishesTheFactsBeingTold(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var told atomic.Int64
	i := f.start(busWith(func(ctx context.Context, _ events.Heard) error {
		if told.Add(1) == 1 {
			close(begun)
			<-goOn
		}
		return ctx.Err()
	})).swept(f)
	f.write(i.Relay, f.schools[0], time.Now(), fact(1), fact(2))
	<-begun
	i.cancel() // the listener's own ctx must not end with it: its error would leave both facts
	close(goOn)
	i.stop()
	if left := f.waiting(f.schools[0]); left+int(told.Load()) != 2 || told.Load() == 0 {
		t.Errorf("told %d, left %d", told.Load(), left)
	}
	e := newEar()
	f.start(busWith(e.hear))
	wait.Eventually(t, "the next process tells the rest", func() bool { return f.waiting(f.schools[0]) == 0 })
}

func TestTheMarksOfASchoolThatIsGoneAreDroppedHoweverMany(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 1), newEar()
	i := f.start(busWith(e.hear)).swept(f)
	key := f.namespace + ":outbox:pending"
	var gone []redis.Z
	for range 2500 {
		gone = append(gone, redis.Z{Score: 1, Member: uuid.NewString()})
	}
	must(t, i.redis.ZAdd(t.Context(), key, gone...).Err())
	ids := f.write(nil, f.schools[0], time.Now(), fact(1))
	must(t, i.redis.ZAdd(t.Context(), key, redis.Z{Score: 2, Member: f.schools[0].String()}).Err())
	wait.Eventually(t, "the real school behind them is told", func() bool { return e.heard(ids...) })
	wait.Eventually(t, "all marks are gone", func() bool { return len(i.marks(f)) == 0 })
}

func TestSchoolsWhoseDatabaseHangsDoNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	f, e := newFleet(t, 30), newEar()
	healthy := f.schools[0]
	const well, failing, hanging = 0, 1, 2
	var state, hang atomic.Int64
	recovery := make(chan struct{})
	tried := sync.Map{}
	f.trouble = func(ctx context.Context, id uuid.UUID) error {
		if id == healthy || state.Load() == well {
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
	i := f.start(busWith(e.hear)).swept(f)
	state.Store(failing)
	var ids []uuid.UUID
	for _, s := range f.schools[1:] {
		ids = append(ids, f.write(i.Relay, s, time.Now(), fact(1))...)
	}
	wait.Eventually(t, "every sick school is known to be", func() bool {
		for _, s := range f.schools[1:] {
			if n, ok := tried.Load(s); !ok || n.(*atomic.Int64).Load() < 2 {
				return false
			}
		}
		return true
	})
	state.Store(hanging)
	for _, s := range f.schools[1:] {
		i.Wake(s) // all of them want a worker now
	}
	wait.Eventually(t, "sick ones hang", func() bool { return hang.Load() >= 2 })
	for n := range 20 {
		own := f.write(i.Relay, healthy, time.Now(), fact(n))
		wait.Eventually(t, "the healthy school is told while they do", func() bool { return e.heard(own...) })
	}
	state.Store(well)
	close(recovery)
	wait.Eventually(t, "the others are told once they are well", func() bool { return e.heard(ids...) })
}
