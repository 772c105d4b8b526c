package service

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/tenancy"
)

const (
	trailsEvery = 24 * time.Hour
	// trailsSlice is how long one job goes through schools before it leaves the rest to the next.
	trailsSlice = 30 * time.Second
)

// trailsJob thins the buses' old trails, school after school.
type trailsJob struct {
	After uuid.UUID `json:"after"` // schools up to this one are done
}

func (trailsJob) Kind() string { return "thin-trails" }

func (trailsJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: trailsEvery}}
}

type trailsWorker struct {
	river.WorkerDefaults[trailsJob]
	s *Service
}

func (w *trailsWorker) Work(ctx context.Context, job *river.Job[trailsJob]) error {
	last, done, err := w.s.round(ctx, job.Args.After, time.Now().Add(trailsSlice), "old trails were not thinned", w.s.thinTrails)
	if err != nil || done {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, trailsJob{After: last}, nil)
	return err
}

// round does something at the active schools, in the order of their ids after the one
// given, until a moment. It says how far it came. A school where it fails, since its node
// is away, has its turn in the next round.
func (s *Service) round(ctx context.Context, after uuid.UUID, until time.Time, failed string, do func(context.Context, uuid.UUID) error) (last uuid.UUID, done bool, err error) {
	var ids []uuid.UUID
	err = s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		if school.Status == tenancy.Active && school.SchemaVersion >= s.Cluster.SchoolVersion() && bytes.Compare(school.ID[:], after[:]) > 0 {
			ids = append(ids, school.ID)
		}
		return nil
	})
	if err != nil {
		return after, false, err
	}
	for _, id := range ids {
		if time.Now().After(until) {
			return after, false, nil
		}
		if err := do(ctx, id); err != nil {
			s.Log.Error(failed, "schoolId", id, "error", err)
		}
		after = id
	}
	return after, true, nil
}

func (s *Service) thinTrails(ctx context.Context, id uuid.UUID) error {
	school, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return err
	}
	return transport.ThinTrails(db, api.DateOf(s.now().In(school.Location())))
}
