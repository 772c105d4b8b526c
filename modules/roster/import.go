package roster

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
)

// The two ways to take a file in which some rows are bad.
const (
	allOrNothing = "ALL_OR_NOTHING"
	skipBadRows  = "SKIP_BAD_ROWS"
)

// importRequest is what comes with a file.
type importRequest struct {
	DryRun   bool      `json:"dryRun" doc:"Say what would be done, and do nothing"`
	PlanHash string    `json:"planHash" validate:"max=64" doc:"Of the dry run: refused with 409 if the file or the data it touches is another now"`
	Mode     string    `json:"mode" validate:"omitempty,oneof=ALL_OR_NOTHING SKIP_BAD_ROWS" doc:"ALL_OR_NOTHING unless given"`
	ID       uuid.UUID `json:"id" doc:"The run's id, if you want to ask how far it is while it runs"`
}

// ImportResult is what a file does, or would do.
type ImportResult struct {
	ID             uuid.UUID  `json:"id" doc:"Of the run"`
	State          string     `json:"state" doc:"RUNNING, DONE, REFUSED or FAILED; of the last two nothing was kept"`
	DryRun         bool       `json:"dryRun"`
	PlanHash       string     `json:"planHash"`
	RowsRead       int        `json:"rowsRead"`
	Percent        int        `json:"percent"`
	Creates        int        `json:"creates"`
	Updates        int        `json:"updates"`
	Unchanged      int        `json:"unchanged"`
	Bad            int        `json:"bad" doc:"Rows with errors; skipped, or the reason why nothing was done"`
	GuardiansNew   int        `json:"guardiansNew"`
	GuardiansFound int        `json:"guardiansFound" doc:"Known by their phone already, here or on an earlier row"`
	Enrolments     int        `json:"enrolments" doc:"Opened in a division"`
	Moves          int        `json:"moves" doc:"From one division to another"`
	Errors         []RowError `json:"errors" doc:"At most 200 of them"`
	ErrorCount     int        `json:"errorCount"`
	UnknownColumns []string   `json:"unknownColumns" doc:"They were not read"`
	Message        string     `json:"message"`
}

// importPlan is what a file's rows would do to the data as it is.
type importPlan interface {
	result() ImportResult
	problems() *problems
	hash() string
	// write does it, in c's transaction; total is for saying how far it is.
	write(c api.Ctx, progress func(share float64)) error
}

// importer reads one kind of file.
type importer struct {
	kind    string
	columns []column
	// take keeps a row of the file, and checks what can be checked without the database.
	take func(row int, cells []string, found *problems)
	// plan compares the rows with the database.
	plan func(c api.Ctx, found *problems) (importPlan, error)
}

// runImport reads a file to its end, then does all of it in one transaction or nothing.
// How far it is can be read elsewhere while it runs.
func runImport(c api.Ctx, r importRequest, file *api.Incoming, im importer) (ImportResult, error) {
	run, err := startRun(c, im.kind, r, file.Name)
	if err != nil {
		return ImportResult{}, err
	}
	result, err := run.work(c, r, file, im)
	if err != nil {
		run.fail(c, err, result)
	}
	return result, err
}

func (run *importRun) work(c api.Ctx, r importRequest, file *api.Incoming, im importer) (ImportResult, error) {
	sheet, found, err := run.read(file, im)
	if err != nil {
		return ImportResult{}, err
	}
	sum := hex.EncodeToString(sheet.sum.Sum(nil))
	if r.DryRun {
		p, err := im.plan(c, found.and())
		if err != nil {
			return ImportResult{}, err
		}
		return run.done(c, run.result(p, sheet, sum, "DONE"), false)
	}
	for try := 1; ; try++ {
		result, err := run.commit(c, r, im, sheet, sum, found)
		var taken *pgconn.PgError
		if errors.As(err, &taken) && (taken.Code == "23505" || taken.Code == "23P01") && try < 3 {
			continue // somebody added the same student or guardian meanwhile: now they are known
		}
		return result, err
	}
}

