package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/api"
	"homeroom/archive"
	"homeroom/modules/file"
	"homeroom/modules/school"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

const (
	exportsEvery = 30 * time.Second
	// exportLife is how long an archive can be downloaded.
	exportLife = 24 * time.Hour
	// exportTime is how long making one may take.
	exportTime = 2 * time.Hour
	// exportTries is how often one is begun whose instance died.
	exportTries = 5
)

// exportsJob makes the archives that are queued and that no instance works on, and deletes those
// that are too old. It is queued when one is asked for, and by the clock: one whose instance
// died is taken up by another, since the lock died with it.
type exportsJob struct{}

func (exportsJob) Kind() string { return "exports" }

func (exportsJob) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// exports makes archives of schools and keeps them in the store.
type exports struct {
	cluster  *tenancy.Cluster
	migrator *lifecycle.Migrator
	jobs     *lifecycle.Jobs
	store    file.Store // nil: none
	seal     archive.Seal
	now      func() time.Time
	log      *slog.Logger
}

// Ready, Enqueue and Open are what the school module asks of it.

func (x *exports) Ready() error {
	if x.store == nil {
		return api.Unavailable("Archives cannot be kept at the moment").Because(errNoFiles)
	}
	return nil
}

func (x *exports) Enqueue(ctx context.Context, tx pgx.Tx) error {
	_, err := x.jobs.Client().InsertTx(ctx, tx, exportsJob{}, nil)
	return err
}

func (x *exports) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return x.store.Open(ctx, key)
}

var errNoFiles = errors.New("no place for files is configured")

type exportsWorker struct {
	river.WorkerDefaults[exportsJob]
	*exports
}

func (w *exportsWorker) Timeout(*river.Job[exportsJob]) time.Duration { return exportTime }

func (w *exportsWorker) Work(ctx context.Context, _ *river.Job[exportsJob]) error {
	if err := w.clear(ctx); err != nil {
		return err
	}
	rows, err := w.cluster.PlatformPool().Query(ctx, `select id from platform.school_export where state in ('QUEUED', 'RUNNING')
		order by created_at, id`)
	if err != nil {
		return fmt.Errorf("listing exports: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("listing exports: %w", err)
	}
	for _, id := range ids {
		_, err := w.cluster.Alone(ctx, "export "+id.String(), func(ctx context.Context) error { return w.make(ctx, id) })
		if err != nil {
			w.log.Error("a school could not be exported", "exportId", id, "error", err)
		}
	}
	return nil
}

// make makes one archive. An instance that stops leaves it for another.
func (x *exports) make(ctx context.Context, id uuid.UUID) error {
	var of uuid.UUID
	var tries int
	err := x.cluster.PlatformPool().QueryRow(ctx, `update platform.school_export set state = 'RUNNING', attempts = attempts + 1
		where id = $1 and state in ('QUEUED', 'RUNNING') returning school_id, attempts`, id).Scan(&of, &tries)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // done since it was listed
	}
	if err != nil {
		return err
	}
	if tries > exportTries {
		err = errors.New("given up: each time the instance that made it died")
	} else {
		err = x.keep(ctx, id, of)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	now := x.now()
	_, failed := x.cluster.PlatformPool().Exec(ctx, `update platform.school_export set state = 'FAILED', error = $2, finished_at = $3,
		expires_at = $4 where id = $1`,
		id, err.Error(), now, now.Add(exportLife))
	return errors.Join(err, failed)
}

// keep writes the archive into the store as it is made.
func (x *exports) keep(ctx context.Context, id, of uuid.UUID) error {
	if x.store == nil {
		return errNoFiles
	}
	reader, writer := io.Pipe()
	kept := make(chan error, 1)
	go func() {
		err := x.store.Write(ctx, school.ExportKey(of, id), archive.ContentType, reader)
		_ = reader.CloseWithError(err) // ends the writing
		kept <- err
	}()
	sum := &tally{to: writer, sum: sha256.New()}
	_, err := x.write(ctx, of, sum, func(done, tables int, rows int64) {
		// How far it is may be lost.
		_, _ = x.cluster.PlatformPool().Exec(ctx, `update platform.school_export set tables_done = $2, tables = $3, row_count = $4
			where id = $1`, id, done, tables, rows)
	})
	_ = writer.CloseWithError(err)
	if keptErr := <-kept; err == nil {
		err = keptErr
	}
	if err != nil {
		return err
	}
	now := x.now()
	_, err = x.cluster.PlatformPool().Exec(ctx, `update platform.school_export set state = 'READY', size_bytes = $2, sha256 = $3,
		finished_at = $4, expires_at = $5 where id = $1`,
		id, sum.n, hex.EncodeToString(sum.sum.Sum(nil)), now, now.Add(exportLife))
	return err
}

// clear removes archives that are too old: the bytes first.
func (x *exports) clear(ctx context.Context) error {
	rows, err := x.cluster.PlatformPool().Query(ctx, `select id, school_id from platform.school_export where expires_at < $1`, x.now())
	if err != nil {
		return fmt.Errorf("listing old exports: %w", err)
	}
	type old struct{ ID, SchoolID uuid.UUID }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[old])
	if err != nil {
		return fmt.Errorf("listing old exports: %w", err)
	}
	for _, o := range all {
		if x.store != nil {
			if err := x.store.Delete(ctx, school.ExportKey(o.SchoolID, o.ID)); err != nil {
				return err
			}
		}
		if _, err := x.cluster.PlatformPool().Exec(ctx, `delete from platform.school_export where id = $1`, o.ID); err != nil {
			return fmt.Errorf("forgetting an old export: %w", err)
		}
	}
	return nil
}

// write writes the archive of a school, with the files of the store.
func (x *exports) write(ctx context.Context, school uuid.UUID, to io.Writer, progress func(done, tables int, rows int64)) (archive.Closing,
	error) {
	found, err := x.upToDate(ctx, school)
	if err != nil {
		return archive.Closing{}, err
	}
	e := archive.Export{Cluster: x.cluster, Now: x.now(), Progress: progress, Seal: x.seal, Files: x.store, IsNotFound: func(err error) bool {
		var e *api.Error
		return errors.As(err, &e) && e.Status == 404
	}}
	return e.Write(ctx, found, to)
}

// upToDate finds a school and brings it up to date, in any status.
func (x *exports) upToDate(ctx context.Context, id uuid.UUID) (*tenancy.School, error) {
	found, err := x.cluster.FindSchool(ctx, id)
	if err != nil || found.SchemaVersion >= x.cluster.SchoolVersion() {
		return found, err
	}
	if err := x.migrator.EnsureSchool(ctx, found); err != nil {
		return nil, err
	}
	return x.cluster.FindSchool(ctx, id)
}
