package imports

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/api"
	"homeroom/sheet"
)

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
	NewSubjects      []string           `json:"newSubjects" doc:"Subjects that the file names and the school does not have; made if createSubjects says so"`
	Rows             []ShownRow         `json:"rows" doc:"The bad rows, up to 5,000, and the first 20 others; not kept with the run"`

	Sums []Sum `json:"sums" doc:"Figures of the file as a whole: amounts of money in minor units, days, marks"`

	UndoneAt *time.Time `json:"undoneAt" doc:"When it was taken back"`
	MayUndo  bool       `json:"mayUndo" doc:"It can be taken back, unless something depends on what it wrote"`

	Message string `json:"message"`
}

// Sum is a figure of a file as a whole.
type Sum struct {
	Name  string `json:"name" example:"dueAmount"`
	Value int64  `json:"value"`
}

// take reads a file to its end, then does all of it in one transaction or nothing. How far it is can be read elsewhere while it runs.
func (k Kind[R]) take(c api.Ctx, r R, file *api.Incoming) (ImportResult, error) {
	reading, err := k.Begin(c, r)
	if err != nil {
		return ImportResult{}, err
	}
	if reading.Convert == nil {
		reading.Convert = k.Convert
	}
	im := importer{kind: k.Key, most: k.Most, tables: k.Tables, Reading: reading}
	run, done, err := startRun(c, k.Key, r.common(), file.Name)
	if err != nil || done != nil {
		return done.answer(), err
	}
	result, err := run.work(c, r.common(), file, im)
	if err != nil {
		run.fail(c, err, result)
	}
	return result, err
}

// importer reads one file of a kind.
type importer struct {
	kind   string
	most   int
	tables []string
	Reading
}

func (run *importRun) work(c api.Ctx, r Request, file *api.Incoming, im importer) (ImportResult, error) {
	in, found, err := run.read(c, r, file, im)
	if err != nil {
		return ImportResult{}, err
	}
	if r.DryRun {
		p, err := im.Plan(c, found.Clone())
		if err != nil {
			return ImportResult{}, err
		}
		return run.done(c, run.result(p, in), false)
	}
	if im.Prepare != nil {
		p, err := im.Plan(c, found.Clone())
		if err != nil {
			return ImportResult{}, err
		}
		result := run.result(p, in)
		if err := refuseImport(r, &result); err != nil {
			return result, err
		}
		if err := im.Prepare(c, func(share float64) { run.percent.Store(40 + int64(share*10)) }); err != nil {
			return result, fmt.Errorf("preparing an import: %w", err)
		}
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

func (run *importRun) commit(c api.Ctx, r Request, im importer, in *sheet.Table, found *sheet.Problems) (result ImportResult,
	err error) {
	err = c.Transact(func(c api.Ctx) error {
		// One import at a time: the second sees what the first did.
		if err := c.DB.Exec(`select set_config('statement_timeout', '4min', true), set_config('lock_timeout', '4min', true),
			pg_advisory_xact_lock(hashtextextended(current_schema() || ' import', 0))`).Error; err != nil {
			return fmt.Errorf("waiting for other imports: %w", err)
		}
		p, err := im.Plan(c, found.Clone())
		if err != nil {
			return err
		}
		result = run.result(p, in)
		if err := refuseImport(r, &result); err != nil {
			return err
		}
		run.percent.Store(50)
		err = p.Write(c, func(share float64) { run.percent.Store(50 + int64(share*49)) })
		if err != nil {
			return fmt.Errorf("importing: %w", err)
		}
		if result.MayUndo, err = run.keep(c, im.tables, p.Base()); err != nil {
			return err
		}
		c.Changed("import", strings.ToLower(im.kind), run.id, nil, importSummary(result))
		_, err = run.done(c, result, true)
		return err
	})
	return result, err
}

// read reads the whole file. Its rows are kept, bounded by the file's size.
func (run *importRun) read(c api.Ctx, r Request, file *api.Incoming, im importer) (*sheet.Table, *sheet.Problems, error) {
	how := sheet.In(api.PhoneRegion(c.School))
	how.Order, how.Most = sheet.Order(r.DateOrder), im.most
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
	maps.DeleteFunc(how.Remembered, func(_, column string) bool { // of a custom field that is retired
		return column != "" && !slices.ContainsFunc(im.Columns, func(c sheet.Column) bool { return c.Name == column })
	})
	table := io.Reader(file)
	if im.Convert != nil {
		if table, err = im.Convert(file); err != nil {
			return nil, nil, err
		}
	}
	in, err := sheet.Load(table, im.Columns, how)
	if err != nil {
		return nil, nil, err
	}
	if in.Len() == 0 {
		return nil, nil, sheet.BadFile("has no rows below its header")
	}
	found := &sheet.Problems{}
	in.Each(found, func(row int, cells []string, bad map[int]bool) { im.Take(row, cells, bad, found) })
	run.percent.Store(40)
	for _, col := range im.Columns {
		run.known = append(run.known, col.Name)
	}
	return in, found, nil
}

func (run *importRun) result(p Plan, in *sheet.Table) ImportResult {
	plan := p.Base()
	out := plan.Totals
	out.ID, out.State, out.DryRun, out.Percent = run.id, "DONE", run.dry, 100
	out.RowsRead = int(run.rows.Load())
	for i, e := range plan.Found.Named {
		plan.Found.Named[i].Column = in.Header(e.Column)
	}
	out.Bad, out.ErrorCount, out.Errors = plan.Found.BadRows(), plan.Found.Total, plan.Found.Sorted()
	out.UnknownColumns, out.Understood, out.Columns = in.Unknown(), in.Understood, in.Columns
	out.KnownColumns, out.Rows = run.known, shownRows(in, plan.Found)
	out.PlanHash = hashOf(in.Checksum(), hex.EncodeToString(plan.sum.Sum(nil)))
	return out.listed()
}

// listed is the result with lists that may be empty, and never absent: a run that ends
// before its file was read has none.
func (r ImportResult) listed() ImportResult {
	if r.Errors == nil {
		r.Errors = []sheet.RowError{}
	}
	for _, list := range []*[]string{&r.UnknownColumns, &r.KnownColumns, &r.NewClasses, &r.NewSubjects} {
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
	if r.Sums == nil {
		r.Sums = []Sum{}
	}
	return r
}

// refuseImport says why the plan is not carried out, if it is not.
func refuseImport(r Request, result *ImportResult) error {
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
		"guardiansNew": r.GuardiansNew, "enrolments": r.Enrolments, "moves": r.Moves, "sums": r.Sums}
}
