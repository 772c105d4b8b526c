package lifecycle

import (
	"context"
	"errors"
	"homeroom/tenancy"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// migrateSlice is how much of a job's time the fleet's migration takes before it
// queues itself again: the queue tells a dead instance's jobs by their age.
const migrateSlice = 40 * time.Second

// putBack turns the end of an instance into "later", which costs the job no attempt.
func putBack(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return river.JobSnooze(0)
	}
	return err
}

type provisionWorker struct {
	river.WorkerDefaults[provisionJob]
	provisioner *Provisioner
	cluster     *tenancy.Cluster
}

func (w *provisionWorker) Work(ctx context.Context, job *river.Job[provisionJob]) error {
	err := w.provisioner.Run(ctx, job.Args.School)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return river.JobCancel(err)
	}
	if err == nil && w.cluster.Options().Spares > 0 {
		// It may have taken a spare. If this fails, the clock asks for it.
		_, _ = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, sparesJob{}, nil)
	}
	return putBack(ctx, err)
}

// NextRetry is soon: a person waits for the school.
func (w *provisionWorker) NextRetry(job *river.Job[provisionJob]) time.Time {
	return time.Now().Add(time.Duration(job.Attempt*job.Attempt) * 2 * time.Second)
}

type resumeWorker struct {
	river.WorkerDefaults[resumeJob]
	provisioner *Provisioner
}

func (w *resumeWorker) Work(ctx context.Context, _ *river.Job[resumeJob]) error {
	return putBack(ctx, w.provisioner.Resume(ctx))
}

type sparesWorker struct {
	river.WorkerDefaults[sparesJob]
	cluster *tenancy.Cluster
}

func (w *sparesWorker) Work(ctx context.Context, _ *river.Job[sparesJob]) error {
	_, err := KeepSpares(ctx, w.cluster)
	return putBack(ctx, err)
}

type migrateWorker struct {
	river.WorkerDefaults[migrateJob]
	migrator *Migrator
}

// Work is done even if schools failed: platform.school.migration_error has the reasons,
// and the clock tries them again.
func (w *migrateWorker) Work(ctx context.Context, _ *river.Job[migrateJob]) error {
	slice, cancel := context.WithTimeout(ctx, migrateSlice)
	defer cancel()
	_, err := w.migrator.Run(slice)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return river.JobSnooze(0)
	}
	return putBack(ctx, err)
}

type cleanWorker struct {
	river.WorkerDefaults[cleanJob]
	cluster *tenancy.Cluster
}

func (w *cleanWorker) Work(ctx context.Context, _ *river.Job[cleanJob]) error {
	return putBack(ctx, DeleteOutdated(ctx, w.cluster))
}

type measureWorker struct {
	river.WorkerDefaults[measureJob]
	cluster *tenancy.Cluster
}

func (w *measureWorker) Work(ctx context.Context, _ *river.Job[measureJob]) error {
	return putBack(ctx, Measure(ctx, w.cluster))
}

type heartbeatWorker struct {
	river.WorkerDefaults[heartbeatJob]
	cluster *tenancy.Cluster
}

func (w *heartbeatWorker) Work(ctx context.Context, _ *river.Job[heartbeatJob]) error {
	return putBack(ctx, Heartbeat(ctx, w.cluster))
}
