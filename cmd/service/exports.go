package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"homeroom/api"
	"homeroom/archive"
	"homeroom/modules/file"
	"homeroom/modules/school"
	"homeroom/tenancy"
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

// exportsJob makes the archives that wait and that nobody is at, and clears away those
// that are too old. It comes when one is asked for, and by the clock: one whose instance
// died is taken up by another, since the lock died with it.
type exportsJob struct{}

func (exportsJob) Kind() string { return "exports" }

func (exportsJob) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type exportsWorker struct {
	river.WorkerDefaults[exportsJob]
	s *Service
}

func (w *exportsWorker) Timeout(*river.Job[exportsJob]) time.Duration { return exportTime }

func (w *exportsWorker) Work(ctx context.Context, _ *river.Job[exportsJob]) error {
	if err := w.s.clearExports(ctx); err != nil {
		return err
	}
	rows, err := w.s.Cluster.PlatformPool().Query(ctx, `select id from platform.school_export where state in ('QUEUED', 'RUNNING') order by created_at, id`)
	if err != nil {
		return fmt.Errorf("listing exports: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("listing exports: %w", err)
	}
	for _, id := range ids {
		_, err := w.s.Cluster.Alone(ctx, "export "+id.String(), func(ctx context.Context) error { return w.s.makeExport(ctx, id) })
		if err != nil {
			w.s.Log.Error("a school could not be exported", "exportId", id, "error", err)
		}
	}
	return nil
}

// makeExport makes one archive. An instance that stops leaves it for another.
func (s *Service) makeExport(ctx context.Context, id uuid.UUID) error {
	var of uuid.UUID
	var tries int
	err := s.Cluster.PlatformPool().QueryRow(ctx, `update platform.school_export set state = 'RUNNING', attempts = attempts + 1
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
		err = s.keepArchive(ctx, id, of)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	now := s.now()
	_, failed := s.Cluster.PlatformPool().Exec(ctx, `update platform.school_export set state = 'FAILED', error = $2, finished_at = $3, expires_at = $4 where id = $1`,
		id, err.Error(), now, now.Add(exportLife))
	return errors.Join(err, failed)
}

// keepArchive writes the archive into the store as it is made.
func (s *Service) keepArchive(ctx context.Context, id, of uuid.UUID) error {
	store := s.store
	if store == nil {
		return errNoFiles
	}
	found, err := s.upToDate(ctx, of)
	if err != nil {
		return err
	}
	reader, writer := io.Pipe()
	kept := make(chan error, 1)
	go func() {
		err := store.Write(ctx, school.ExportKey(of, id), archive.ContentType, reader)
		_ = reader.CloseWithError(err) // whoever writes on gets to know
		kept <- err
	}()
	sum := &tally{to: writer, sum: sha256.New()}
	_, err = s.exporter(store, func(done, tables int, rows int64) {
		// How far it is may be lost.
		_, _ = s.Cluster.PlatformPool().Exec(ctx, `update platform.school_export set tables_done = $2, tables = $3, row_count = $4 where id = $1`, id, done, tables, rows)
	}).Write(ctx, found, sum)
	_ = writer.CloseWithError(err)
	if keptErr := <-kept; err == nil {
		err = keptErr
	}
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.Cluster.PlatformPool().Exec(ctx, `update platform.school_export set state = 'READY', size_bytes = $2, sha256 = $3, finished_at = $4, expires_at = $5 where id = $1`,
		id, sum.n, hex.EncodeToString(sum.sum.Sum(nil)), now, now.Add(exportLife))
	return err
}

// exporter writes archives with the files of the store.
func (s *Service) exporter(store file.Store, progress func(done, tables int, rows int64)) archive.Export {
	e := archive.Export{Cluster: s.Cluster, Now: s.now(), Progress: progress, Seal: s.Seal(), IsNotFound: func(err error) bool {
		var e *api.Error
		return errors.As(err, &e) && e.Status == 404
	}}
	if store != nil {
		e.Files = store
	}
	return e
}

// upToDate finds a school and brings it up to date, whatever its status.
func (s *Service) upToDate(ctx context.Context, id uuid.UUID) (*tenancy.School, error) {
	found, err := s.Cluster.FindSchool(ctx, id)
	if err != nil || found.SchemaVersion >= s.Cluster.SchoolVersion() {
		return found, err
	}
	if err := s.Migrator.EnsureSchool(ctx, found); err != nil {
		return nil, err
	}
	return s.Cluster.FindSchool(ctx, id)
}

// clearExports removes archives that are too old: the bytes first.
func (s *Service) clearExports(ctx context.Context) error {
	rows, err := s.Cluster.PlatformPool().Query(ctx, `select id, school_id from platform.school_export where expires_at < $1`, s.now())
	if err != nil {
		return fmt.Errorf("listing old exports: %w", err)
	}
	type old struct{ ID, SchoolID uuid.UUID }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[old])
	if err != nil {
		return fmt.Errorf("listing old exports: %w", err)
	}
	for _, o := range all {
		if store := s.store; store != nil {
			if err := store.Delete(ctx, school.ExportKey(o.SchoolID, o.ID)); err != nil {
				return err
			}
		}
		if _, err := s.Cluster.PlatformPool().Exec(ctx, `delete from platform.school_export where id = $1`, o.ID); err != nil {
			return fmt.Errorf("forgetting an old export: %w", err)
		}
	}
	return nil
}

var errNoFiles = errors.New("no place for files is configured")

// archives is how the school module has archives made and reads them.
type archives struct{ s *Service }

func (a archives) Ready() error {
	if a.s.store == nil {
		return api.Unavailable("Archives cannot be kept at the moment").Because(errNoFiles)
	}
	return nil
}

func (a archives) Enqueue(ctx context.Context, tx pgx.Tx) error {
	_, err := a.s.Jobs.Client().InsertTx(ctx, tx, exportsJob{}, nil)
	return err
}

func (a archives) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return a.s.store.Open(ctx, key)
}
