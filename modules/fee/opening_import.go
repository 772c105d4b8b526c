package fee

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxOpenings is how many rows a file of opening balances may have.
const maxOpenings = 20_000

type openingImport struct {
	DryRun bool     `json:"dryRun" doc:"Say what would be done, and do nothing"`
	Date   api.Date `json:"date" doc:"Of the rows that have none; today unless given"`
}

// OpeningsImported is what a file of opening balances does, or would do.
type OpeningsImported struct {
	DryRun       bool  `json:"dryRun"`
	RowsRead     int   `json:"rowsRead"`
	Dues         int   `json:"dues" doc:"How many students owed something"`
	DueAmount    int64 `json:"dueAmount"`
	Credits      int   `json:"credits" doc:"How many had paid ahead"`
	CreditAmount int64 `json:"creditAmount"`
	Even         int   `json:"even" doc:"Rows with 0: nothing is posted for them"`
}

// The columns of a file: each row is a student.
const (
	colAdmission = iota
	colAmount
	colDate
	colNote
)

// openingSheet is read in the school's currency: 1500.00 is owed, -200.00 was paid ahead.
func openingSheet(currency string) []sheet.Column {
	return []sheet.Column{
		colAdmission: {Name: "admissionNumber", Also: []string{"admissionNo"}, Check: sheet.Text(40)},
		colAmount: {Name: "amount", Also: []string{"balance", "openingBalance", "total"}, Check: func(cell string) (string, error) {
			n, err := minorUnits(cell, tenancy.CurrencyDigits(currency))
			return strconv.FormatInt(n, 10), err
		}},
		colDate: {Name: "date", Also: []string{"dueDate", "since"}, Date: true},
		colNote: {Name: "note", Also: []string{"remark", "for"}, Check: sheet.Text(200)},
	}
}

// minorUnits reads an amount as people write it: 1,500.00 or -200.
func minorUnits(cell string, digits int) (int64, error) {
	bad := errors.New("must be an amount such as 1500, with at most " + strconv.Itoa(digits) + " decimals")
	text, negative := strings.CutPrefix(strings.ReplaceAll(strings.TrimSpace(cell), ",", ""), "-")
	units, rest, _ := strings.Cut(text, ".")
	if len(rest) > digits {
		return 0, bad
	}
	n, err := strconv.ParseUint(units+rest+strings.Repeat("0", digits-len(rest)), 10, 63)
	if err != nil || units == "" || n > MaxAmount {
		return 0, bad
	}
	if negative {
		return -int64(n), nil
	}
	return int64(n), nil
}

type openingLine struct {
	row   int
	cells []string
}

// importOpenings reads a file to its end, then posts all of it or, where something is wrong,
// nothing. Nobody is notified.
func importOpenings(c api.Ctx, r openingImport, file *api.Incoming) (OpeningsImported, error) {
	var lines []openingLine
	err := sheet.Read(file, sheet.In(api.PhoneRegion(c.School)).AtMost(maxOpenings), openingSheet(c.School.Currency),
		func(row int, cells []string) {
			lines = append(lines, openingLine{row, append([]string(nil), cells...)})
		})
	if err != nil {
		return OpeningsImported{}, err
	}
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	out := OpeningsImported{DryRun: r.DryRun, RowsRead: len(lines)}
	plan := func(c api.Ctx) ([]opening, error) {
		list, err := planOpenings(c, r.Date, lines)
		out.count(list)
		return list, err
	}
	if r.DryRun {
		_, err := plan(c)
		return out, err
	}
	err = c.Transact(func(c api.Ctx) error {
		out = OpeningsImported{RowsRead: len(lines)}
		list, err := plan(c)
		if err != nil || len(list) == 0 {
			return err
		}
		if _, err := open(c, list); err != nil {
			return err
		}
		c.Changed("import", "opening balance", c.School.ID, nil, map[string]any{"file": file.Name, "result": out})
		return nil
	})
	return out, err
}

func (r *OpeningsImported) count(list []opening) {
	for _, o := range list {
		if o.amount > 0 {
			r.Dues, r.DueAmount = r.Dues+1, r.DueAmount+o.amount
		} else {
			r.Credits, r.CreditAmount = r.Credits+1, r.CreditAmount-o.amount
		}
	}
	r.Even = r.RowsRead - len(list)
}

// planOpenings compares the rows with the students there are and what their accounts began with.
func planOpenings(c api.Ctx, day api.Date, lines []openingLine) ([]opening, error) {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = strings.ToLower(l.cells[colAdmission])
	}
	var students []struct {
		ID     uuid.UUID
		Number string
	}
	var before []opened
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id, lower(admission_number) as number from student where lower(admission_number) = any($1)
			and deleted_at is null`, Args: []any{numbers}, Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: openedSQL(`select id from student where lower(admission_number) = any($1)`),
			Args: []any{numbers}, Scan: tenancy.Collect(&before)})
	if err != nil {
		return nil, fmt.Errorf("reading the students of a file: %w", err)
	}
	byNumber, holds, rows := map[string]uuid.UUID{}, map[uuid.UUID]bool{}, map[string]int{}
	for _, s := range students {
		byNumber[s.Number] = s.ID
	}
	for _, b := range before {
		holds[b.StudentID] = b.Holds
	}
	var bad []api.Detail
	fail := func(row int, column, format string, args ...any) {
		if len(bad) < 200 {
			bad = append(bad, api.Detail{Field: sheet.Field(row, column), Message: fmt.Sprintf(format, args...)})
		}
	}
	var list []opening
	for i, l := range lines {
		student, known := byNumber[numbers[i]]
		first, twice := rows[numbers[i]]
		rows[numbers[i]] = l.row
		o := opening{student: student, day: day, note: l.cells[colNote]}
		if cell := l.cells[colDate]; cell != "" {
			if err := o.day.UnmarshalText([]byte(cell)); err != nil {
				return nil, fmt.Errorf("reading a date: %w", err)
			}
		}
		switch {
		case numbers[i] == "":
			fail(l.row, "admissionNumber", "is required")
		case !known:
			fail(l.row, "admissionNumber", "No student has this number")
		case twice:
			fail(l.row, "admissionNumber", "is the number of row %d, too", first)
		case holds[student]:
			fail(l.row, "admissionNumber", "The student has an opening balance already")
		case l.cells[colAmount] == "":
			fail(l.row, "amount", "is required")
		case c.Today().Before(o.day):
			fail(l.row, "date", "must not be in the future")
		default:
			if o.amount, err = strconv.ParseInt(l.cells[colAmount], 10, 64); err != nil {
				return nil, fmt.Errorf("reading an amount: %w", err)
			}
			if o.amount != 0 {
				list = append(list, o)
			}
		}
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return list, nil
}
