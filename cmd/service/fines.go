package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/tenancy"
)

// finesFrom and finesTo are the hours of the school's night in which its day is run: three
// chances, after which the next day catches up. Schools that sleep are not looked at all day.
const finesFrom, finesTo = 1, 3

// finesRound posts the late fines of the schools' day. A school whose day was done is
// left alone, so that the round may come as often as it likes.
type finesRound struct{}

func (finesRound) kind() string         { return "late-fines" }
func (finesRound) every() time.Duration { return time.Hour }

func (finesRound) turn(s *Service, school *tenancy.School) bool {
	hour := s.now().In(school.Location()).Hour()
	return school.Status == tenancy.Active && finesFrom <= hour && hour <= finesTo
}

func (finesRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	_, err := s.FineLate(ctx, school)
	return err
}

// FineSleeping posts the late fines of the schools where it is night, in the order of
// their ids after the one given, until a moment. It says how far it came.
func (s *Service) FineSleeping(ctx context.Context, after uuid.UUID, until time.Time) (last uuid.UUID, done bool, err error) {
	return s.goRound(ctx, finesRound{}, after, until)
}

// FineLate posts a school's late fines for the day it is there, once, and says how many.
func (s *Service) FineLate(ctx context.Context, id uuid.UUID) (int64, error) {
	school, err := s.Registry.School(ctx, id)
	if err != nil || !s.current(school) {
		return 0, err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return 0, err
	}
	now := s.now()
	return fee.FineLate(db, api.DateOf(now.In(school.Location())), now)
}
