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

// roundSlice is how long one job goes through schools before it leaves the rest to the
// next: the queue tells a dead instance's jobs by their age.
const roundSlice = 30 * time.Second

// round is work that is done at every school, one after another, by the clock. It is a
// type without fields: the queue knows a job by its type.
type round interface {
	kind() string // of the job, in the queue
	every() time.Duration
	// turn says whether the school is to be looked at now.
	turn(s *Service, school *tenancy.School) bool
	// work does it. What fails is logged and has its turn with the next round: a school
	// whose node is away must not keep the others waiting.
	work(ctx context.Context, s *Service, school uuid.UUID) error
}

// opener is a round that has something to do at the platform first.
type opener interface {
	open(ctx context.Context, s *Service) error
}

// openJobs makes the queue, with everything that comes by the clock.
func (s *Service) openJobs() (err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &exportsWorker{s: s})
	periodic := []*river.PeriodicJob{
		addRound[healRound](s, workers), addRound[profilesRound](s, workers), addRound[finesRound](s, workers), addRound[holdsRound](s, workers),
		addRound[trailsRound](s, workers), addRound[countRound](s, workers), addRound[clearRound](s, workers), addRound[toldRound](s, workers), addRound[leaversRound](s, workers),
		addRound[topicsRound](s, workers),
		comes(exportsEvery, exportsJob{}),
	}
	s.Jobs, err = tenancy.NewJobs(s.Cluster, tenancy.JobsOptions{
		Provisioner: s.Provisioner, Migrator: s.Migrator, Mover: s.Mover, Logger: slog.New(warnings{s.Log.Handler()}), Workers: workers, Periodic: periodic, Worked: s.meters.Worked,
	})
	return err
}

// addRound puts a round on the clock; it also comes when an instance starts.
func addRound[R round](s *Service, workers *river.Workers) *river.PeriodicJob {
	var r R
	river.AddWorker(workers, &roundWorker[R]{s: s})
	return comes(r.every(), roundJob[R]{})
}

// comes is a job that comes by the clock, and when an instance starts.
func comes(every time.Duration, job river.JobArgs) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) { return job, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}

// roundJob is a part of a round.
type roundJob[R round] struct {
	After uuid.UUID `json:"after"` // schools up to this one are done
}

// Kind is the round's.
func (roundJob[R]) Kind() string {
	var r R
	return r.kind()
}

// InsertOpts keep a second round out of the same period.
func (roundJob[R]) InsertOpts() river.InsertOpts {
	var r R
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: r.every()}}
}

type roundWorker[R round] struct {
	river.WorkerDefaults[roundJob[R]]
	s *Service
}

// Work goes on with the round for a slice of time, and queues the rest of it.
func (w *roundWorker[R]) Work(ctx context.Context, job *river.Job[roundJob[R]]) error {
	var r R
	if opening, ok := any(r).(opener); ok && job.Args.After == uuid.Nil {
		if err := opening.open(ctx, w.s); err != nil {
			w.s.Log.Error("a round's work was not done at the platform", "round", r.kind(), "error", err)
		}
	}
	last, done, err := w.s.goRound(ctx, r, job.Args.After, time.Now().Add(roundSlice))
	if err != nil || done {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, roundJob[R]{After: last}, nil)
	return err
}

// goRound does a round's work at the schools whose turn it is, in the order of their ids
// after the one given, until a moment. It says how far it came.
func (s *Service) goRound(ctx context.Context, r round, after uuid.UUID, until time.Time) (last uuid.UUID, done bool, err error) {
	var ids []uuid.UUID // the listing is closed before the work on each begins
	err = s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		if bytes.Compare(school.ID[:], after[:]) > 0 && r.turn(s, school) {
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
		if err := r.work(ctx, s, id); err != nil {
			s.Log.Error("a round's work was not done at a school", "round", r.kind(), "schoolId", id, "error", err)
		}
		after = id
	}
	return after, true, nil
}

// nightFrom and nightTo are the hours of a school's night in which its day is run: three
// chances, after which the next day catches up. Nobody is looked at all day.
const nightFrom, nightTo = 1, 3

// asleep says whether it is night at the school.
func (s *Service) asleep(school *tenancy.School) bool {
	hour := s.now().In(school.Location()).Hour()
	return nightFrom <= hour && hour <= nightTo
}

// current says whether a school is active and has the tables this binary knows.
func (s *Service) current(school *tenancy.School) bool {
	return school.Status == tenancy.Active && school.SchemaVersion >= s.Cluster.SchoolVersion()
}
