package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/sqlstate"
)

// NewMigration is a migration of schools that an operator asks for, besides the one that
// comes by the clock.
type NewMigration struct {
	ID      uuid.UUID
	Schools []uuid.UUID // nil: all that are behind
	By      uuid.UUID
}

// ErrMigrating says that a migration an operator asked for is under way.
var ErrMigrating = errors.New("tenancy: a migration is under way")

const (
	// fleetForgotten is when a run that no instance works on is given up. A dead instance's
	// job is resumed within a minute or so.
	fleetForgotten = 5 * time.Minute
	// fleetReport is how often a run's progress is recorded.
	fleetReport = 500 * time.Millisecond
)

// RequestMigration records the migration, with the job that does it and with also, in one
// transaction. Its progress is in platform.migration_run.
func (j *Jobs) RequestMigration(ctx context.Context, n NewMigration, also ...tenancy.InTx) error {
	err := tenancy.Transact(ctx, j.cluster.PlatformPool(), also, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update platform.migration_run set state = 'FAILED', error = 'nobody went on with it', finished_at = now()
			where state in ('QUEUED', 'RUNNING') and updated_at < now() - $1::interval`, fleetForgotten)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into platform.migration_run (id, school_ids, asked_by, created_at, updated_at)
			values ($1, $2, $3, now(), now())`, n.ID, n.Schools, n.By)
		if sqlstate.IsUnique(err, "migration_run_open_key") {
			return ErrMigrating
		}
		if err != nil {
			return err
		}
		_, err = j.client.InsertTx(ctx, tx, fleetJob{Run: n.ID}, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("requesting a migration: %w", err)
	}
	return nil
}

// fleetJob does one run.
type fleetJob struct {
	Run uuid.UUID `json:"run"`
}

func (fleetJob) Kind() string { return "migrate-fleet" }

func (fleetJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Priority: 1, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

type fleetWorker struct {
	river.WorkerDefaults[fleetJob]
	cluster    *tenancy.Cluster
	migrations []migrations.Migration
}

// NextRetry is soon: a person watches.
func (w *fleetWorker) NextRetry(*river.Job[fleetJob]) time.Time {
	return time.Now().Add(2 * time.Second)
}

// Work goes on with a run for a slice of time. Schools that fail do not end it: they are
// counted, and platform.school.migration_error says why.
func (w *fleetWorker) Work(ctx context.Context, job *river.Job[fleetJob]) error {
	run := &fleetRun{pool: w.cluster.PlatformPool(), id: job.Args.Run}
	schools, open, err := run.begin(ctx)
	if err != nil || !open {
		return putBack(ctx, err)
	}
	slice, cancel := context.WithTimeout(ctx, migrateSlice)
	defer cancel()
	m := NewMigrator(w.cluster)
	m.Migrations, m.Only, m.Progress = w.migrations, schools, run.note
	stop := run.report(ctx)
	_, err = m.Run(slice)
	stop()
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return errors.Join(run.write(ctx), river.JobSnooze(0))
	case err != nil && ctx.Err() != nil:
		return putBack(ctx, err)
	}
	return run.end(ctx, err)
}

// fleetRun is how far a run has come, as it is recorded now and then.
type fleetRun struct {
	pool interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	}
	id uuid.UUID

	mu   sync.Mutex
	base int // schemas that earlier slices migrated
	now  Progress
}

// begin goes on with the run, unless it has ended. What failed in an earlier slice is tried
// again, and counts again.
func (r *fleetRun) begin(ctx context.Context) (schools []uuid.UUID, open bool, err error) {
	err = r.pool.QueryRow(ctx, `update platform.migration_run set state = 'RUNNING', started_at =
		coalesce(started_at, now()), updated_at = now()
		where id = $1 and state in ('QUEUED', 'RUNNING') returning school_ids, done - failed`, r.id).Scan(&schools, &r.base)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("taking up a migration: %w", err)
	}
	return schools, true, nil
}

func (r *fleetRun) note(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = p
}

// report records the progress until it is stopped.
func (r *fleetRun) report(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(fleetReport)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = r.write(ctx) // the next one tries again
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

func (r *fleetRun) write(ctx context.Context) error {
	r.mu.Lock()
	now := r.now
	r.mu.Unlock()
	_, err := r.pool.Exec(ctx, `update platform.migration_run set total = $2, done = $3, failed = $4, updated_at = now() where id = $1`,
		r.id, r.base+now.Total, r.base+now.Done, now.Failed)
	if err != nil {
		return fmt.Errorf("writing a migration's progress: %w", err)
	}
	return nil
}

// end closes the run; failure is what stopped it as a whole.
func (r *fleetRun) end(ctx context.Context, failure error) error {
	if err := r.write(ctx); err != nil {
		return err
	}
	state, why := "DONE", ""
	if failure != nil {
		state, why = "FAILED", failure.Error()
	}
	_, err := r.pool.Exec(ctx, `update platform.migration_run set state = $2, error = $3, finished_at = now() where id = $1`, r.id, state,
		why)
	if err != nil {
		return fmt.Errorf("ending a migration: %w", err)
	}
	return nil
}
