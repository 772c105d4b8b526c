package service

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/delivery"
)

const (
	clearingEvery = 24 * time.Hour
	// clearingSlice is how long one job goes through schools before it leaves the rest to the next.
	clearingSlice = 30 * time.Second
)

// clearingJob takes away what people were told long ago, school after school.
type clearingJob struct {
	After uuid.UUID `json:"after"` // schools up to this one are done
}

func (clearingJob) Kind() string { return "clear-told" }

func (clearingJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: clearingEvery}}
}

type clearingWorker struct {
	river.WorkerDefaults[clearingJob]
	s *Service
}

func (w *clearingWorker) Work(ctx context.Context, job *river.Job[clearingJob]) error {
	if job.Args.After == uuid.Nil {
		if err := w.s.ClearPlatform(ctx); err != nil {
			w.s.Log.Error("old letters were not cleared", "error", err)
		}
	}
	last, done, err := w.s.round(ctx, job.Args.After, time.Now().Add(clearingSlice), "what was told long ago was not cleared", w.s.ClearTold)
	if err != nil || done {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, clearingJob{After: last}, nil)
	return err
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
