package events

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"homeroom/breaker"
)

// ErrGone means that the school does not exist (any more): its leases are removed
// instead of being retried for ever.
var ErrGone = errors.New("events: no such school")

// Schools opens the schools' databases, where the outboxes are.
type Schools interface {
	// EachID calls f for every school whose facts are to be published.
	EachID(ctx context.Context, f func(id uuid.UUID) error) error
	// Tx runs f once in a read-write transaction bound to the school and commits when
	// f returns nil. It returns ErrGone (wrapped or not) for an unknown school. The
	// transaction, and so a connection, is held while listeners run: a listener that
	// opens another one from the same small pool may deadlock with itself. It uses DB.
	Tx(ctx context.Context, id uuid.UUID, f func(tx *gorm.DB) error) error
}

// Options configure a relay. Every field below Bus has a default.
type Options struct {
	Redis   redis.UniversalClient
	Schools Schools
	Bus     *Bus

	Log     *slog.Logger
	Clock   func() time.Time // compared with the facts' times
	Workers int              // schools published at once; default 8

	Namespace       string        // prefix of the keys in Redis; default "homeroom"
	Poll            time.Duration // between two reads of the leases; default 100 ms
	CommitWithin    time.Duration // longer than any COMMIT takes; default 30 s
	SweepEvery      time.Duration // the longest time between two sweeps; default 10 min
	SweepRate       int           // schools a second while sweeping; default 500
	ListenerTimeout time.Duration // for one listener and one fact; default 10 s

	// Published is called for every fact after its listeners: how late it was published,
	// and whether all of them processed it. It must not block; nil: not called.
	Published func(late time.Duration, heard bool)
}

func (o *Options) defaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Namespace == "" {
		o.Namespace = "homeroom"
	}
	o.Workers = or(o.Workers, 8)
	o.Poll = or(o.Poll, 100*time.Millisecond)
	o.CommitWithin = or(o.CommitWithin, 30*time.Second)
	o.SweepEvery = or(o.SweepEvery, 10*time.Minute)
	o.SweepRate = or(o.SweepRate, 500)
	o.ListenerTimeout = or(o.ListenerTimeout, listenerTimeout)
	if o.Published == nil {
		o.Published = func(time.Duration, bool) {}
	}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Relay publishes the facts in the schools' outboxes to the bus's listeners, at least
// once. Redis only names the outboxes to check: facts are in Postgres, and a lease is
// taken before they are committed and removed after they were published.
type Relay struct {
	schools         Schools
	bus             *Bus
	log             *slog.Logger
	clock           func() time.Time
	leases          *leases
	scheduler       *scheduler
	sweeper         *sweeper
	pollEvery       time.Duration
	workers         int
	listenerTimeout time.Duration
	onPublished     func(late time.Duration, heard bool)

	running atomic.Bool
}

// NewRelay prepares a relay; nothing is published before Run.
func NewRelay(o Options) *Relay {
	o.defaults()
	self := uuid.NewString()[:8]
	r := &Relay{
		schools: o.Schools, bus: o.Bus, log: o.Log, clock: o.Clock,
		leases: &leases{
			client: o.Redis, breaker: breaker.New("outbox", 0, time.Now, o.Log), key: o.Namespace + ":outbox:pending", self: self,
		},
		scheduler: newScheduler(self, o.CommitWithin, o.Workers),
		pollEvery: o.Poll, workers: o.Workers, listenerTimeout: o.ListenerTimeout, onPublished: o.Published,
	}
	r.sweeper = newSweeper(r, o)
	return r
}

// Lease takes this instance's lease on a school whose facts are about to be committed.
// It waits for Redis 80 ms at most; a lease that Redis does not store is kept in memory.
func (r *Relay) Lease(ctx context.Context, school uuid.UUID) {
	now := time.Now()
	score := r.scheduler.openCommit(school, r.clock(), now)
	if err := r.leases.put(ctx, school, score); err != nil {
		r.scheduler.keepUnsavedLease(school, score, now)
	}
}

// Wake reports that the commit succeeded: the facts are published at once, with or
// without Redis.
func (r *Relay) Wake(school uuid.UUID) { r.scheduler.closeCommit(school) }

// Run publishes facts until ctx ends. Batches that are running then are finished
// first; the other facts stay in the outboxes, and their leases in Redis.
func (r *Relay) Run(ctx context.Context) error {
	if r.running.Swap(true) {
		return errors.New("events: the relay is running already")
	}
	defer r.running.Store(false)
	stop := context.AfterFunc(ctx, r.scheduler.wakeWorkers)
	defer stop()
	var all sync.WaitGroup
	for range r.workers {
		all.Go(func() { r.work(ctx) })
	}
	all.Go(func() { every(ctx, r.pollEvery, func() { r.scheduler.enqueueDue(time.Now()) }) })
	all.Go(func() { r.poll(ctx) })
	all.Go(func() { r.sweeper.run(ctx) })
	all.Wait()
	return nil
}

func every(ctx context.Context, d time.Duration, f func()) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		f()
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
