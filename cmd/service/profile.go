package service

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/setting"
	"homeroom/tenancy"
)

// adoptProfile has a school say of itself what an operator says of it. One that has no tables
// yet, or never said anything, has nothing to contradict.
func (s *Service) adoptProfile(ctx context.Context, id uuid.UUID, p tenancy.Profile) error {
	school, err := s.Cluster.FindSchool(ctx, id)
	if err != nil || school.SchemaVersion == 0 {
		return err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	if said, err := setting.Said(db); err != nil || said == nil {
		return err
	}
	if school.Status != tenancy.Active {
		return api.Conflict("Open the school again before its settings are changed")
	}
	return s.Kernel.Work(ctx, id, "describing the school", func(c api.Ctx) error { return setting.Adopt(c, p) })
}
