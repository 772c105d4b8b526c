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
	sweepLease = 15 * time.Second // a sweeper that died is replaced after this
	sweepRetry = 30 * time.Second // when a school whose database did not answer is looked at
	overlap    = 5 * time.Second  // instances notice an outage's end at different moments
	recent     = time.Minute      // a starting instance is content with a sweep as young as this
)

// sweeper looks into every school's outbox when marks may have been lost: Redis
// was flushed or away, an instance starts (the one before it may have died while
// Redis was away), and every ten minutes in any case. One instance sweeps for all.
type sweeper struct {
	relay *Relay
	marks *marks
	log   *slog.Logger
	lease string
	every time.Duration
	rate  int
	check chan struct{}

	mu    sync.Mutex
	epoch *time.Time // when the last complete sweep began
	after time.Time  // a sweep that began before this will not do
	last  Swept      // the last one this instance made
}

func newSweeper(r *Relay, o Options) *sweeper {
	return &sweeper{
		relay: r, marks: r.marks, log: o.Log, lease: o.Namespace + ":outbox:sweeper",
		every: o.SweepEvery, rate: o.SweepRate, check: make(chan struct{}, 1), after: o.Clock().Add(-recent),
	}
}

// saw takes in the epoch the poll found, nil if none.
func (s *sweeper) saw(epoch *time.Time) {
	s.mu.Lock()
	s.epoch = epoch
	s.mu.Unlock()
	if s.wanted() {
		select {
		case s.check <- struct{}{}:
		default:
		}
	}
}

// doubt asks for a sweep after an outage of Redis. One that another instance began
// a moment before this one noticed the end of the outage will do.
func (s *sweeper) doubt(began, ended time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after = ended.Add(-overlap); began.After(s.after) {
		s.after = began
	}
}

func (s *sweeper) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.relay.clock()
	return s.epoch == nil || s.epoch.Before(s.after) || now.Sub(*s.epoch) > s.every
}

func (s *sweeper) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.check:
		}
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the sweep of all outboxes did not finish", "error", err)
		}
		select { // another instance may be at it: ask again in a while
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// sweep notes in Redis every school with facts in its outbox. The epoch is set
// only at the end, so a sweep that was cut short is made again by somebody.
func (s *sweeper) sweep(ctx context.Context) error {
	mine, err := s.takeLease(ctx)
	if err != nil || !mine {
		return err
	}
	defer s.dropLease(ctx)
	epoch, err := s.readEpoch(ctx)
	if err != nil {
		return err
	}
	if s.saw(epoch); !s.wanted() { // someone finished just before
		return nil
	}
	began := s.relay.clock()
	if err := s.start(ctx, began); err != nil {
		return err
	}
	var ids []uuid.UUID
	if err := s.relay.schools.EachID(ctx, func(id uuid.UUID) error { ids = append(ids, id); return nil }); err != nil {
		return fmt.Errorf("listing schools: %w", err)
	}
	found := Swept{At: began}
	renewed := time.Now()
	pace := time.NewTicker(max(time.Second/time.Duration(s.rate), time.Microsecond))
	defer pace.Stop()
	for _, id := range ids {
		if err := s.visit(ctx, id, &found); err != nil {
			return err
		}
		if time.Since(renewed) > sweepLease/3 {
			if err := s.renewLease(ctx); err != nil {
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
	if err := s.finish(ctx, began); err != nil {
		return err
	}
	s.mu.Lock()
	s.last = found
	s.mu.Unlock()
	s.saw(&began)
	level := slog.LevelDebug
	if found.Schools > 0 {
		level = slog.LevelInfo
	}
	s.log.Log(ctx, level, "all outboxes were swept", "schools", len(ids), "waiting", found.Schools)
	return nil
}

// visit notes the school if facts wait there. A school whose database does not
// answer is noted for later, so that one node's outage does not hold up the rest.
func (s *sweeper) visit(ctx context.Context, id uuid.UUID, found *Swept) error {
	var there outboxCount
	look, cancel := context.WithTimeout(ctx, batchBudget)
	defer cancel()
	err := s.relay.schools.Tx(look, id, func(tx *gorm.DB) error { return tx.Raw(countSQL).Scan(&there).Error })
	switch {
	case errors.Is(err, ErrGone):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.log.Warn("an outbox could not be swept", "school", id, "error", err)
		later := s.relay.clock().Add(sweepRetry)
		there.Soonest = &later
	case there.Soonest == nil:
		return nil
	}
	found.add(there)
	noted, err := s.marks.settle(ctx, id, there.Soonest, nil)
	s.relay.docket.noted(id, noted, there.Soonest)
	return err
}
