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
	until, last := time.Now().Add(trailsSlice), job.Args.After
	var ids []uuid.UUID
	err := w.s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		if school.Status == tenancy.Active && school.SchemaVersion >= w.s.Cluster.SchoolVersion() && bytes.Compare(school.ID[:], last[:]) > 0 {
			ids = append(ids, school.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if time.Now().After(until) {
			_, err := river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, trailsJob{After: last}, nil)
			return err
		}
		// A school whose node is away has its turn tomorrow.
		if err := w.s.thinTrails(ctx, id); err != nil {
			w.s.Log.Error("old trails were not thinned", "schoolId", id, "error", err)
		}
		last = id
	}
	return nil
}

func (s *Service) thinTrails(ctx context.Context, id uuid.UUID) error {
	school, db, err := s.openToWrite(ctx, id)
	if err != nil {
		return err
	}
	return transport.ThinTrails(db, api.DateOf(s.now().In(school.Location())))
}
