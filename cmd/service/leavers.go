package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// leaversRound lets students go whose last day is over, in the night after it.
type leaversRound struct{}

func (leaversRound) kind() string         { return "let-students-leave" }
func (leaversRound) every() time.Duration { return time.Hour }

func (leaversRound) turn(s *Service, school *tenancy.School) bool {
	return s.current(school) && s.asleep(school)
}

func (leaversRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	_, err := s.LeaveDue(ctx, school)
	return err
}

// LeaveDue lets a school's students go whose last day is over, and says how many.
func (s *Service) LeaveDue(ctx context.Context, id uuid.UUID) (int64, error) {
	school, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return 0, err
	}
	now := s.now()
	return roster.LeaveDue(db, api.DateOf(now.In(school.Location())), now)
}
