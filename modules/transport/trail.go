package transport

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

// track is a position of a trip, and who wants to know that it was written.
type track struct {
	trip     uuid.UUID
	point    Point
	received time.Time
	done     func(error)
}

// trail gathers a school's positions and writes them together.
type trail struct {
	school  uuid.UUID
	schools api.Opener
	counts  *positionCounts

	mu      sync.Mutex
	waiting []track
	timer   *time.Timer
	writing sync.Mutex
}

// add puts a position down; its done is called when it is in the database, or cannot be.
func (t *trail) add(tr track) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, tr)
	switch len(t.waiting) {
	case 1:
		t.timer = time.AfterFunc(flushAfter, t.flush)
	case flushRows:
		if t.timer.Stop() {
			go t.flush()
		}
	}
}

// flush writes what waits. What comes meanwhile is the next write's.
func (t *trail) flush() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	rows := t.waiting
	t.waiting = nil
	t.mu.Unlock()
	if len(rows) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	err := t.write(ctx, rows)
	t.counts.wrote(len(rows), err)
	for _, r := range rows {
		if r.done != nil {
			r.done(err)
		}
	}
}

var trailColumns = []string{"trip_id", "at", "lat", "lng", "speed", "heading", "received_at"}

func (t *trail) write(ctx context.Context, rows []track) error {
	_, db, err := t.schools.Open(ctx, t.school, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	err = db.Transaction(func(tx *gorm.DB) error {
		return tenancy.Copy(tx, "location", trailColumns, len(rows), func(i int) ([]any, error) { return rows[i].values(), nil })
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" { // some were written before: COPY has no mercy
		err = insertTrail(db, rows)
	}
	if err != nil {
		return fmt.Errorf("writing a trail: %w", err)
	}
	return nil
}

func (r track) values() []any {
	return []any{r.trip, r.point.At, r.point.Lat, r.point.Lng, float32(r.point.Speed), float32(r.point.Heading), r.received}
}

// insertTrail writes the positions that are not there yet.
func insertTrail(db *gorm.DB, rows []track) error {
	_, err := storeTrail(db, rows)
	return err
}

// storeTrail is insertTrail that says how many were new.
func storeTrail(db *gorm.DB, rows []track) (int, error) {
	n := len(rows)
	trips, ats, received := make([]uuid.UUID, n), make([]time.Time, n), make([]time.Time, n)
	lats, lngs, speeds, headings := make([]float64, n), make([]float64, n), make([]float32, n), make([]float32, n)
	for i, r := range rows {
		trips[i], ats[i], received[i] = r.trip, r.point.At, r.received
		lats[i], lngs[i], speeds[i], headings[i] = r.point.Lat, r.point.Lng, float32(r.point.Speed), float32(r.point.Heading)
	}
	var stored int
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `with new as (
			insert into location (trip_id, at, lat, lng, speed, heading, received_at)
			select * from unnest($1::uuid[], $2::timestamptz[], $3::float8[], $4::float8[], $5::real[], $6::real[], $7::timestamptz[])
			on conflict (trip_id, at) do nothing returning 1)
		select count(*) from new`, Args: []any{trips, ats, lats, lngs, speeds, headings, received}, Scan: tenancy.One(&stored)})
	return stored, err
}

// lastOnTrail is the newest position of a trip's trail.
func lastOnTrail(db *gorm.DB, trip uuid.UUID) (*Seen, error) {
	var found []Seen
	err := db.Raw(`select trip_id, lat, lng, speed, heading, at, received_at from location where trip_id = ? order by at desc limit 1`, trip).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("reading the end of a trail: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}
