// Package imports is the frame of every import of a file: a module declares a Kind for what it takes in (its columns, how rows are
// understood and how they are written), and the frame does the rest. A file is checked as a whole first; a dry run says what it
// would do and gives the plan a hash; it is then taken in one transaction, all of it or the good rows, silently. A run can be
// watched, is kept in a history, and is taken back while nothing depends on what it wrote.
package imports

import (
	"io"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
)

// Kind is one kind of file that a school can bring. R is what comes with a file: Request, or a type that embeds it.
type Kind[R options] struct {
	Key        string // of its runs: STUDENT
	Path       string // of its endpoint: /school-admin/student/import
	Permission string // whose right to write importing needs
	Summary    string // of the endpoint
	Columns    []sheet.Column
	Most       int // rows; as many as a file may have unless given
	// Convert makes a table of a file in another program's form; nil: all files are tables.
	Convert func(file io.Reader) (io.Reader, error)
	// Begin prepares reading one file.
	Begin func(c api.Ctx, r R) (Reading, error)
	// Tables are all that it writes but for logs and number series, in an order in which rows can be added. What it wrote there
	// can be taken back. It deletes no rows of theirs.
	Tables []string
	// Loosen is a statement that is run before the earlier state of changed rows is restored, for those that had swapped
	// something unique; $1 is the run.
	Loosen string
	// Undo takes a run back where its rows cannot be deleted, or are not written down; what was given to Plan.Remember or RememberAll
	// comes back as JSON, {} if nothing was.
	Undo    func(c api.Ctx, made []byte) error
	Options []api.Option // of reading a file and of taking it back
}

// Reading reads one file.
type Reading struct {
	Columns []sheet.Column // the kind's, and more that the school has defined
	// Convert makes a table of the file, as that of the kind does, for a reading that keeps more of the file than its table; or nil.
	Convert func(file io.Reader) (io.Reader, error)
	// Prepare does what must not be done in a transaction, once a plan is good and before it is made again and written; or nil.
	Prepare func(c api.Ctx, progress func(share float64)) error
	// Take keeps a row, and checks what can be checked without the database; what is wrong with a cell is in bad already.
	Take func(row int, cells []string, bad map[int]bool, found *sheet.Problems)
	// Plan compares the rows with the database as it is. It may be called again for the same rows.
	Plan func(c api.Ctx, found *sheet.Problems) (Plan, error)
}

// Plan is what a file's rows would do to the data as it is.
type Plan interface {
	Base() *PlanBase
	// Write carries it out, in c's transaction; progress hears what share of it is done.
	Write(c api.Ctx, progress func(share float64)) error
}

// The two ways to take a file in which some rows are bad.
const (
	allOrNothing = "ALL_OR_NOTHING"
	skipBadRows  = "SKIP_BAD_ROWS"
)

// Request is what comes with a file.
type Request struct {
	DryRun   bool      `json:"dryRun" doc:"Say what would be done, and do nothing"`
	PlanHash string    `json:"planHash" validate:"max=64" doc:"Of the dry run: refused with 409 if the file or the data it touches is another now"`
	Mode     string    `json:"mode" validate:"omitempty,oneof=ALL_OR_NOTHING SKIP_BAD_ROWS" doc:"ALL_OR_NOTHING unless given"`
	ID       uuid.UUID `json:"id" doc:"The run's id, if you want to ask how far it is while it runs. A file that is sent again with the id of a run that was interrupted goes on as that run; with that of one that is done, it is answered as then"`

	Mapping   string `json:"mapping" validate:"max=50000" doc:"Which column each of the file's is, as a JSON object by its header: {\"Father Mobile\": \"fatherPhone\", \"House\": \"\"}; an empty one is left out. It is remembered for the next file"`
	LeaveOut  bool   `json:"leaveOut" doc:"Leave out the columns with values that nobody knows; without it, or a mapping for each, nothing is imported"`
	DateOrder string `json:"dateOrder" validate:"omitempty,oneof=DMY MDY" doc:"How the file writes dates like 03/04/2016; by its other dates, or as the school's country does, unless given"`
}

// options are what comes with a file of some kind.
type options interface{ common() Request }

func (r Request) common() Request { return r }

// Rows are the kind's endpoints.
func (k Kind[R]) Rows() []api.Row {
	opts := append([]api.Option{api.Columns(sheet.Document(k.Columns)...), api.Silent, api.Says("Import read")}, k.Options...)
	return api.Rows(
		api.Upload(k.Path, k.Permission, k.Summary, k.take, opts...),
		api.List(k.Path+"/list", k.Permission, "Earlier runs: "+k.Summary, runListing, listRuns(k.Key)),
		api.Get(k.Path+"/:id", k.Permission, "How far a run is, or how it ended: "+k.Summary, getRun(k.Key)),
		api.Post(k.Path+"/:id/undo", k.Permission, "Take a run back, while nothing depends on what it wrote: "+k.Summary, k.undo,
			append([]api.Option{api.Silent, api.NoBodyNeeded, api.MayTake(undoTimeout), api.Says("Import taken back")}, k.Options...)...),
	)
}

// Example is a run of the kind, for the contract tests.
func (k Kind[R]) Example() api.Example {
	return api.Example{Path: k.Path + "/:id", Table: "import_run", Change: map[string]any{}, Make: func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into import_run (id, kind, state, dry_run) values (?, ?, 'DONE', true)`, id, k.Key)
		return id
	}}
}

// Line is a row of a file: every cell as it is kept, empty where there is none.
type Line struct {
	Row   int
	Cells []string
	Bad   map[int]bool // columns whose cells are wrong, and empty here
}

// ByLine is a reading that keeps the rows as they are. understand says what they do: what is wrong with a row is noted in found,
// with all other rows the draft is filled.
func ByLine(columns []sheet.Column, understand func(c api.Ctx, lines []Line, d *Draft) error) Reading {
	var lines []Line
	return Reading{
		Columns: columns,
		Take: func(row int, cells []string, bad map[int]bool, _ *sheet.Problems) {
			lines = append(lines, Line{row, cells, bad})
		},
		Plan: func(c api.Ctx, found *sheet.Problems) (Plan, error) {
			d := &Draft{PlanBase: NewPlanBase(found)}
			err := understand(c, lines, d)
			return d, err
		},
	}
}
