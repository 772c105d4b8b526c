package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gorm.io/gorm"
)

// batchTx is the transaction in which a batch is published. It holds the facts' locks.
type batchTx struct {
	ctx             context.Context
	tx              *gorm.DB
	listenerTimeout time.Duration

	used   bool  // a listener of the current fact used the transaction
	broken error // why the transaction can no longer be used
	after  []func()
}

// savepoint is one listener's part of a batch's transaction, for one fact. It is begun
// when the listener first asks for the database.
type savepoint struct {
	tx *gorm.DB

	mu      sync.Mutex
	used    bool // the listener used the database
	over    bool
	refused error // why Postgres did not keep what the listener wrote
	after   []func()
}

type savepointKey struct{}

var errNoListener = errors.New("events: the school's database is only open to a listener while it is called")

// DB is the school's database for a listener, in the transaction that deletes the
// fact from the outbox: what the listener writes is committed together with that, and
// undone if this listener fails. It needs no second connection; with small pools, two
// schools that each wait for one would deadlock.
func DB(ctx context.Context) (*gorm.DB, error) {
	s, ok := ctx.Value(savepointKey{}).(*savepoint)
	if !ok {
		return nil, errNoListener
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, errNoListener
	}
	db := s.tx.WithContext(ctx)
	if !s.used {
		s.used = true
		if err := db.Exec("savepoint listener").Error; err != nil {
			return nil, fmt.Errorf("events: beginning a listener's savepoint: %w", err)
		}
	}
	return db, nil
}

// After calls f once the listener's writes are committed. It is best effort: if the
// process dies in between, f is not called. f must not block.
func After(ctx context.Context, f func()) {
	s, ok := ctx.Value(savepointKey{}).(*savepoint)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.after = append(s.after, f)
	}
}

// end keeps or undoes what the listener wrote. It returns an error only when the
// whole transaction is lost: the connection broke, or the listener has not returned
// and may still be using it.
func (s *savepoint) end(err error, returned bool) (broken error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if !s.used {
		return nil
	}
	if !returned {
		return errors.New("a listener that did not return holds the transaction")
	}
	if err == nil {
		// The listener may have ignored an error of Postgres, which then refuses this.
		if s.refused = s.tx.Exec("release savepoint listener").Error; s.refused == nil {
			return nil
		}
	}
	if err := s.tx.Exec("rollback to savepoint listener").Error; err != nil {
		return fmt.Errorf("rolling back a listener's savepoint: %w", err)
	}
	return nil
}
