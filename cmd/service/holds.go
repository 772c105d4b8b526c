package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/library"
	"homeroom/tenancy"
)

// holdsRound lets the libraries' queues move on at night.
type holdsRound struct{}

func (holdsRound) kind() string         { return "library-holds" }
func (holdsRound) every() time.Duration { return time.Hour }

func (holdsRound) turn(s *Service, school *tenancy.School) bool {
	return s.current(school) && s.asleep(school)
}

func (holdsRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	return s.EndHolds(ctx, school)
}

// EndHolds ends what the library kept for people who did not come.
func (s *Service) EndHolds(ctx context.Context, id uuid.UUID) error {
	school, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return err
	}
	if ended, err := library.AnyHoldEnded(db, api.DateOf(s.now().In(school.Location()))); err != nil || !ended {
		return err
	}
	return s.Kernel.Work(ctx, id, "library holds", library.EndHolds)
}
