package events_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"homeroom/events"
	"homeroom/localstack"
	"homeroom/testkit/wait"
)

// stack is the servers that all test packages share; database is this package's own on them.
var stack = sync.OnceValues(func() (*localstack.Stack, error) {
	return localstack.Shared(context.Background(), localstack.Options{Postgres: []string{"main"}, Redis: true, MaxConnections: 400})
})

var database = sync.OnceValues(func() (string, error) {
	s, err := stack()
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("events_%d", os.Getpid())
	db, err := open(s.PostgresURL("main"))
	if err != nil {
		return "", err
	}
	defer shut(db)
	err = db.Exec("create database " + name).Error
	return strings.Replace(s.PostgresURL("main"), "/homeroom?", "/"+name+"?", 1), err
})

const outboxDDL = `create table outbox (
    id uuid primary key, kind text not null, payload jsonb not null, occurred_at timestamptz not null,
    attempts int not null default 0, next_at timestamptz not null default now(), last_error text not null default '');
create index outbox_next_idx on outbox (next_at, id);
create table heard (fact uuid primary key)`

// fleet is a few schools: schemas on one server, with nothing but an outbox.
type fleet struct {
	t         testing.TB
	url       string
	db        *gorm.DB
	namespace string

	txs atomic.Int64 // transactions the relays asked for

	mu      sync.Mutex
	schools []uuid.UUID
	trouble func(ctx context.Context, id uuid.UUID) error
}

func newFleet(t testing.TB, schools int) *fleet {
	t.Helper()
	url, err := database()
	must(t, err)
	db, err := open(url)
	must(t, err)
	t.Cleanup(func() { shut(db) })
	f := &fleet{t: t, url: url, db: db, namespace: "events-" + uuid.NewString()[:8]}
	for range schools {
		id := uuid.New()
		must(t, db.Exec(fmt.Sprintf("create schema %s; set search_path = %[1]s; %s; reset search_path", schema(id), outboxDDL)).Error)
		f.schools = append(f.schools, id)
	}
	return f
}

func open(url string) (*gorm.DB, error) {
	db, err := gorm.Open(postgres.New(postgres.Config{DSN: url}),
		&gorm.Config{Logger: logger.Discard, SkipDefaultTransaction: true})
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(12)
	pool.SetMaxIdleConns(12)
	pool.SetConnMaxLifetime(0)
	return db, nil
}

func shut(db *gorm.DB) {
	if pool, err := db.DB(); err == nil {
		_ = pool.Close()
	}
}

func schema(id uuid.UUID) string { return "s_" + strings.ReplaceAll(id.String(), "-", "") }

func (f *fleet) EachID(_ context.Context, each func(id uuid.UUID) error) error {
	f.mu.Lock()
	ids := append([]uuid.UUID(nil), f.schools...)
	f.mu.Unlock()
	for _, id := range ids {
		if err := each(id); err != nil {
			return err
		}
	}
	return nil
}

func (f *fleet) Tx(ctx context.Context, id uuid.UUID, do func(tx *gorm.DB) error) error {
	f.txs.Add(1)
	f.mu.Lock()
	trouble := f.trouble
	known := false
	for _, s := range f.schools {
		known = known || s == id
	}
	f.mu.Unlock()
	if !known {
		return fmt.Errorf("school %s: %w", id, events.ErrGone)
	}
	if trouble != nil {
		if err := trouble(ctx, id); err != nil {
			return err
		}
	}
	return f.tx(ctx, id, do)
}

func (f *fleet) tx(ctx context.Context, id uuid.UUID, do func(tx *gorm.DB) error) error {
	return f.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("set local search_path = " + schema(id)).Error; err != nil {
			return err
		}
		return do(tx)
	})
}

// write commits facts as the kernel does: lease, commit, wake.
func (f *fleet) write(r *events.Relay, school uuid.UUID, now time.Time, facts ...events.Fact) []uuid.UUID {
	f.t.Helper()
	ids, commit := f.prepare(r, school, now, facts...)
	must(f.t, commit())
	if r != nil {
		r.Wake(school)
	}
	return ids
}

