package lifecycle

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// Jobs does the platform's long work from a queue in the platform's schema: making
// schools, migrating the fleet, keeping spares, deleting what is outdated, and what other
// packages add. A job that was begun is finished by some instance, whatever happens to the
// one that began it.
type Jobs struct {
	client  *river.Client[pgx.Tx]
	cluster *tenancy.Cluster
	workers *river.Workers
	atStart []river.JobArgs
}

// JobsOptions say what else is done and how.
type JobsOptions struct {
	Provisioner *Provisioner
	Migrator    *Migrator
	Workers     *river.Workers // may hold workers of other jobs
	Logger      *slog.Logger   // nil: silent
	AtOnce      int            // jobs at a time on this instance; 4 unless set
	// Grace is how long jobs may go on when the instance stops; 5 s unless set. Then
	// they are put back.
	Grace time.Duration
	// Worked, if set, is called for every job that was worked on here, with how it ended.
	Worked func(kind string, outcome JobOutcome)
}

const (
	// jobTimeout is how long a job may take; longer work comes in slices.
	jobTimeout = 50 * time.Second
	// rescueAfter is when a running job is taken from an instance that must have died.
	rescueAfter = time.Minute
)

// NewJobs prepares the queue; nothing is done until Start. From here on a requested
// school is put on the queue in the transaction of its request.
func NewJobs(c *tenancy.Cluster, o JobsOptions) (*Jobs, error) {
	if o.Workers == nil {
		o.Workers = river.NewWorkers()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.AtOnce == 0 {
		o.AtOnce = 4
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	river.AddWorker(o.Workers, &provisionWorker{provisioner: o.Provisioner, cluster: c})
	river.AddWorker(o.Workers, &resumeWorker{provisioner: o.Provisioner})
	river.AddWorker(o.Workers, &sparesWorker{cluster: c})
	river.AddWorker(o.Workers, &migrateWorker{migrator: o.Migrator})
	river.AddWorker(o.Workers, &cleanWorker{cluster: c})
	river.AddWorker(o.Workers, &fleetWorker{cluster: c, migrations: o.Migrator.Migrations})
	river.AddWorker(o.Workers, &measureWorker{cluster: c})
	river.AddWorker(o.Workers, &heartbeatWorker{cluster: c})
	client, err := river.NewClient(riverpgxv5.New(c.PlatformPool()), &river.Config{
		Schema:                      tenancy.PlatformSchema,
		Workers:                     o.Workers,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.AtOnce}},
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		SoftStopTimeout:             o.Grace,
		CompletedJobRetentionPeriod: time.Hour,
		Logger:                      o.Logger,
		Middleware:                  counting(o.Worked),
		PeriodicJobs: []*river.PeriodicJob{
			Every(10*time.Second, resumeJob{}, nil),
			Every(30*time.Second, sparesJob{}, nil),
			Every(5*time.Minute, migrateJob{}, nil),
			Every(time.Hour, cleanJob{}, nil),
			Every(5*time.Minute, measureJob{}, nil),
			Every(time.Minute, heartbeatJob{}, nil),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the job queue: %w", err)
	}
	j := &Jobs{client: client, cluster: c, workers: o.Workers, atStart: []river.JobArgs{resumeJob{}}}
	o.Provisioner.Enqueue = j.EnqueueProvision
	return j, nil
}

// Every is a job that comes by the clock, and when an instance starts. opts may be nil.
func Every(period time.Duration, job river.JobArgs, opts *river.InsertOpts) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(period),
		func() (river.JobArgs, *river.InsertOpts) { return job, opts }, &river.PeriodicJobOpts{RunOnStart: true})
}

// Workers are those of the queue's jobs; others may be added before Start.
func (j *Jobs) Workers() *river.Workers { return j.workers }

// AtStart adds a job that is queued whenever an instance starts, before Start.
func (j *Jobs) AtStart(job river.JobArgs) { j.atStart = append(j.atStart, job) }

// Schedule adds jobs that come by the clock, before Start.
func (j *Jobs) Schedule(jobs ...*river.PeriodicJob) error {
	if _, err := j.client.PeriodicJobs().AddManySafely(jobs); err != nil {
		return fmt.Errorf("scheduling jobs: %w", err)
	}
	return nil
}

// Start begins to work, with what an instance that was killed may have left. ctx is
// for starting only: jobs go on until Stop.
func (j *Jobs) Start(ctx context.Context) error {
	err := j.client.Start(context.WithoutCancel(ctx))
	for _, job := range j.atStart {
		if err == nil {
			_, err = j.client.Insert(ctx, job, nil)
		}
	}
	if err != nil {
		return fmt.Errorf("starting the job queue: %w", err)
	}
	return nil
}

// Stop takes no new jobs, lets those under way finish for a moment, and puts the rest
// back for others to do.
func (j *Jobs) Stop(ctx context.Context) error {
	if err := j.client.Stop(ctx); err != nil {
		return fmt.Errorf("stopping the job queue: %w", err)
	}
	return nil
}

// EnqueueProvision puts a school on the queue, in tx. A school that is on it already
// is not put there twice.
func (j *Jobs) EnqueueProvision(ctx context.Context, tx pgx.Tx, school uuid.UUID) error {
	if _, err := j.client.InsertTx(ctx, tx, provisionJob{School: school}, nil); err != nil {
		return fmt.Errorf("queueing school %s: %w", school, err)
	}
	return nil
}

// EnqueueMigrate has the fleet migrated soon.
func (j *Jobs) EnqueueMigrate(ctx context.Context) error {
	if _, err := j.client.Insert(ctx, migrateJob{}, nil); err != nil {
		return fmt.Errorf("queueing the migration: %w", err)
	}
	return nil
}

// Client is the queue itself, for jobs of other packages.
func (j *Jobs) Client() *river.Client[pgx.Tx] { return j.client }

// provisionJob makes one school.
type provisionJob struct {
	School uuid.UUID `json:"school"`
}

func (provisionJob) Kind() string { return "provision" }

// InsertOpts: one that waits to be retried does not keep the operator's own retry,
// which shall not wait, off the queue.
func (provisionJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 5, Priority: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}

// The others come by the clock or may run side by side, so one that a dead instance
// left "running" must not keep the next from being queued: they are unique in time.

type resumeJob struct{}

func (resumeJob) Kind() string { return "resume" }

// InsertOpts: one that just ended may have come too early for what this one is for.
func (resumeJob) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type sparesJob struct{}

func (sparesJob) Kind() string                 { return "spares" }
func (sparesJob) InsertOpts() river.InsertOpts { return once(time.Second) }

type migrateJob struct{}

func (migrateJob) Kind() string                 { return "migrate" }
func (migrateJob) InsertOpts() river.InsertOpts { return once(10 * time.Second) }

type cleanJob struct{}

func (cleanJob) Kind() string                 { return "clean" }
func (cleanJob) InsertOpts() river.InsertOpts { return once(time.Minute) }

type measureJob struct{}

func (measureJob) Kind() string                 { return "measure" }
func (measureJob) InsertOpts() river.InsertOpts { return once(time.Minute) }

type heartbeatJob struct{}

func (heartbeatJob) Kind() string                 { return "heartbeat" }
func (heartbeatJob) InsertOpts() river.InsertOpts { return once(10 * time.Second) }

func once(period time.Duration) river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 3, Priority: 2, UniqueOpts: river.UniqueOpts{ByPeriod: period}}
}
