package imports

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

// startRun begins a run. One that was interrupted is begun again; done is the run of this id that is done already.
func startRun(c api.Ctx, kind string, r Request, fileName string) (run *importRun, done *ImportRun, err error) {
	run = &importRun{id: r.ID, dry: r.DryRun}
	if run.id == uuid.Nil {
		run.id = api.NewID()
	}
	db, err := c.Apart(c)
	if err != nil {
		return nil, nil, err
	}
	begun := db.Exec(`insert into import_run as r (id, kind, state, dry_run, file_name, report, created_by)
		values (@id, @kind, 'RUNNING', @dry, @file, '{}', @user)
		on conflict (id) do update set state = 'RUNNING', dry_run = @dry, file_name = @file, report = '{}', rows_read = 0, rows_bad = 0,
			beat_at = now(), finished_at = null, created_by = @user
		where r.kind = @kind and (r.state in ('REFUSED', 'FAILED') or r.state = 'DONE' and r.dry_run
			or r.state = 'RUNNING' and r.beat_at < now() - make_interval(secs => @stale))`,
		map[string]any{"id": run.id, "kind": kind, "dry": r.DryRun, "file": fileName, "user": c.User.ID, "stale": staleAfter.Seconds()})
	if begun.Error != nil {
		return nil, nil, fmt.Errorf("beginning an import: %w", begun.Error)
	}
	if begun.RowsAffected == 0 {
		there, err := readRun(db, kind, run.id)
		if err == nil && there.State == "RUNNING" {
			err = api.Conflict("The import of this id is running")
		}
		return nil, &there, err
	}
	ctx, cancel := context.WithCancel(c)
	ended := make(chan struct{})
	run.stopBeat = func() { cancel(); <-ended }
	go run.beat(ctx, c, ended)
	return run, nil, nil
}

// answer is what a run that is done was answered with.
func (r *ImportRun) answer() ImportResult {
	if r == nil {
		return ImportResult{}
	}
	return r.ImportResult
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
	Kind       string     `json:"kind" enum:"ASSIGNMENT,ATTENDANCE,ATTENDANCE_TOTAL,BOOK,CONCESSION,EMPLOYEE,EXAM_RESULT,GUARDIAN,ONEROSTER,OPENING_BALANCE,PHOTO,RIDER,ROUTE,STUDENT,SUBJECT,TIMETABLE" example:"STUDENT"`
	FileName   string     `json:"fileName"`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// getRun reads a run of one kind.
func getRun(kind string) func(api.Ctx, byID) (ImportRun, error) {
	return func(c api.Ctx, r byID) (ImportRun, error) { return readRun(c.DB, kind, r.ID) }
}

func readRun(db *gorm.DB, kind string, id uuid.UUID) (ImportRun, error) {
	var row struct {
		State, FileName, Report string
		RowsRead                int
		DryRun, Still, MayUndo  bool
		CreatedAt               time.Time
		FinishedAt, UndoneAt    *time.Time
	}
	err := db.Raw(`select state, file_name, report::text as report, rows_read, dry_run, `+mayUndo+` as may_undo, undone_at,
		beat_at < now() - make_interval(secs => ?) as still, created_at, finished_at
		from import_run r where id = ? and kind = ?`, staleAfter.Seconds(), id, kind).Take(&row).Error
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
	out.ID, out.DryRun, out.State, out.RowsRead = id, row.DryRun, row.State, row.RowsRead
	out.MayUndo, out.UndoneAt = row.MayUndo, row.UndoneAt
	if row.State == "RUNNING" && row.Still {
		out.State, out.Message = "FAILED", nothingKept
	}
	return out, nil
}

// RunSummary is a run in the history.
type RunSummary struct {
	ID          uuid.UUID  `json:"id"`
	State       string     `json:"state" enum:"RUNNING,DONE,REFUSED,FAILED"`
	FileName    string     `json:"fileName"`
	RowsRead    int        `json:"rowsRead"`
	Bad         int        `json:"bad"`
	Creates     int        `json:"creates"`
	Updates     int        `json:"updates"`
	CreatedBy   *uuid.UUID `json:"createdBy"`
	CreatorName string     `json:"creatorName"`
	CreatedAt   time.Time  `json:"createdAt"`
	FinishedAt  *time.Time `json:"finishedAt"`
	UndoneAt    *time.Time `json:"undoneAt"`
	MayUndo     bool       `json:"mayUndo" doc:"It can be taken back, unless something depends on what it wrote"`
}

// mayUndo is the condition that a run r has kept what taking it back needs.
const mayUndo = `(r.state = 'DONE' and not r.dry_run and r.undone_at is null
	and (r.undo <> '{}' or exists (select from import_change h where h.run_id = r.id)))`

var runListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{"state": api.ByEnum("state", "RUNNING", "DONE", "REFUSED", "FAILED")},
}

// listRuns lists what was imported, or was tried to; dry runs are left out.
func listRuns(kind string) func(api.Ctx, api.ListRequest) (api.Page[RunSummary], error) {
	return func(c api.Ctx, l api.ListRequest) (api.Page[RunSummary], error) {
		return api.Fetch[RunSummary](c.DB.Table("(?) as import_run", c.DB.Raw(`select r.id,
			case when r.state = 'RUNNING' and r.beat_at < now() - make_interval(secs => ?) then 'FAILED' else r.state end as state,
			r.file_name, r.rows_read, r.rows_bad as bad, coalesce((r.report->>'creates')::int, 0) as creates,
			coalesce((r.report->>'updates')::int, 0) as updates, r.created_by,
			coalesce(trim(u.first_name || ' ' || u.last_name), '') as creator_name, r.created_at, r.finished_at, r.undone_at,
			`+mayUndo+` as may_undo
			from import_run r left join app_user u on u.id = r.created_by where r.kind = ? and not r.dry_run`,
			staleAfter.Seconds(), kind)), l)
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

// Clear forgets what taking runs back needs, once they are too old for it.
func Clear(_ context.Context, at api.SchoolWork) error {
	err := at.DB.Exec(`delete from import_change where run_id in
		(select id from import_run where created_at < now() - make_interval(days => ?))`, UndoDays).Error
	if err == nil {
		err = at.DB.Exec(`update import_run set undo = '{}' where undo <> '{}'
			and created_at < now() - make_interval(days => ?)`, UndoDays).Error
	}
	if err != nil {
		return fmt.Errorf("forgetting what old imports wrote: %w", err)
	}
	return nil
}
