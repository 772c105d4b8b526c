package events

import (
	"context"
	"errors"
	"time"
)

// work checks one school after the other, a batch at a time: a school with a long
// outbox goes back to the end of the queue after each batch.
func (r *Relay) work(ctx context.Context) {
	for {
		j, ok := r.scheduler.take(ctx)
		if !ok {
			return
		}
		r.scheduler.finish(j, r.check(ctx, j), time.Now())
	}
}

// check publishes a batch of the school's due facts and, once none are left, removes
// its leases from Redis.
func (r *Relay) check(ctx context.Context, j job) (c checkResult) {
	c.batchResult, c.err = r.publishBatch(ctx, j.school)
	if errors.Is(c.err, ErrGone) {
		c = checkResult{} // as an empty outbox: the leases are removed
	}
	if c.err != nil {
		r.log.Warn("checking an outbox failed", "school", j.school, "error", c.err)
		return c
	}
	if c.next != nil {
		c.dueIn = c.next.Sub(r.clock())
	}
	if !c.busy && (c.next == nil || c.dueIn > 0) {
		added, err := r.leases.ack(ctx, j.school, c.next, j.ack)
		c.acked, c.pendingAdded = err == nil, added
	}
	return c
}

// poll reads from Redis which schools to check: one call each time, however many
// schools there are.
func (r *Relay) poll(ctx context.Context) {
	var offset int64
	var failingSince time.Time
	every(ctx, r.pollEvery, func() {
		now := r.clock()
		page, generation, full, err := r.leases.due(ctx, now.UnixMicro(), offset)
		if err != nil {
			offset = 0
			if failingSince.IsZero() {
				failingSince = now
			}
			return
		}
		if !failingSince.IsZero() {
			// Another instance may have died with leases that Redis did not store.
			r.sweeper.requestSweep(failingSince, now)
			failingSince = time.Time{}
		}
		if offset == 0 {
			r.sweeper.setGeneration(generation)
		}
		r.scheduler.observe(page, !full, time.Now())
		if offset += pageSize; !full {
			offset = 0
		}
		for school, score := range r.scheduler.unsavedLeases() {
			if r.leases.put(ctx, school, score) != nil {
				return
			}
			r.scheduler.dropUnsavedLease(school, score)
		}
	})
}
