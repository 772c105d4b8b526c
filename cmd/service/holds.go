package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/library"
)

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
