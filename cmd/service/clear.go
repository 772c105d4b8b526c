package service

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// clearAtOnce is how many rows go in one transaction: none is locked for long.
const clearAtOnce = 5000

// clearRound removes the answers that schools kept for callers who ask again. After a
// day nobody is answered from them.
type clearRound struct{}

func (clearRound) kind() string         { return "clear-schools" }
func (clearRound) every() time.Duration { return 24 * time.Hour }

func (clearRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (clearRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	_, err := s.ClearSchool(ctx, school)
	return err
}

// ClearSchool removes a school's outdated answers, and says how many there were.
func (s *Service) ClearSchool(ctx context.Context, id uuid.UUID) (cleared int64, err error) {
	_, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return 0, err
	}
	for {
		done := db.Exec(`delete from idempotency where ctid = any(array(select ctid from idempotency where created_at < ? limit ?))`,
			s.now().Add(-24*time.Hour), clearAtOnce)
		if done.Error != nil {
			return cleared, fmt.Errorf("clearing old answers: %w", done.Error)
		}
		cleared += done.RowsAffected
		if done.RowsAffected < clearAtOnce {
			return cleared, nil
		}
	}
}
