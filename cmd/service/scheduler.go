package service

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// slice is how long one job goes through schools before it leaves the rest to the
// next: the queue recognizes a dead instance's jobs by their age.
const slice = 30 * time.Second

// nightFrom and nightTo are the hours of a school's night in which work is done AtNight:
// three chances, after which the next night catches up.
const nightFrom, nightTo = 1, 3

// scheduledJob is a part of a run of scheduled work through all schools.
type scheduledJob struct {
	Work  string    `json:"work"`
	After uuid.UUID `json:"after"` // schools up to this one are done
}

// Kind names the job in the queue.
func (scheduledJob) Kind() string { return "scheduled" }

// KindAliases are the kinds of jobs that instances of v0.1.0 queue, each named as its work.
func (scheduledJob) KindAliases() []string {
	return []string{"clear-schools", "clear-told", "compare-topics", "count-schools", "heal-directory", "heal-profiles",
		"late-fines", "let-students-leave", "library-holds", "thin-trails"}
}

type scheduledWorker struct {
	river.WorkerDefaults[scheduledJob]
	s *scheduler
}

// Work goes on with the run for a slice of time, and queues the rest of it.
func (w *scheduledWorker) Work(ctx context.Context, job *river.Job[scheduledJob]) error {
	name := cmp.Or(job.Args.Work, job.Kind)
	work, ok := w.s.work[name]
	if !ok {
		return river.JobCancel(fmt.Errorf("no module has scheduled work named %q", name))
	}
	if work.Platform != nil && job.Args.After == uuid.Nil {
		if err := work.Platform(ctx); err != nil {
			w.s.log.Error("scheduled work failed at the platform", "work", work.Name, "error", err)
		}
	}
	last, done, err := w.s.run(ctx, work, job.Args.After, time.Now().Add(slice))
	if err != nil || done {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, scheduledJob{Work: work.Name, After: last}, oncePer(work.Every))
	return err
}

// oncePer keeps a second run out of the same period.
func oncePer(period time.Duration) *river.InsertOpts {
	return &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: period}}
}

// scheduler runs the modules' scheduled work at every school.
type scheduler struct {
	schools *schools
	work    map[string]api.Scheduled
	kernel  *api.Kernel
	now     func() time.Time
	log     *slog.Logger
}

// periodic is a modules' work as jobs of the queue.
func (s *scheduler) periodic(modules []api.Module) []*river.PeriodicJob {
	var jobs []*river.PeriodicJob
	for _, m := range modules {
		for _, work := range m.Scheduled {
			s.work[work.Name] = work
			jobs = append(jobs, lifecycle.Every(work.Every, scheduledJob{Work: work.Name}, oncePer(work.Every)))
		}
	}
	return jobs
}

// run does scheduled work at the schools that are due, in the order of their ids after the
// one given, until a moment. It returns how far it came.
func (s *scheduler) run(ctx context.Context, work api.Scheduled, after uuid.UUID, until time.Time) (last uuid.UUID, done bool, err error) {
	var ids []uuid.UUID // the listing is closed before the work on each begins
	err = s.schools.cluster.EachSchool(ctx, func(school *tenancy.School) error {
		if bytes.Compare(school.ID[:], after[:]) > 0 && s.due(work, school) {
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
		if err := s.runAt(ctx, work, id); err != nil {
			// A school whose node is away must not keep the others waiting.
			s.log.Error("scheduled work failed at a school", "work", work.Name, "schoolId", id, "error", err)
		}
		after = id
	}
	return after, true, nil
}

// due reports whether a school is to be worked on now. One whose tables are behind this
// binary is left to the next run.
func (s *scheduler) due(work api.Scheduled, school *tenancy.School) bool {
	if work.AnyStatus {
		return school.Status != tenancy.Provisioning
	}
	if school.Status != tenancy.Active || school.SchemaVersion < s.schools.cluster.SchoolVersion() {
		return false
	}
	hour := s.now().In(school.Location()).Hour()
	return !work.AtNight || nightFrom <= hour && hour <= nightTo
}

func (s *scheduler) runAt(ctx context.Context, work api.Scheduled, id uuid.UUID) error {
	var school *tenancy.School
	var db *gorm.DB
	var err error
	if work.AnyStatus {
		school, err = s.schools.registry.School(ctx, id)
	} else {
		school, db, err = s.schools.Open(ctx, id, tenancy.ReadWrite)
	}
	if err != nil {
		return err
	}
	return work.School(ctx, s.kernel.SchoolWork(school, db))
}

// RunScheduled does a module's scheduled work at one school now, at any hour.
func (s *Service) RunScheduled(ctx context.Context, name string, school uuid.UUID) error {
	work, ok := s.scheduler.work[name]
	if !ok {
		return fmt.Errorf("no module has scheduled work named %q", name)
	}
	if work.Platform != nil {
		if err := work.Platform(ctx); err != nil {
			return err
		}
	}
	return s.scheduler.runAt(ctx, work, school)
}

// RunScheduledAtAll does a module's scheduled work at the schools that are due, in the order
// of their ids after the one given, until a moment. It returns how far it came.
func (s *Service) RunScheduledAtAll(ctx context.Context, name string, after uuid.UUID, until time.Time) (last uuid.UUID, done bool,
	err error) {
	return s.scheduler.run(ctx, s.scheduler.work[name], after, until)
}
