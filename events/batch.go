package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// batchBudget is the time after which a batch begins no further fact. With the
	// factTimeout of its last fact a batch stays below the 30 s after which Postgres ends
	// an idle transaction.
	batchBudget  = 5 * time.Second
	factTimeout  = 20 * time.Second
	batchTimeout = 29 * time.Second
	// maxAfterDelay is the time after which a batch is committed if a listener has called
	// After: a message to be sent does not wait for all facts of the batch.
	maxAfterDelay = 50 * time.Millisecond
)

// batch is a number of a school's due facts that are published in one transaction.
type batch struct {
	relay  *Relay
	school uuid.UUID

	done        []uuid.UUID // processed by all their listeners
	independent []uuid.UUID // those of them whose listeners did not use the transaction
	failed      []failure
	after       []func() // called once the transaction is committed
}

// batchResult is what a batch did and what is left in the outbox.
type batchResult struct {
	published int
	failed    int
	busy      bool       // another instance is publishing this school's facts
	next      *time.Time // when the next fact is due; nil: the outbox is empty
}

// publishBatch claims a batch of due facts, publishes them one by one in order, and
// deletes those that all their listeners processed. The facts stay locked meanwhile.
func (r *Relay) publishBatch(ctx context.Context, school uuid.UUID) (batchResult, error) {
	b := &batch{relay: r, school: school}
	var result batchResult
	var broken error
	// A stop must not interrupt a batch, so only its timeout does.
	txCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()
	err := r.schools.Tx(txCtx, school, func(tx *gorm.DB) error {
		rows, err := r.claim(tx, school)
		if err != nil {
			return err
		}
		result = batchResult{busy: !rows[0].Locked, next: rows[0].Soonest}
		if rows[0].ID == nil {
			// A fact that is due and was not claimed is locked by something else than a relay.
			result.busy = result.busy || (result.next != nil && !result.next.After(r.clock()))
			return nil
		}
		if broken = b.publish(ctx, tx, rows); broken != nil {
			return broken
		}
		result.published, result.failed = len(b.done), len(b.failed)
		result.next, err = recordBatch(tx, b.done, b.failed)
		return err
	})
	if broken != nil {
		err = errors.Join(err, b.recordBroken(ctx))
	}
	if err != nil {
		return batchResult{}, fmt.Errorf("publishing the facts of school %s: %w", school, err)
	}
	for _, f := range b.after {
		f()
	}
	return result, nil
}

// publish publishes the facts until the batch's budget is used up or a stop is
// requested. It returns an error only when the transaction broke.
func (b *batch) publish(ctx context.Context, tx *gorm.DB, rows []claimedFact) error {
	t := &batchTx{ctx: tx.Statement.Context, tx: tx, listenerTimeout: b.relay.listenerTimeout}
	began := time.Now()
	defer func() { b.after = t.after }()
	for i, c := range rows {
		spent := time.Since(began)
		if spent > batchBudget || (len(t.after) > 0 && spent > maxAfterDelay) || ctx.Err() != nil || (i > 0 && c.needsOwnBatch()) {
			return nil
		}
		b.publishOne(t, c)
		if t.broken != nil {
			return t.broken
		}
		if c.needsOwnBatch() {
			return nil
		}
	}
	return nil
}

func (b *batch) publishOne(t *batchTx, c claimedFact) {
	h := Heard{ID: *c.ID, SchoolID: b.school, Kind: c.Kind, Payload: []byte(c.Payload), OccurredAt: c.OccurredAt}
	err := b.relay.bus.publish(t, h)
	b.relay.onPublished(max(b.relay.clock().Sub(c.NextAt), 0), err == nil)
	if err == nil {
		b.done = append(b.done, h.ID)
		if !t.used {
			b.independent = append(b.independent, h.ID)
		}
		return
	}
	if t.broken != nil {
		err = fmt.Errorf(brokeTransaction+"%w", err)
	}
	delay := retryIn(c.Attempts + 1)
	b.relay.log.Warn("publishing a fact failed", "school", b.school, "fact", h.ID, "kind", h.Kind,
		"attempts", c.Attempts+1, "retry_in", delay, "error", err)
	b.failed = append(b.failed, failure{id: h.ID, nextAt: b.relay.clock().Add(delay), text: errorText(err)})
}

// recordBroken records the results of a batch whose transaction broke in a new one:
// otherwise the fact that broke it would be the first of the next batch and break that
// too. Facts whose listeners wrote into the broken transaction are published again.
func (b *batch) recordBroken(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchBudget)
	defer cancel()
	return b.relay.schools.Tx(ctx, b.school, func(tx *gorm.DB) error {
		_, err := recordBatch(tx, b.independent, b.failed)
		return err
	})
}
