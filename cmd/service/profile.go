package service

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/modules/setting"
	"homeroom/tenancy"
)

// followProfiles keeps the platform's records of the schools in step with what these say
// of themselves: name, time zone, currency and the like belong to the school, and every
// request finds them in the registry.
func (s *Service) followProfiles() {
	s.Bus.On(setting.ProfileChanged, "platform", func(ctx context.Context, h events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		_, err = s.followProfile(ctx, db, h.SchoolID)
		return err
	})
}

func (s *Service) followProfile(ctx context.Context, db *gorm.DB, id uuid.UUID) (changed bool, err error) {
	return setting.Follow(db, func(p tenancy.Profile) (bool, error) { return s.Cluster.Describe(ctx, id, p) })
}

// HealProfile compares a school's own words with the platform's record and mends the
// record: a fact that was lost costs a day, and nothing else.
func (s *Service) HealProfile(ctx context.Context, id uuid.UUID) (mended bool, err error) {
	school, err := readySchools{s}.School(ctx, id)
	if err != nil || school.SchemaVersion < s.Cluster.SchoolVersion() {
		return false, err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return false, err
	}
	return s.followProfile(ctx, db, id)
}
