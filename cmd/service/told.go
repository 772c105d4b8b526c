package service

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/delivery"
	"homeroom/tenancy"
)

// toldRound takes away what people were told long ago.
type toldRound struct{}

func (toldRound) kind() string         { return "clear-told" }
func (toldRound) every() time.Duration { return 24 * time.Hour }

func (toldRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (toldRound) open(ctx context.Context, s *Service) error { return s.ClearPlatform(ctx) }

func (toldRound) work(ctx context.Context, s *Service, school uuid.UUID) error {
	return s.ClearTold(ctx, school)
}

// ClearTold takes a school's old messages, notices and read notifications away.
func (s *Service) ClearTold(ctx context.Context, id uuid.UUID) error {
	_, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return err
	}
	return delivery.Clear(ctx, db, s.daysAgo(s.Config.KeepMessages), s.daysAgo(s.Config.KeepNotifications))
}

// ClearPlatform takes the platform's own old messages and dead letters away.
func (s *Service) ClearPlatform(ctx context.Context) error {
	return s.Sender.ClearPlatform(ctx, s.daysAgo(s.Config.KeepMessages))
}

func (s *Service) daysAgo(n int) time.Time { return s.now().AddDate(0, 0, -n) }
