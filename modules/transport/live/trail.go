package live

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

const (
	// longestTrail is how many positions are read at once: a trip of hours.
	longestTrail = 5000

	thinAfter = 30 // days
	goneAfter = 90
)

// storeTrail writes the positions that are not in the trail yet, and returns how many they were.
func storeTrail(db *gorm.DB, positions []*Position) (int, error) {
	n := len(positions)
	trips, ats, received := make([]uuid.UUID, n), make([]time.Time, n), make([]time.Time, n)
	lats, lngs, speeds, headings := make([]float64, n), make([]float64, n), make([]float32, n), make([]float32, n)
	for i, p := range positions {
		trips[i], ats[i], received[i] = p.TripID, p.At, p.ReceivedAt
		lats[i], lngs[i], speeds[i], headings[i] = p.Lat, p.Lng, float32(p.Speed), float32(p.Heading)
	}
	var stored int
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `with new as (
			insert into location (trip_id, at, lat, lng, speed, heading, received_at)
			select * from unnest($1::uuid[], $2::timestamptz[], $3::float8[], $4::float8[], $5::real[], $6::real[], $7::timestamptz[])
			on conflict (trip_id, at) do nothing returning 1)
		select count(*) from new`, Args: []any{trips, ats, lats, lngs, speeds, headings, received}, Scan: tenancy.One(&stored)})
	return stored, err
}

// EndOfTrail is the newest position of a trip's trail; nil is none.
func EndOfTrail(db *gorm.DB, trip uuid.UUID) (*Position, error) {
	return first(
		db.Raw(`select trip_id, lat, lng, speed, heading, at, received_at from location where trip_id = ? order by at desc limit 1`, trip),
	)
}

// trailBefore is the last position of a trip's trail before a moment; nil is none.
func trailBefore(db *gorm.DB, trip uuid.UUID, at time.Time) (*Position, error) {
	return first(db.Raw(`select lat, lng, at from location where trip_id = ? and at < ? order by at desc limit 1`, trip, at))
}

func first(query *gorm.DB) (*Position, error) {
	var found []Position
	if err := query.Scan(&found).Error; err != nil {
		return nil, fmt.Errorf("reading a trail: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// trailBetween is a trip's positions after one moment and before another, oldest first.
func (t *Tracker) trailBetween(ctx context.Context, school, trip uuid.UUID, after, before time.Time) ([]Position, error) {
	_, db, err := t.Schools.Open(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return nil, err
	}
	var found []Position
	err = db.Raw(`select lat, lng, speed, heading, at from location where trip_id = ? and at > ? and at < ? order by at limit ?`,
		trip, after, before, longestTrail).Scan(&found).Error
	return found, err
}

// ThinTrails keeps one position a minute of trips older than a month, and none of those
// older than three. Each day is thinned once.
func ThinTrails(db *gorm.DB, today api.Date) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tenancy.Pipeline(
			tx,
			tenancy.Query{
				SQL:  `delete from location l using trip t where t.id = l.trip_id and t.trip_date < $1`,
				Args: []any{today.AddDays(-goneAfter)},
			},
			tenancy.Query{
				SQL: `delete from location l using trip t, school_setting s where t.id = l.trip_id and t.trip_date < $1 and t.trip_date >=
					coalesce(s.trails_thinned_to, '-infinity'::date)
				and exists (select from location k where k.trip_id = l.trip_id and k.at >= date_trunc('minute', l.at) and k.at < l.at)`,
				Args: []any{today.AddDays(-thinAfter)},
			},
			tenancy.Query{SQL: `update school_setting set trails_thinned_to = $1`, Args: []any{today.AddDays(-thinAfter)}},
		)
		if err != nil {
			return fmt.Errorf("thinning trails: %w", err)
		}
		return nil
	})
}
