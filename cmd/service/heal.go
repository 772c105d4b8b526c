package service

import (
	"bytes"
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/tenancy"
)

const (
	healEvery = 24 * time.Hour
	// healSlice is how long one job compares schools before it leaves the rest to the next.
	healSlice = 30 * time.Second
)

// healJob compares the schools' users with the directory, school after school, and
// mends what a crash between the two left apart.
type healJob struct {
	After uuid.UUID `json:"after"` // schools up to this one are done
}

func (healJob) Kind() string { return "heal-directory" }

func (healJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: healEvery}}
}

type healWorker struct {
	river.WorkerDefaults[healJob]
	s *Service
}

func (w *healWorker) Work(ctx context.Context, job *river.Job[healJob]) error {
	until := time.Now().Add(healSlice)
	last := job.Args.After
	ids, err := w.after(ctx, last)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if time.Now().After(until) {
			client := river.ClientFromContext[pgx.Tx](ctx)
			_, err := client.Insert(ctx, healJob{After: last}, nil)
			return err
		}
		// A school that cannot be compared, its node being away, say, is tried again tomorrow.
		switch mended, err := w.s.Auth.Heal(ctx, id); {
		case err != nil:
			w.s.Log.Error("a school could not be compared with the directory", "schoolId", id, "error", err)
		case mended > 0:
			w.s.Log.Warn("the directory differed from a school and was mended", "schoolId", id, "entries", mended)
		}
		last = id
	}
	return nil
}

func (w *healWorker) after(ctx context.Context, last uuid.UUID) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := w.s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		if school.Status != tenancy.Provisioning && bytes.Compare(school.ID[:], last[:]) > 0 {
			ids = append(ids, school.ID)
		}
		return nil
	})
	return ids, err
}

func (s *Service) openJobs() (err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &healWorker{s: s})
	river.AddWorker(workers, &finesWorker{s: s})
	river.AddWorker(workers, &trailsWorker{s: s})
	s.Jobs, err = tenancy.NewJobs(s.Cluster, tenancy.JobsOptions{
		Provisioner: s.Provisioner, Migrator: s.Migrator, Mover: s.Mover, Logger: slog.New(warnings{s.Log.Handler()}), Workers: workers,
		Periodic: []*river.PeriodicJob{comes(healEvery, healJob{}), comes(finesEvery, finesJob{}), comes(trailsEvery, trailsJob{})},
	})
	return err
}

// comes is a job that comes by the clock, and when an instance starts.
func comes(every time.Duration, job river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) { return job, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
