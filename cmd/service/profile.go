package service

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
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

// profilesRound compares the schools' own words with the platform's records, and mends
// what a crash between the two left apart.
type profilesRound struct{}

func (profilesRound) kind() string         { return "heal-profiles" }
func (profilesRound) every() time.Duration { return 24 * time.Hour }

func (profilesRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (profilesRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	mended, err := s.HealProfile(ctx, school)
	if err == nil && mended {
		s.Log.Warn("the record of a school differed from its settings and was mended", "schoolId", school)
	}
	return err
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

// describe has a school say of itself what an operator says of it. One that has no tables
// yet, or never said anything, has nothing to contradict.
func (s *Service) describe(ctx context.Context, id uuid.UUID, p tenancy.Profile) error {
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