func (run *importRun) commit(c api.Ctx, r importRequest, im importer, sheet *sheet, sum string, found *problems) (result ImportResult, err error) {
	err = c.Transact(func(c api.Ctx) error {
		// One import at a time: the second sees what the first did.
		if err := c.DB.Exec(`select set_config('statement_timeout', '4min', true), set_config('lock_timeout', '4min', true),
			pg_advisory_xact_lock(hashtextextended(current_schema() || ' import', 0))`).Error; err != nil {
			return fmt.Errorf("waiting for other imports: %w", err)
		}
		p, err := im.plan(c, found.and())
		if err != nil {
			return err
		}
		result = run.result(p, sheet, sum, "DONE")
		if err := refuseImport(r, &result); err != nil {
			return err
		}
		run.percent.Store(50)
		err = p.write(c, func(share float64) { run.percent.Store(50 + int64(share*49)) })
		if err != nil {
			return fmt.Errorf("importing: %w", err)
		}
		c.Changed("import", im.entity(), run.id, nil, importSummary(result))
		_, err = run.done(c, result, true)
		return err
	})
	return result, err
}

func (im importer) entity() string {
	if im.kind == "STUDENT" {
		return "student"
	}
	return "employee"
}

// read reads the whole file. Its rows are kept, bounded by the file's size.
func (run *importRun) read(file *api.Incoming, im importer) (*sheet, *problems, error) {
	sheet, err := openSheet(file, im.columns)
	if err != nil {
		return nil, nil, err
	}
	found := &problems{}
	for {
		cells, err := sheet.next(found)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		im.take(sheet.row, cells, found)
		run.rows.Add(1)
		run.percent.Store(int64(file.Share() * 40))
	}
	if run.rows.Load() == 0 {
		return nil, nil, badFile("has no rows below its header")
	}
	return sheet, found, nil
}

func (run *importRun) result(p importPlan, s *sheet, sum, state string) ImportResult {
	out, found := p.result(), p.problems()
	out.ID, out.State, out.DryRun, out.Percent = run.id, state, run.dry, 100
	out.RowsRead = int(run.rows.Load())
	out.Bad, out.ErrorCount, out.Errors = len(found.rows), found.total, found.named
	out.UnknownColumns = s.unknown
	out.PlanHash = hashOf(sum, p.hash())
	return out.listed()
}

// listed is the result with lists that may be empty, and never absent: a run that ends
// before its file was read has none.
func (r ImportResult) listed() ImportResult {
	if r.Errors == nil {
		r.Errors = []RowError{}
	}
	if r.UnknownColumns == nil {
		r.UnknownColumns = []string{}
	}
	return r
}

// refuseImport says why the plan is not carried out, if it is not.
func refuseImport(r importRequest, result *ImportResult) error {
	if r.PlanHash != "" && r.PlanHash != result.PlanHash {
		result.State = "REFUSED"
		return api.Conflict("The file or the data it touches is not what the dry run saw: look at a new dry run first")
	}
	if result.Bad == 0 || r.Mode == skipBadRows {
		return nil
	}
	result.State = "REFUSED"
	e := api.Invalid()
	e.Message = fmt.Sprintf("%d of %d rows are bad: nothing was imported", result.Bad, result.RowsRead)
	for _, p := range result.Errors {
		field := fmt.Sprintf("rows[%d]", p.Row)
		if p.Column != "" {
			field += "." + p.Column
		}
		e.Details = append(e.Details, api.Detail{Field: field, Message: p.Message})
	}
	result.Message = e.Message
	e.Data = *result
	return e
}

// summary is what the audit keeps of a run.
func importSummary(r ImportResult) map[string]any {
	return map[string]any{"rowsRead": r.RowsRead, "creates": r.Creates, "updates": r.Updates, "unchanged": r.Unchanged, "skipped": r.Bad,
		"guardiansNew": r.GuardiansNew, "enrolments": r.Enrolments, "moves": r.Moves}
}
