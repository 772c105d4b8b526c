package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/events"
	"homeroom/tenancy"
)

const insertDead = `insert into platform.dead_letter (id, school_id, channel, recipient, type, attempts, last_error, created_at, failed_at)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	on conflict (id) do update set attempts = excluded.attempts, last_error = excluded.last_error, failed_at = excluded.failed_at`

type deadRow struct {
	ID        uuid.UUID
	Channel   string
	Recipient string
	Type      string
	Attempts  int
	LastError string
	CreatedAt time.Time
}

// recordDeadLetters copies the messages that a school has given up into the platform's list.
// Those that were retried meanwhile are left out.
func (s *Sender) recordDeadLetters(ctx context.Context, h events.Heard) error {
	var failed failedDeliveries
	if err := h.Read(&failed); err != nil {
		return err
	}
	db, err := events.DB(ctx)
	if err != nil {
		return err
	}
	var dead []deadRow
	err = tenancy.Pipeline(db, tenancy.Query{SQL: `select id, channel, recipient, type, attempts, last_error, created_at from delivery
		where id = any($1) and state = 'FAILED'`,
		Args: []any{failed.IDs}, Scan: tenancy.Collect(&dead)})
	if err != nil {
		return fmt.Errorf("reading dead letters: %w", err)
	}
	return s.write(ctx, &h.SchoolID, dead, h.OccurredAt)
}

func (s *Sender) write(ctx context.Context, school *uuid.UUID, dead []deadRow, at time.Time) error {
	batch := &pgx.Batch{}
	for _, d := range dead {
		batch.Queue(insertDead, d.ID, school, d.Channel, d.Recipient, d.Type, d.Attempts, d.LastError, d.CreatedAt, at)
	}
	if err := s.Platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("writing dead letters: %w", err)
	}
	return nil
}

// Retry queues dead letters again, each once, and returns how many there were. They leave the
// list when they are queued: one that fails again comes back. Those of schools that are not
// served at present stay in it, and are counted as skipped.
func (s *Sender) Retry(ctx context.Context, ids []uuid.UUID) (queued, skipped int, err error) {
	rows, err := s.Platform.Query(ctx, `select id, school_id from platform.dead_letter where id = any($1)`, ids)
	if err != nil {
		return 0, 0, fmt.Errorf("reading dead letters: %w", err)
	}
	type letter struct {
		ID       uuid.UUID
		SchoolID *uuid.UUID
	}
	letters, err := pgx.CollectRows(rows, pgx.RowToStructByName[letter])
	if err != nil {
		return 0, 0, fmt.Errorf("reading dead letters: %w", err)
	}
	bySchool := map[uuid.UUID][]uuid.UUID{}
	for _, l := range letters {
		school := uuid.Nil
		if l.SchoolID != nil {
			school = *l.SchoolID
		}
		bySchool[school] = append(bySchool[school], l.ID)
	}
	var failed []error
	for school, ids := range bySchool {
		switch err := s.retryIn(ctx, school, ids); {
		case errors.Is(err, errNotServed):
			skipped += len(ids)
		case err != nil:
			failed = append(failed, err)
		default:
			queued += len(ids)
		}
	}
	return queued, skipped, errors.Join(failed...)
}

var errNotServed = errors.New("the school is not served at present")

// requeueSQL resets the age: a message that was given up for it has another day.
const requeueSQL = `update delivery set state = 'QUEUED', attempts = 0, next_at = $2, created_at = $2, due_at = null,
	overdue_at = null where id = any($1) and state = 'FAILED'`

func (s *Sender) retryIn(ctx context.Context, school uuid.UUID, ids []uuid.UUID) error {
	now := s.Clock()
	if school == uuid.Nil {
		_, err := s.Platform.Exec(ctx, `with again as (update platform.message set state = 'QUEUED', attempts = 0, next_at = $2, created_at = $2
			where id = any($1) and state = 'FAILED' and expires_at > $2)
			delete from platform.dead_letter where id = any($1)`, ids, now)
		if err != nil {
			return fmt.Errorf("retrying messages: %w", err)
		}
		s.wakePlatform()
		return nil
	}
	_, db, err := s.Schools.Open(ctx, school, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return errNotServed
	}
	if err != nil {
		return err
	}
	s.Outbox.Lease(ctx, school)
	err = tenancy.Pipeline(db, tenancy.Query{SQL: requeueSQL, Args: []any{ids, now}},
		tenancy.Query{SQL: watchSQL, Args: []any{now, now.Add(grace)}})
	if err != nil {
		return fmt.Errorf("retrying deliveries: %w", err)
	}
	s.Outbox.Wake(school)
	s.Wake(school)
	if _, err := s.Platform.Exec(ctx, `delete from platform.dead_letter where id = any($1)`, ids); err != nil {
		return fmt.Errorf("clearing dead letters: %w", err)
	}
	return nil
}
