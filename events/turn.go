package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gorm.io/gorm"
)

// telling is one batch being told: its transaction, which holds the facts' locks.
type telling struct {
	ctx   context.Context
	tx    *gorm.DB
	limit time.Duration // for one listener

	touched bool  // a listener of the present fact used the transaction
	broken  error // why the transaction can no longer be used
	after   []func()
}

// turn is one listener hearing one fact.
type turn struct {
	tx *gorm.DB

	mu      sync.Mutex
	used    bool // the listener asked for the database
	over    bool
	refused error // why Postgres did not keep what the listener wrote
	after   []func()
}

type turnKey struct{}

var errNoTurn = errors.New("events: the school's database is for a listener while it hears a fact")

// DB is the school's database for a listener, in the transaction that takes the
// fact out of the outbox: what the listener writes is committed with the fact's
// leaving, and undone if this listener fails. It also spares a second connection,
// which with small pools would mean two schools waiting for each other.
func DB(ctx context.Context) (*gorm.DB, error) {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		return nil, errNoTurn
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, errNoTurn
	}
	db := t.tx.WithContext(ctx)
	if !t.used {
		t.used = true
		if err := db.Exec("savepoint listener").Error; err != nil {
			return nil, fmt.Errorf("events: beginning a listener's part: %w", err)
		}
	}
	return db, nil
}

// After has f called once what the listener wrote is committed. It is a convenience,
// not a promise: a process that dies in between calls nothing. f must not block.
func After(ctx context.Context, f func()) {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.after = append(t.after, f)
	}
}

// end keeps or undoes what the listener wrote. It answers an error only when the
// transaction as a whole is lost: the connection broke, or a listener that would
// not end may still be using it.
func (t *turn) end(err error, returned bool) (broken error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if !t.used {
		return nil
	}
	if !returned {
		return errors.New("a listener that would not end holds the transaction")
	}
	if err == nil {
		// A listener may have swallowed an error of Postgres, which then refuses this.
		if t.refused = t.tx.Exec("release savepoint listener").Error; t.refused == nil {
			return nil
		}
	}
	if err := t.tx.Exec("rollback to savepoint listener").Error; err != nil {
		return fmt.Errorf("undoing a listener's part: %w", err)
	}
	return nil
}