// prepare does all but the commit. With a nil relay no lease is taken, as if it was lost.
func (f *fleet) prepare(r *events.Relay, school uuid.UUID, now time.Time, facts ...events.Fact) ([]uuid.UUID, func() error) {
	f.t.Helper()
	tx := f.db.WithContext(context.Background()).Begin()
	must(f.t, tx.Error)
	must(f.t, tx.Exec("set local search_path = "+schema(school)).Error)
	var ids []uuid.UUID
	for _, fact := range facts {
		args, err := fact.InsertArgs(now)
		must(f.t, err)
		_, err = tx.Statement.ConnPool.(*sql.Tx).Exec(events.InsertSQL, args...)
		must(f.t, err)
		ids = append(ids, args[0].(uuid.UUID))
	}
	if r != nil {
		r.Lease(context.Background(), school)
	}
	return ids, func() error { return tx.Commit().Error }
}

// waiting counts the facts in a school's outbox.
func (f *fleet) waiting(school uuid.UUID) int { return f.count(school, "outbox") }

func (f *fleet) count(school uuid.UUID, table string) int {
	f.t.Helper()
	var n int
	must(f.t, f.db.Raw("select count(*) from "+schema(school)+"."+table).Scan(&n).Error)
	return n
}

// instance is one running relay, as in one process of the product.
type instance struct {
	*events.Relay
	redis  redis.UniversalClient
	cancel func() // requests a stop
	stop   func() // stops and waits until it has
}

// start runs a relay on the shared Redis until the test ends or stop is called.
func (f *fleet) start(bus *events.Bus, change ...func(*events.Options)) *instance {
	f.t.Helper()
	s, err := stack()
	must(f.t, err)
	return f.startOn(s.RedisURL(), bus, change...)
}

func (f *fleet) startOn(url string, bus *events.Bus, change ...func(*events.Options)) *instance {
	f.t.Helper()
	client := connect(f.t, url)
	o := events.Options{
		Redis: client, Schools: f, Bus: bus, Namespace: f.namespace,
		Log: slog.New(slog.NewTextHandler(testLog{f.t}, nil)),
	}
	for _, c := range change {
		c(&o)
	}
	r := events.NewRelay(o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		must(f.t, <-ended)
	})
	f.t.Cleanup(stop)
	return &instance{r, client, cancel, stop}
}

// swept waits until the first sweep is over, so that facts are found by leases only.
func (i *instance) swept(f *fleet) *instance {
	f.t.Helper()
	wait.Eventually(f.t, "the first sweep is over", func() bool {
		return i.redis.ZScore(context.Background(), f.namespace+":outbox:pending", "epoch").Err() == nil
	})
	return i
}

// entries are the leases and pending rows in Redis.
func (i *instance) entries(f *fleet) []string {
	members, err := i.redis.ZRange(context.Background(), f.namespace+":outbox:pending", 0, -1).Result()
	must(f.t, err)
	var out []string
	for _, m := range members {
		if m != "epoch" && m != "sweeping" {
			out = append(out, m)
		}
	}
	return out
}

func connect(t testing.TB, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	must(t, err)
	o.ContextTimeoutEnabled = true
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// recorder is a listener that records the facts it heard, and detects a fact that is
// published twice at once.
type recorder struct {
	mu    sync.Mutex
	order []events.Heard
	times map[uuid.UUID]int
	now   map[uuid.UUID]bool
	twice bool
}

func newRecorder() *recorder { return &recorder{times: map[uuid.UUID]int{}, now: map[uuid.UUID]bool{}} }

func (rec *recorder) listen(_ context.Context, h events.Heard) error {
	rec.mu.Lock()
	rec.twice = rec.twice || rec.now[h.ID]
	rec.now[h.ID] = true
	rec.order = append(rec.order, h)
	rec.times[h.ID]++
	rec.mu.Unlock()
	defer func() {
		rec.mu.Lock()
		delete(rec.now, h.ID)
		rec.mu.Unlock()
	}()
	return nil
}

func (rec *recorder) heard(ids ...uuid.UUID) bool {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, id := range ids {
		if rec.times[id] == 0 {
			return false
		}
	}
	return true
}

func (rec *recorder) count() int {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return len(rec.order)
}

func busWith(f func(context.Context, events.Heard) error) *events.Bus {
	b := &events.Bus{}
	b.On(events.Every, "recorder", f)
	return b
}

type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	if os.Getenv("EVENTS_TEST_LOG") != "" {
		fmt.Fprint(os.Stderr, l.t.Name(), " ", string(p))
	}
	return len(p), nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fact(n int) events.Fact { return events.Fact{Kind: "thing.done", Data: map[string]int{"n": n}} }

var errDown = errors.New("the listener's dependency is down")
