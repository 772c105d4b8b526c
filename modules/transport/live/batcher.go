package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// flushAfter is how long a position waits for others to be written with.
	flushAfter = 100 * time.Millisecond
	// flushRows is how many do not wait.
	flushRows = 500
	// writeTime bounds one write.
	writeTime = 10 * time.Second
)

// pendingPosition is a position that is not in the trail yet. done is called when it is,
// or cannot be.
type pendingPosition struct {
	*Position
	done func(error)
}

// batcher gathers a school's positions and writes them together.
type batcher struct {
	school  uuid.UUID
	schools api.Opener
	counts  *positionCounts

	mu      sync.Mutex
	pending []pendingPosition
	timer   *time.Timer
	writing sync.Mutex
}

func (b *batcher) add(p pendingPosition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, p)
	switch len(b.pending) {
	case 1:
		b.timer = time.AfterFunc(flushAfter, b.flush)
	case flushRows:
		if b.timer.Stop() {
			go b.flush()
		}
	}
}

// flush writes what is pending. What comes meanwhile waits for the next flush.
func (b *batcher) flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	batch := b.pending
	b.pending = nil
	b.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	err := b.write(ctx, batch)
	b.counts.wrote(len(batch), err)
	for _, p := range batch {
		p.done(err)
	}
}

var trailColumns = []string{"trip_id", "at", "lat", "lng", "speed", "heading", "received_at"}

func (b *batcher) write(ctx context.Context, batch []pendingPosition) error {
	_, db, err := b.schools.Open(ctx, b.school, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	err = db.Transaction(func(tx *gorm.DB) error {
		return tenancy.Copy(tx, "location", trailColumns, len(batch), func(i int) ([]any, error) {
			p := batch[i].Position
			return []any{p.TripID, p.At, p.Lat, p.Lng, float32(p.Speed), float32(p.Heading), p.ReceivedAt}, nil
		})
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" { // some were written before: COPY fails as a whole
		positions := make([]*Position, len(batch))
		for i, p := range batch {
			positions[i] = p.Position
		}
		_, err = storeTrail(db, positions)
	}
	if err != nil {
		return fmt.Errorf("writing a trail: %w", err)
	}
	return nil
}
