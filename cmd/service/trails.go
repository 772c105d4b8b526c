package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/tenancy"
)

// trailsRound thins the buses' old trails.
type trailsRound struct{}

func (trailsRound) kind() string         { return "thin-trails" }
func (trailsRound) every() time.Duration { return 24 * time.Hour }

func (trailsRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (trailsRound) work(ctx context.Context, s *Service, id uuid.UUID) error {
	school, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return err
	}
	return transport.ThinTrails(db, api.DateOf(s.now().In(school.Location())))
}
