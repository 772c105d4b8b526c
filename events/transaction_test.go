package events_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/events"
	"homeroom/testkit/wait"
)

func insertHeard(ctx context.Context, h events.Heard) error {
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	return db.Exec("insert into heard (fact) values (?)", h.ID).Error
}

// insertHeardOnce is idempotent, as listeners have to be.
func insertHeardOnce(ctx context.Context, h events.Heard) error {
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	return db.Exec("insert into heard (fact) values (?) on conflict do nothing", h.ID).Error
}

func TestDB_ListenerSucceeds_WritesAreCommittedWithTheFact(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	i := f.start(busWith(insertHeard)).swept(f)
	f.write(i.Relay, f.schools[0], time.Now(), fact(1), fact(2))
	wait.Eventually(t, "the outbox is empty", func() bool { return f.waiting(f.schools[0]) == 0 })
	if n := f.count(f.schools[0], "heard"); n != 2 {
		t.Errorf("%d rows were written, want 2", n)
	}
	if _, err := events.DB(t.Context()); err == nil {
		t.Error("DB worked outside a listener")
	}
}

func TestDB_ListenerFails_OnlyItsWritesAreUndone(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	var swallow, fail atomic.Int64
	bus := &events.Bus{}
	bus.On("thing.done", "keeps", insertHeardOnce)
	bus.On("thing.done", "undone", func(ctx context.Context, _ events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		if err := db.Exec("insert into heard (fact) values (gen_random_uuid())").Error; err != nil {
			return err
		}
		fail.Add(1)
		return errDown
	})
	bus.On("thing.done", "swallows", func(ctx context.Context, _ events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		_ = db.Exec("insert into no_such_table values (1)").Error
		swallow.Add(1)
		return nil
	})
	i := f.start(bus).swept(f)
	f.write(i.Relay, f.schools[0], time.Now(), fact(1), fact(2))
	wait.Eventually(t, "both facts were tried and postponed", func() bool {
		var n int
		must(t, f.db.Raw("select count(*) from "+schema(f.schools[0])+".outbox where attempts > 0 and last_error like '%undone%swallows%'").Scan(&n).Error)
		return n == 2
	})
	if n := f.count(f.schools[0], "heard"); n != 2 {
		t.Errorf("%d rows were kept, want the 2 of the listener that succeeded", n)
	}
}

func TestRelay_ListenerHangs_OnlyItsFactFails(t *testing.T) {
	t.Parallel()
	f, rec := newFleet(t, 1), newRecorder()
	hung := make(chan struct{})
	t.Cleanup(func() { close(hung) })
	bus := &events.Bus{}
	bus.On("thing.stuck", "ignores its context", func(ctx context.Context, h events.Heard) error {
		<-hung // ignores ctx
		return nil
	})
	bus.On("thing.stuck-with-db", "hangs with a transaction", func(ctx context.Context, h events.Heard) error {
		if err := insertHeard(ctx, h); err != nil {
			return err
		}
		<-hung
		return nil
	})
	bus.On("thing.slow-query", "runs a slow query", func(ctx context.Context, _ events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		return db.Exec("select pg_sleep(60)").Error // its ctx ends this, and the connection with it
	})
	bus.On("thing.done", "recorder", rec.listen)
	i := f.start(bus, func(o *events.Options) { o.ListenerTimeout = 200 * time.Millisecond }).swept(f)
	ids := f.write(i.Relay, f.schools[0], time.Now(), fact(1), events.Fact{Kind: "thing.stuck"}, fact(2),
		events.Fact{Kind: "thing.stuck-with-db"}, fact(3), events.Fact{Kind: "thing.slow-query"}, fact(4))
	wait.Eventually(t, "all other facts are heard", func() bool { return rec.heard(ids[0], ids[2], ids[4], ids[6]) })
	wait.Eventually(t, "they are deleted and the three are postponed", func() bool {
		var n int
		must(t, f.db.Raw("select count(*) from "+schema(f.schools[0])+".outbox where attempts > 0 and last_error <> ''").Scan(&n).Error)
		return n == 3 && f.waiting(f.schools[0]) == 3
	})
	if n := f.count(f.schools[0], "heard"); n != 0 {
		t.Errorf("%d rows of a listener that did not return were kept, want 0", n)
	}
}
