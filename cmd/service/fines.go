package service

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/api"
	"homeroom/modules/fee"
	"homeroom/tenancy"
)

const (
	finesEvery = time.Hour
	// finesFrom and finesTo are the hours of the school's night in which its day is run: three
	// chances, after which the next day catches up. Schools that sleep are not looked at all day.
	finesFrom, finesTo = 1, 3
	// finesSlice is how long one job goes through schools before it leaves the rest to the next.
	finesSlice = 30 * time.Second
)

// finesJob does what a school's night is for, school after school: it posts the late fines
// of the day, and lets the library's queues move on. A school whose day was done is left
// alone, so that the job may come as often as it likes.
type finesJob struct {
	After uuid.UUID `json:"after"` // schools up to this one are done
}

func (finesJob) Kind() string { return "late-fines" }

func (finesJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: finesEvery}}
}

type finesWorker struct {
	river.WorkerDefaults[finesJob]
	s *Service
}

func (w *finesWorker) Work(ctx context.Context, job *river.Job[finesJob]) error {
	last, done, err := w.s.FineSleeping(ctx, job.Args.After, time.Now().Add(finesSlice))
	if err != nil || done {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, finesJob{After: last}, nil)
	return err
}

// FineSleeping does the night's work of the schools where it is night, in the order of
// their ids after the one given, until a moment. It says how far it came.
func (s *Service) FineSleeping(ctx context.Context, after uuid.UUID, until time.Time) (last uuid.UUID, done bool, err error) {
	var ids []uuid.UUID
	err = s.Cluster.EachSchool(ctx, func(school *tenancy.School) error {
		hour := s.now().In(school.Location()).Hour()
		if school.Status == tenancy.Active && finesFrom <= hour && hour <= finesTo && bytes.Compare(school.ID[:], after[:]) > 0 {
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
		// A school whose node is away, or that is behind this binary, has its turn in an hour.
		if _, err := s.FineLate(ctx, id); err != nil {
			s.Log.Error("late fines could not be posted", "schoolId", id, "error", err)
		}
		if err := s.EndHolds(ctx, id); err != nil {
			s.Log.Error("the library's holds could not be ended", "schoolId", id, "error", err)
		}
		after = id
	}
	return after, true, nil
}

// FineLate posts a school's late fines for the day it is there, once, and says how many.
func (s *Service) FineLate(ctx context.Context, id uuid.UUID) (int64, error) {
	school, err := s.Registry.School(ctx, id)
	if err != nil || school.Status != tenancy.Active || school.SchemaVersion < s.Cluster.SchoolVersion() {
		return 0, err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
	if err != nil {
		return 0, err
	}
	now := s.now()
	return fee.FineLate(db, api.DateOf(now.In(school.Location())), now)
}
