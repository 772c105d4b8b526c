package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	lockTTL       = 15 * time.Second // a sweeper that died is replaced after this
	sweepRetry    = 30 * time.Second // until a school whose database did not answer is checked
	outageOverlap = 5 * time.Second  // instances notice the end of an outage at different times
	recentSweep   = time.Minute      // a starting instance needs no sweep if one began within this
)

// sweeper checks every school's outbox when leases may have been lost: Redis was
// flushed or unavailable, an instance starts (the one before it may have died while
// Redis was unavailable), and every ten minutes in any case. One instance sweeps for all.
type sweeper struct {
	relay   *Relay
	leases  *leases
	log     *slog.Logger
	lockKey string // in Redis; its holder is the one that sweeps
	every   time.Duration
	rate    int
	due     chan struct{}

	mu         sync.Mutex
	generation *time.Time // when the last complete sweep began
	notBefore  time.Time  // a sweep that began before this does not count
	last       Sweep      // the last sweep of this instance
}

func newSweeper(r *Relay, o Options) *sweeper {
	return &sweeper{
		relay: r, leases: r.leases, log: o.Log, lockKey: o.Namespace + ":outbox:sweeper",
		every: o.SweepEvery, rate: o.SweepRate, due: make(chan struct{}, 1), notBefore: o.Clock().Add(-recentSweep),
	}
}

// setGeneration takes in the generation that Redis has, nil if none, and starts a sweep
// if one is due.
func (s *sweeper) setGeneration(generation *time.Time) {
	s.mu.Lock()
	s.generation = generation
	s.mu.Unlock()
	if s.isDue() {
		select {
		case s.due <- struct{}{}:
		default:
		}
	}
}

// requestSweep asks for a sweep after an outage of Redis. A sweep that another instance
// began a moment before this one noticed the end of the outage is enough.
func (s *sweeper) requestSweep(began, ended time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notBefore = ended.Add(-outageOverlap); began.After(s.notBefore) {
		s.notBefore = began
	}
}

func (s *sweeper) isDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.relay.clock()
	return s.generation == nil || s.generation.Before(s.notBefore) || now.Sub(*s.generation) > s.every
}

func (s *sweeper) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.due:
		}
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("outbox sweep failed", "error", err)
		}
		select { // another instance may be sweeping: try again in a while
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// sweep adds a pending row for every school with facts in its outbox. The generation is
// set only at the end, so a sweep that was cut short is repeated by some instance.
func (s *sweeper) sweep(ctx context.Context) error {
	locked, err := s.lock(ctx)
	if err != nil || !locked {
		return err
	}
	defer s.unlock(ctx)
	generation, err := s.readGeneration(ctx)
	if err != nil {
		return err
	}
	if s.setGeneration(generation); !s.isDue() { // another instance has just finished one
		return nil
	}
	began := s.relay.clock()
	if err := s.beginGeneration(ctx, began); err != nil {
		return err
	}
	var ids []uuid.UUID
	if err := s.relay.schools.EachID(ctx, func(id uuid.UUID) error { ids = append(ids, id); return nil }); err != nil {
		return fmt.Errorf("listing schools: %w", err)
	}
	found := Sweep{At: began}
	renewed := time.Now()
	pace := time.NewTicker(max(time.Second/time.Duration(s.rate), time.Microsecond))
	defer pace.Stop()
	for _, id := range ids {
		if err := s.sweepSchool(ctx, id, &found); err != nil {
			return err
		}
		if time.Since(renewed) > lockTTL/3 {
			if err := s.renewLock(ctx); err != nil {
				return err
			}
			renewed = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pace.C:
		}
	}
	if err := s.completeGeneration(ctx, began); err != nil {
		return err
	}
	s.mu.Lock()
	s.last = found
	s.mu.Unlock()
	s.setGeneration(&began)
	level := slog.LevelDebug
	if found.Schools > 0 {
		level = slog.LevelInfo
	}
	s.log.Log(ctx, level, "outbox sweep finished", "schools", len(ids), "waiting", found.Schools)
	return nil
}

// sweepSchool adds a pending row for the school if its outbox has facts. A school whose
// database does not answer gets one for later, so that one node's outage does not hold
// up the rest.
func (s *sweeper) sweepSchool(ctx context.Context, id uuid.UUID, found *Sweep) error {
	var counted outboxCount
	txCtx, cancel := context.WithTimeout(ctx, batchBudget)
	defer cancel()
	err := s.relay.schools.Tx(txCtx, id, func(tx *gorm.DB) error { return tx.Raw(countSQL).Scan(&counted).Error })
	switch {
	case errors.Is(err, ErrGone):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.log.Warn("sweeping an outbox failed", "school", id, "error", err)
		later := s.relay.clock().Add(sweepRetry)
		counted.Soonest = &later
	case counted.Soonest == nil:
		return nil
	}
	found.add(counted)
	added, err := s.leases.ack(ctx, id, counted.Soonest, nil)
	s.relay.scheduler.trackPending(id, added, counted.Soonest)
	return err
}

// lastOwn is the last complete sweep, if this instance made it.
func (s *sweeper) lastOwn() *Sweep {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == nil || s.last.At.UnixMicro() != s.generation.UnixMicro() {
		return nil
	}
	last := s.last
	return &last
}
