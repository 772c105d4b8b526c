package importing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
	"homeroom/sheet"
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

	Mapping   string `json:"mapping" validate:"max=50000" doc:"Which column each of the file's is, as a JSON object by its header: {\"Father Mobile\": \"fatherPhone\", \"House\": \"\"}; an empty one is left out. It is remembered for the next file"`
	LeaveOut  bool   `json:"leaveOut" doc:"Leave out the columns with values that nobody knows; without it, or a mapping for each, nothing is imported"`
	DateOrder string `json:"dateOrder" validate:"omitempty,oneof=DMY MDY" doc:"How the file writes dates like 03/04/2016; by its other dates, or as the school's country does, unless given"`
}

// ImportResult is what a file does, or would do.
type ImportResult struct {
	ID             uuid.UUID        `json:"id" doc:"Of the run"`
	State          string           `json:"state" enum:"RUNNING,DONE,REFUSED,FAILED" doc:"RUNNING, DONE, REFUSED or FAILED; of the last two nothing was kept"`
	DryRun         bool             `json:"dryRun"`
	PlanHash       string           `json:"planHash"`
	RowsRead       int              `json:"rowsRead"`
	Percent        int              `json:"percent"`
	Creates        int              `json:"creates"`
	Updates        int              `json:"updates"`
	Unchanged      int              `json:"unchanged"`
	Bad            int              `json:"bad" doc:"Rows with errors; skipped, or the reason why nothing was done"`
	GuardiansNew   int              `json:"guardiansNew"`
	GuardiansFound int              `json:"guardiansFound" doc:"Known by their phone already, here or on an earlier row"`
	Enrolments     int              `json:"enrolments" doc:"Opened in a division"`
	FromYearStart  int              `json:"fromYearStart" doc:"Of these, how many begin with the academic year"`
	Moves          int              `json:"moves" doc:"From one division to another"`
	Errors         []sheet.RowError `json:"errors" doc:"At most 200 of them"`
	ErrorCount     int              `json:"errorCount"`
	UnknownColumns []string         `json:"unknownColumns" doc:"Nobody knows them: they were not read"`

	GuardiansLeftOut int                `json:"guardiansLeftOut" doc:"Fathers, mothers and guardians without a phone of their own, whose child has another guardian"`
	Understood       sheet.Understood   `json:"understood" doc:"How the file was read"`
	Columns          []sheet.FileColumn `json:"columns" doc:"The file's columns, in its order"`
	KnownColumns     []string           `json:"knownColumns" doc:"All that a column can be"`
	NewClasses       []string           `json:"newClasses" doc:"Classes and divisions that the file names and the school does not have; made if createClasses says so"`
	Rows             []ShownRow         `json:"rows" doc:"The bad rows, up to 5,000, and the first 20 others; not kept with the run"`

	Message string `json:"message"`
}

// importPlan is what a file's rows would do to the data as it is.
type importPlan interface {
	base() *planBase
	// write carries it out, in c's transaction; progress hears what share of it is done.
	write(c api.Ctx, progress func(share float64)) error
}

// planBase is what plans of all kinds of files have.
type planBase struct {
	found  *sheet.Problems
	totals ImportResult
	sum    hash.Hash // over what will be done, and the ids and versions of the data it was decided on
}

func newPlanBase(found *sheet.Problems) planBase { return planBase{found: found, sum: sha256.New()} }

func (p *planBase) base() *planBase { return p }

// skip hashes a row that is bad.
func (p *planBase) skip(row int) { fmt.Fprintf(p.sum, "%d bad\n", row) }

// importer reads one kind of file.
type importer struct {
	kind    string // STUDENT or EMPLOYEE
	columns []sheet.Column
	// take keeps a row of the file, and checks what can be checked without the database.
	take func(row int, cells []string, bad map[int]bool, found *sheet.Problems)
	// plan compares the rows with the database.
	plan func(c api.Ctx, found *sheet.Problems) (importPlan, error)
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
	in, found, err := run.read(c, r, file, im)
	if err != nil {
		return ImportResult{}, err
	}
	if r.DryRun {
		p, err := im.plan(c, found.Clone())
		if err != nil {
			return ImportResult{}, err
		}
		return run.done(c, run.result(p, in), false)
	}
	for try := 1; ; try++ {
		result, err := run.commit(c, r, im, in, found)
		var taken *pgconn.PgError
		if errors.As(err, &taken) && (taken.Code == "23505" || taken.Code == "23P01") && try < 3 {
			continue // somebody added the same student or guardian meanwhile: now they are known
		}
		return result, err
	}
}

