package charging

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// maxOpenings is how many rows a file of opening balances may have.
const maxOpenings = 20_000

type openingImport struct {
	imports.Request
	Date api.Date `json:"date" doc:"Of the rows that have none; today unless given"`
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
		colAdmission: lookup.AdmissionNumber,
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

// OpeningFiles are files of what students owed or had in credit. Nobody is notified.
func OpeningFiles() imports.Kind[openingImport] {
	return imports.Kind[openingImport]{
		Key: "OPENING_BALANCE", Path: "/school-admin/fee/opening-balance/import", Permission: "fee", Columns: openingSheet("INR"),
		Most: maxOpenings, Summary: "Import opening balances from a CSV file or workbook", Undo: undoOpenings,
		Begin: func(c api.Ctx, r openingImport) (imports.Reading, error) {
			if r.Date.IsZero() {
				r.Date = c.Today()
			}
			return imports.ByLine(openingSheet(c.School.Currency), func(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
				return planOpenings(c, r.Date, lines, d)
			}), nil
		},
	}
}

// planOpenings compares the rows with the students there are and what their accounts began with.
func planOpenings(c api.Ctx, day api.Date, lines []imports.Line, d *imports.Draft) error {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = strings.ToLower(l.Cells[colAdmission])
	}
	students, err := lookup.Students(c, numbers, c.Today())
	if err != nil {
		return err
	}
	var before []opened
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: openedSQL(`select id from student where lower(admission_number) = any($1)`),
		Args: []any{numbers}, Scan: tenancy.Collect(&before)})
	if err != nil {
		return fmt.Errorf("reading the students of a file: %w", err)
	}
	holds, rows := map[uuid.UUID]bool{}, map[string]int{}
	for _, b := range before {
		holds[b.StudentID] = b.Holds
	}
	var list []opening
	for i, l := range lines {
		student, known := students[numbers[i]]
		first, twice := rows[numbers[i]]
		rows[numbers[i]] = l.Row
		o := opening{student: student.ID, day: day, note: l.Cells[colNote]}
		if cell := l.Cells[colDate]; cell != "" {
			if err := o.day.UnmarshalText([]byte(cell)); err != nil {
				return fmt.Errorf("reading a date: %w", err)
			}
		}
		switch {
		case numbers[i] == "":
			d.Bad(l.Row, "admissionNumber", "is required")
		case !known:
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		case twice:
			d.Bad(l.Row, "admissionNumber", "is the number of row %d, too", first)
		case holds[student.ID]:
			d.Bad(l.Row, "admissionNumber", "the student has an opening balance already")
		}
		if l.Cells[colAmount] == "" && !l.Bad[colAmount] {
			d.Bad(l.Row, "amount", "is required")
		}
		if c.Today().Before(o.day) {
			d.Bad(l.Row, "date", "must not be in the future")
		}
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		if o.amount, err = strconv.ParseInt(l.Cells[colAmount], 10, 64); err != nil {
			return fmt.Errorf("reading an amount: %w", err)
		}
		switch {
		case o.amount == 0: // nothing is posted
			d.Same(l.Row, student.ID)
			continue
		case o.amount > 0:
			d.Sum("dues", 1)
			d.Sum("dueAmount", o.amount)
		default:
			d.Sum("credits", 1)
			d.Sum("creditAmount", -o.amount)
		}
		d.Create(l.Row, student.ID, o.amount, o.day)
		list = append(list, o)
	}
	d.Then(func(c api.Ctx) error {
		if len(list) == 0 {
			return nil
		}
		postings, err := open(c, list)
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(postings))
		for i, p := range postings {
			ids[i] = p.ID
		}
		d.Remember(ids)
		return nil
	})
	return nil
}

// undoOpenings takes opening balances back by their mirror images, unless something was posted to one of the accounts since.
func undoOpenings(c api.Ctx, made []byte) error {
	var ids []uuid.UUID
	if err := json.Unmarshal(made, &ids); err != nil {
		return fmt.Errorf("reading what an import posted: %w", err)
	}
	var accounts []struct{ ID uuid.UUID }
	var later []struct{ N int }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select a.id from ledger_account a where a.type = 'STUDENT' and a.id in
		(select account_id from ledger_entry where transaction_id = any($1)) order by a.id for no key update`, Args: []any{ids},
		Scan: tenancy.Collect(&accounts)})
	if err != nil {
		return fmt.Errorf("locking students' accounts: %w", err)
	}
	students := make([]uuid.UUID, len(accounts))
	for i, a := range accounts {
		students[i] = a.ID
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select count(distinct e.account_id)::int as n from ledger_entry e
		join ledger_transaction t on t.id = e.transaction_id where e.account_id = any($1) and t.id <> all($2)
		and t.created_at >= (select min(created_at) from ledger_transaction where id = any($2))`, Args: []any{students, ids},
		Scan: tenancy.Collect(&later)})
	if err != nil {
		return fmt.Errorf("looking for later postings: %w", err)
	}
	if later[0].N > 0 {
		return api.Conflict("Something was posted since to the accounts of %d of these students, so that it cannot be taken back", later[0].N)
	}
	postings := make([]ledger.Transaction, len(ids))
	for i := range ids {
		postings[i] = ledger.Transaction{ID: api.NewID(), Reverses: &ids[i], Narration: "Reversal of an imported opening balance"}
	}
	return ledger.TakeBack(c, postings...)
}
