package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// A batch begins no further fact after batchTime, and gives one fact factTime at
// most: together they stay below the 30 s after which Postgres ends an idle
// transaction.
const (
	batchTime = 5 * time.Second
	factTime  = 20 * time.Second
	batchEnd  = 29 * time.Second
	// What a listener wants done afterwards, a message to be sent, does not wait longer
	// than this for the facts behind it: the batch is committed, and the next one begins.
	afterTime = 50 * time.Millisecond
)

// batch is one look into a school's outbox.
type batch struct {
	relay  *Relay
	school uuid.UUID

	done   []uuid.UUID // heard by all
	free   []uuid.UUID // those of them whose listeners left the transaction alone
	failed []failure
	after  []func() // what listeners want done once the transaction is committed
}

// outcome is what a look into a school's outbox found.
type outcome struct {
	told   int
	failed int
	busy   bool       // another instance is at work on this school
	next   *time.Time // when the next fact is due; nil: the outbox is empty
}

// tellBatch takes a batch of due facts, tells them one by one in order, and
// removes those that all their listeners heard. The facts stay locked meanwhile.
func (r *Relay) tellBatch(ctx context.Context, school uuid.UUID) (outcome, error) {
	b := &batch{relay: r, school: school}
	var out outcome
	var broken error
	// A stop must not tear a batch apart, so only time ends it.
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchEnd)
	defer cancel()
	err := r.schools.Tx(work, school, func(tx *gorm.DB) error {
		rows, err := r.claim(tx, school)
		if err != nil {
			return err
		}
		out = outcome{busy: !rows[0].Mine, next: rows[0].Soonest}
		if rows[0].ID == nil {
			// Due, but locked by a stranger to the relay: not ours to hurry.
			out.busy = out.busy || (out.next != nil && !out.next.After(r.clock()))
			return nil
		}
		if broken = b.tell(ctx, tx, rows); broken != nil {
			return broken
		}
		out.told, out.failed = len(b.done), len(b.failed)
		out.next, err = record(tx, b.done, b.failed)
		return err
	})
	if broken != nil {
		err = errors.Join(err, b.salvage(ctx))
	}
	if err != nil {
		return outcome{}, fmt.Errorf("telling the facts of school %s: %w", school, err)
	}
	for _, f := range b.after {
		f()
	}
	return out, nil
}

// tell tells the facts until the batch's time is over or a stop is asked for. It
// answers an error only when the transaction broke.
func (b *batch) tell(ctx context.Context, tx *gorm.DB, rows []claimed) error {
	t := &telling{ctx: tx.Statement.Context, tx: tx, limit: b.relay.listenerTime}
	began := time.Now()
	defer func() { b.after = t.after }()
	for i, c := range rows {
		spent := time.Since(began)
		if spent > batchTime || (len(t.after) > 0 && spent > afterTime) || ctx.Err() != nil || (i > 0 && c.alone()) {
			return nil
		}
		b.tellOne(t, c)
		if t.broken != nil {
			return t.broken
		}
		if c.alone() {
			return nil
		}
	}
	return nil
}

func (b *batch) tellOne(t *telling, c claimed) {
	h := Heard{ID: *c.ID, SchoolID: b.school, Kind: c.Kind, Payload: []byte(c.Payload), OccurredAt: c.OccurredAt}
	err := b.relay.bus.tell(t, h)
	b.relay.told(max(b.relay.clock().Sub(c.NextAt), 0), err == nil)
	if err == nil {
		b.done = append(b.done, h.ID)
		if !t.touched {
			b.free = append(b.free, h.ID)
		}
		return
	}
	if t.broken != nil {
		err = fmt.Errorf(brokeTransaction+"%w", err)
	}
	rest := retryIn(c.Attempts + 1)
	b.relay.log.Warn("a fact was not heard by all", "school", b.school, "fact", h.ID, "kind", h.Kind,
		"attempts", c.Attempts+1, "again_in", rest, "error", err)
	b.failed = append(b.failed, failure{id: h.ID, nextAt: b.relay.clock().Add(rest), text: storable(err)})
}

// salvage records, in a transaction of its own, what a broken one can no longer:
// else the fact that broke it would be first in line again, and would break the
// next. Facts whose listeners wrote into the broken transaction are told again.
func (b *batch) salvage(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTime)
	defer cancel()
	return b.relay.schools.Tx(ctx, b.school, func(tx *gorm.DB) error {
		_, err := record(tx, b.free, b.failed)
		return err
	})
}
