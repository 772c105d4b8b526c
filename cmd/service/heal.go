package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
)

// healRound compares the schools' users with the directory, and mends what a crash
// between the two left apart.
type healRound struct{}

func (healRound) kind() string         { return "heal-directory" }
func (healRound) every() time.Duration { return 24 * time.Hour }

func (healRound) turn(_ *Service, school *tenancy.School) bool {
	return school.Status != tenancy.Provisioning
}

func (healRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	mended, err := s.Auth.Heal(ctx, school)
	if err == nil && mended > 0 {
		s.Log.Warn("the directory differed from a school and was mended", "schoolId", school, "entries", mended)
	}
	return err
}
