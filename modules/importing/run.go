package importing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

const (
	beatEvery = 500 * time.Millisecond
	// staleAfter is how old the last beat of a run is that was killed.
	staleAfter = 15 * time.Second

	nothingKept = "It was interrupted. Nothing was kept."
)

// importRun is an import under way. What it says of itself is written outside the
// import's transaction, except that it is DONE: that is part of what is committed, so
// a run that says so is whole and one that does not left nothing.
type importRun struct {
	id       uuid.UUID
	dry      bool
	rows     atomic.Int64
	percent  atomic.Int64
	known    []string // the columns that a file can have
	stopBeat func()
}

func startRun(c api.Ctx, kind string, r importRequest, fileName string) (*importRun, error) {
	run := &importRun{id: r.ID, dry: r.DryRun}
	if run.id == uuid.Nil {
		run.id = api.NewID()
	}
	db, err := c.Apart(c)
	if err != nil {
		return nil, err
	}
	err = db.Exec(`insert into import_run (id, kind, state, dry_run, file_name, report, created_by) values (?, ?, 'RUNNING', ?, ?, '{}', ?)`,
		run.id, kind, r.DryRun, fileName, c.User.ID).Error
	if err != nil {
		return nil, fmt.Errorf("beginning an import: %w", err)
	}
	ctx, cancel := context.WithCancel(c)
	ended := make(chan struct{})
	run.stopBeat = func() { cancel(); <-ended }
	go run.beat(ctx, c, ended)
	return run, nil
}

// beat writes every beatEvery how far the run is, and that it lives.
func (run *importRun) beat(ctx context.Context, c api.Ctx, ended chan struct{}) {
	defer close(ended)
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// A beat that is late is dropped rather than waited for.
		late, cancel := context.WithTimeout(ctx, beatEvery)
		db, err := c.Apart(late)
		if err != nil {
			cancel()
			continue
		}
		_ = db.Exec(`update import_run set rows_read = ?, report = jsonb_build_object('percent', ?::int), beat_at = now() where id = ?
			and state = 'RUNNING'`,
			run.rows.Load(), run.percent.Load(), run.id).Error
		cancel()
	}
}

// done writes how the run ended: with the import, or by itself for a dry run.
func (run *importRun) done(c api.Ctx, result ImportResult, within bool) (ImportResult, error) {
	run.stopBeat()
	db := c.DB
	if !within {
		var err error
		if db, err = c.Apart(c); err != nil {
			return result, err
		}
	}
	return result, run.end(db, result)
}

// fail writes that nothing was kept, and why. If that fails too, the request's own error is
// still the answer.
func (run *importRun) fail(c api.Ctx, err error, result ImportResult) {
	run.stopBeat()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), 5*time.Second)
	defer cancel()
	db, dbErr := c.Apart(ctx)
	if dbErr != nil {
		return
	}
	result.ID, result.DryRun, result.RowsRead, result.Percent = run.id, run.dry, int(run.rows.Load()), int(run.percent.Load())
	var refusal *api.Error
	switch {
	case errors.As(err, &refusal) && refusal.Status < 500:
		result.State, result.Message = "REFUSED", refusal.Message+". Nothing was kept."
		for _, d := range refusal.Details {
			if d.Field == "file" {
				result.Message = d.Message + ". Nothing was kept."
			}
		}
	default:
		result.State, result.Message = "FAILED", nothingKept
	}
	_ = run.end(db, result)
}

func (run *importRun) end(db *gorm.DB, result ImportResult) error {
	result.Rows, result.Columns = nil, slices.Clone(result.Columns) // the file's rows are not kept
	for i := range result.Columns {
		result.Columns[i].Samples = []string{}
	}
	report, err := json.Marshal(result)
	if err != nil {
		return err
	}
	err = db.Exec(`update import_run set state = ?, rows_read = ?, rows_bad = ?, report = ?::jsonb, beat_at = now(), finished_at = now()
		where id = ? and state = 'RUNNING'`,
		result.State, result.RowsRead, result.Bad, string(report), run.id).Error
	if err != nil {
		return fmt.Errorf("ending an import: %w", err)
	}
	return nil
}

// ImportRun is how far an import has come, or how it ended.
type ImportRun struct {
	ImportResult
	Kind       string     `json:"kind" enum:"STUDENT,EMPLOYEE"`
	FileName   string     `json:"fileName"`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// getImport reads a run of one kind.
func getImport(kind string) func(api.Ctx, byID) (ImportRun, error) {
	return func(c api.Ctx, r byID) (ImportRun, error) {
		var row struct {
			State, FileName, Report string
			RowsRead                int
			DryRun, Still           bool
			CreatedAt               time.Time
			FinishedAt              *time.Time
		}
		err := c.DB.Raw(`select state, file_name, report::text as report, rows_read, dry_run,
			beat_at < now() - make_interval(secs => ?) as still, created_at, finished_at
			from import_run where id = ? and kind = ?`, staleAfter.Seconds(), r.ID, kind).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return ImportRun{}, api.NotFound("import")
		}
		if err != nil {
			return ImportRun{}, fmt.Errorf("reading an import: %w", err)
		}
		out := ImportRun{Kind: kind, FileName: row.FileName, CreatedAt: row.CreatedAt, FinishedAt: row.FinishedAt}
		if err := json.Unmarshal([]byte(row.Report), &out.ImportResult); err != nil {
			return out, fmt.Errorf("reading an import's report: %w", err)
		}
		out.ImportResult = out.listed()
		out.ID, out.DryRun, out.State, out.RowsRead = r.ID, row.DryRun, row.State, row.RowsRead
		if row.State == "RUNNING" && row.Still {
			out.State, out.Message = "FAILED", nothingKept
		}
		return out, nil
	}
}

// hashOf is one hash over texts, each apart from the next.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}