func (run *importRun) commit(c api.Ctx, r importRequest, im importer, in *sheet.Table, found *sheet.Problems) (result ImportResult,
	err error) {
	err = c.Transact(func(c api.Ctx) error {
		// One import at a time: the second sees what the first did.
		if err := c.DB.Exec(`select set_config('statement_timeout', '4min', true), set_config('lock_timeout', '4min', true),
			pg_advisory_xact_lock(hashtextextended(current_schema() || ' import', 0))`).Error; err != nil {
			return fmt.Errorf("waiting for other imports: %w", err)
		}
		p, err := im.plan(c, found.Clone())
		if err != nil {
			return err
		}
		result = run.result(p, in)
		if err := refuseImport(r, &result); err != nil {
			return err
		}
		run.percent.Store(50)
		err = p.write(c, func(share float64) { run.percent.Store(50 + int64(share*49)) })
		if err != nil {
			return fmt.Errorf("importing: %w", err)
		}
		c.Changed("import", strings.ToLower(im.kind), run.id, nil, importSummary(result))
		_, err = run.done(c, result, true)
		return err
	})
	return result, err
}

// read reads the whole file. Its rows are kept, bounded by the file's size.
func (run *importRun) read(c api.Ctx, r importRequest, file *api.Incoming, im importer) (*sheet.Table, *sheet.Problems, error) {
	how := sheet.In(api.PhoneRegion(c.School))
	how.Order = sheet.Order(r.DateOrder)
	how.OnRow = func() {
		run.rows.Add(1)
		run.percent.Store(int64(file.Share() * 35))
	}
	var err error
	if how.Mapping, err = r.mapping(); err != nil {
		return nil, nil, err
	}
	if how.Remembered, err = readMapping(c, im.kind); err != nil {
		return nil, nil, err
	}
	in, err := sheet.Load(file, im.columns, how)
	if err != nil {
		return nil, nil, err
	}
	if in.Len() == 0 {
		return nil, nil, sheet.BadFile("has no rows below its header")
	}
	found := &sheet.Problems{}
	in.Each(found, func(row int, cells []string, bad map[int]bool) { im.take(row, cells, bad, found) })
	run.percent.Store(40)
	for _, col := range im.columns {
		run.known = append(run.known, col.Name)
	}
	return in, found, nil
}

func (run *importRun) result(p importPlan, in *sheet.Table) ImportResult {
	plan := p.base()
	out := plan.totals
	out.ID, out.State, out.DryRun, out.Percent = run.id, "DONE", run.dry, 100
	out.RowsRead = int(run.rows.Load())
	for i, e := range plan.found.Named {
		plan.found.Named[i].Column = in.Header(e.Column)
	}
	out.Bad, out.ErrorCount, out.Errors = plan.found.BadRows(), plan.found.Total, plan.found.Sorted()
	out.UnknownColumns, out.Understood, out.Columns = in.Unknown(), in.Understood, in.Columns
	out.KnownColumns, out.Rows = run.known, shownRows(in, plan.found)
	out.PlanHash = hashOf(in.Checksum(), hex.EncodeToString(plan.sum.Sum(nil)))
	return out.listed()
}

// listed is the result with lists that may be empty, and never absent: a run that ends
// before its file was read has none.
func (r ImportResult) listed() ImportResult {
	if r.Errors == nil {
		r.Errors = []sheet.RowError{}
	}
	for _, list := range []*[]string{&r.UnknownColumns, &r.KnownColumns, &r.NewClasses} {
		if *list == nil {
			*list = []string{}
		}
	}
	if r.Columns == nil {
		r.Columns = []sheet.FileColumn{}
	}
	if r.Rows == nil {
		r.Rows = []ShownRow{}
	}
	return r
}

// runParts does the parts of writing a plan one after the other.
func runParts(c api.Ctx, progress func(share float64), parts ...func(api.Ctx) error) error {
	for i, part := range parts {
		if err := part(c); err != nil {
			return err
		}
		progress(float64(i+1) / float64(len(parts)))
	}
	return nil
}

// refuseImport says why the plan is not carried out, if it is not.
func refuseImport(r importRequest, result *ImportResult) error {
	if r.PlanHash != "" && r.PlanHash != result.PlanHash {
		result.State = "REFUSED"
		return api.Conflict("The file or the data it touches is not what the dry run saw: look at a new dry run first")
	}
	if len(result.UnknownColumns) > 0 && !r.LeaveOut {
		result.State = "REFUSED"
		e := api.Invalid()
		e.Message = "Nobody knows some of the file's columns: say what they are, or that they are left out"
		for _, header := range result.UnknownColumns {
			e.Details = append(e.Details, api.Detail{Field: "mapping", Message: fmt.Sprintf("has no column for %q: add it, or leaveOut", header)})
		}
		result.Message, e.Data = e.Message, *result
		return e
	}
	if result.Bad == 0 || r.Mode == skipBadRows {
		return nil
	}
	result.State = "REFUSED"
	e := api.Invalid()
	e.Message = fmt.Sprintf("%d of %d rows are bad: nothing was imported", result.Bad, result.RowsRead)
	e.Details = sheet.Details(result.Errors)
	result.Message = e.Message
	e.Data = *result
	return e
}

// importSummary is what the audit keeps of a run.
func importSummary(r ImportResult) map[string]any {
	return map[string]any{"rowsRead": r.RowsRead, "creates": r.Creates, "updates": r.Updates, "unchanged": r.Unchanged, "skipped": r.Bad,
		"guardiansNew": r.GuardiansNew, "enrolments": r.Enrolments, "moves": r.Moves}
}
