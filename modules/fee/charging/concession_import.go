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

// The columns of a file of concessions: each row is one of a student's.
const (
	colConceded = iota
	colValue
	colHead
	colCategory
	colReason
)

var categories = sheet.OneOf(map[string]string{"SIBLINGS": "SIBLING", "STAFF CHILD": "STAFF", "SCHOLARSHIP": "MERIT"},
	"SIBLING", "STAFF", "MERIT", "OTHER")

// concessionSheet is read in the school's currency: 25% is a share, 1500.00 an amount for the year.
func concessionSheet(currency string) []sheet.Column {
	return []sheet.Column{
		colConceded: lookup.AdmissionNumber,
		colValue: {Name: "concession", Check: concessionCell(currency),
			Also: []string{"value", "amount", "percent", "discount", "waiver", "छूट", "रियायत", "تخفيض", "خصم", "punguzo"}},
		colHead:     {Name: "head", Check: sheet.Text(100), Also: []string{"feeHead", "fee", "of"}},
		colCategory: {Name: "category", Check: categories, Also: []string{"kind", "type"}},
		colReason:   {Name: "reason", Check: sheet.Text(500), Also: []string{"remark", "note", "for"}},
	}
}

// concessionCell reads a share or an amount, of a year, in minor units.
func concessionCell(currency string) func(string) (string, error) {
	return func(cell string) (string, error) {
		if share, is := strings.CutSuffix(cell, "%"); is {
			n, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
			if err != nil || n <= 0 || n > 100 {
				return "", errors.New("must be a share from 0.01% to 100%")
			}
			return strconv.FormatFloat(n, 'f', -1, 64) + "%", nil
		}
		n, err := minorUnits(cell, tenancy.CurrencyDigits(currency))
		if err == nil && n <= 0 {
			err = errors.New("must be a share such as 25%, or an amount above 0")
		}
		return strconv.FormatInt(n, 10), err
	}
}

// ConcessionFiles are files of concessions of the active year. They make smaller what was charged before, as those do that are
// granted one by one.
func ConcessionFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "CONCESSION", Path: "/school-admin/fee/concession/import", Permission: "fee", Columns: concessionSheet("INR"), Most: 5_000,
		Summary: "Import concessions of the active year from a CSV file or workbook", Undo: undoConcessions,
		Begin: func(c api.Ctx, _ imports.Request) (imports.Reading, error) {
			return imports.ByLine(concessionSheet(c.School.Currency), planConcessions), nil
		},
	}
}

func planConcessions(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = l.Cells[colConceded]
	}
	students, err := lookup.Students(c, numbers, c.Today())
	if err != nil {
		return err
	}
	heads, err := lookup.Table(c, "fee head", "fee_head", "name")
	if err != nil {
		return err
	}
	var there []struct{ Key string }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select concat_ws(' ', f.student_id, coalesce(f.fee_head_id::text, '-'), f.mode,
		f.value::float8, f.category) as key from fee_concession f join academic_year y on y.id = f.academic_year_id and y.active
		where f.ends_on is null`, Scan: tenancy.Collect(&there)})
	if err != nil {
		return fmt.Errorf("reading concessions: %w", err)
	}
	known := map[string]bool{}
	for _, t := range there {
		known[t.Key] = true
	}
	var list []concessionIn
	for i, l := range lines {
		student, found := students[strings.ToLower(numbers[i])]
		f := ConcessionFields{StudentID: student.ID, Mode: "AMOUNT", Category: l.Cells[colCategory], Reason: l.Cells[colReason]}
		switch {
		case numbers[i] == "":
			d.Bad(l.Row, "admissionNumber", "is required")
		case !found:
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		}
		head := "-"
		if name := l.Cells[colHead]; name != "" {
			id, why := heads.Find(name)
			if why != "" {
				d.Bad(l.Row, "head", "%s", why)
			}
			f.FeeHeadID, head = &id, id.String()
		}
		text, share := strings.CutSuffix(l.Cells[colValue], "%")
		if share {
			f.Mode = "PERCENT"
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil && !l.Bad[colValue] {
			d.Bad(l.Row, "concession", "is required")
		}
		f.Value = ledger.Value(n)
		if f.Category == "" {
			f.Category = "OTHER"
		}
		if f.Reason == "" {
			f.Reason = "Imported"
		}
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		key := fmt.Sprint(student.ID, " ", head, " ", f.Mode, " ", strconv.FormatFloat(n, 'f', -1, 64), " ", f.Category)
		if known[key] {
			d.Same(l.Row, key)
			continue
		}
		known[key] = true
		d.Create(l.Row, key)
		list = append(list, concessionIn{ConcessionFields: f})
	}
	d.Then(func(c api.Ctx) error {
		var made []uuid.UUID
		for _, r := range list {
			g, err := grantConcession(c, r)
			if err != nil {
				return err
			}
			made = append(made, g.ID)
		}
		d.Remember(made)
		return nil
	})
	return nil
}

// undoConcessions deletes concessions that nothing was taken off by yet.
func undoConcessions(c api.Ctx, made []byte) error {
	var ids []uuid.UUID
	if err := json.Unmarshal(made, &ids); err != nil {
		return fmt.Errorf("reading what an import granted: %w", err)
	}
	var used, gone []struct{ N int }
	var students []struct{ ID uuid.UUID }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select id from ledger_account where id in (select student_id from fee_concession where id = any($1)) order by id
			for no key update`, Args: []any{ids}, Scan: tenancy.Collect(&students)},
		tenancy.Query{SQL: `select count(*)::int as n from fee_concession f where f.id = any($1) and exists (select from ledger_transaction t
			where t.kind = 'CONCESSION' and t.idempotency_key like 'concession ' || f.id || '%')`, Args: []any{ids}, Scan: tenancy.Collect(&used)})
	if err != nil {
		return fmt.Errorf("looking what concessions came to: %w", err)
	}
	if used[0].N > 0 {
		return api.Conflict("%d of these concessions were taken off invoices already, so that the import cannot be taken back: end them instead",
			used[0].N)
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with gone as (delete from fee_concession where id = any($1) and version = 1 returning 1)
		select count(*)::int as n from gone`, Args: []any{ids}, Scan: tenancy.Collect(&gone)})
	if err != nil {
		return fmt.Errorf("taking concessions back: %w", err)
	}
	if gone[0].N < len(ids) {
		return api.Conflict("%d of these concessions were changed since, so that the import cannot be taken back", len(ids)-gone[0].N)
	}
	accounts := make([]uuid.UUID, len(students))
	for i, s := range students {
		accounts[i] = s.ID
	}
	return closeUnused(c, accounts)
}

// closeUnused deletes accounts to which nothing was ever posted: one is opened again when it is needed.
func closeUnused(c api.Ctx, students []uuid.UUID) error {
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `delete from ledger_account a where a.id = any($1) and a.type = 'STUDENT'
		and not exists (select from ledger_entry e where e.account_id = a.id)
		and not exists (select from fee_concession f where f.student_id = a.id)
		and not exists (select from fee_subscription s where s.student_id = a.id)`, Args: []any{students}})
	if err != nil {
		return fmt.Errorf("closing accounts: %w", err)
	}
	return nil
}
