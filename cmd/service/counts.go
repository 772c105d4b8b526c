package service

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/modules/school"
	"homeroom/tenancy"
)

// countRound counts what there is at schools, for the overview of all of them. A school
// that nobody asked anything since it was last counted has not changed.
type countRound struct{}

func (countRound) kind() string         { return "count-schools" }
func (countRound) every() time.Duration { return 15 * time.Minute }

func (countRound) turn(s *Service, school *tenancy.School) bool { return s.current(school) }

func (countRound) work(ctx context.Context, s *Service, id uuid.UUID) error {
	// Numbers of requests are of whole hours, and written down a moment late.
	var changed bool
	err := s.Cluster.PlatformPool().QueryRow(ctx, `select not exists (select from platform.school_count c where c.school_id = $1 and not exists (
		select from platform.traffic_hour t where t.school_id = $1 and t.at >= date_trunc('hour', c.counted_at - interval '1 minute')))`, id).Scan(&changed)
	if err != nil {
		return fmt.Errorf("asking whether a school has changed: %w", err)
	}
	if !changed {
		return nil
	}
	return s.CountSchool(ctx, id)
}

// CountSchool counts one school for the overview now.
func (s *Service) CountSchool(ctx context.Context, id uuid.UUID) error {
	found, err := s.Registry.School(ctx, id)
	if err != nil {
		return err
	}
	return school.Recount(ctx, s.Cluster, found, s.now())
}
