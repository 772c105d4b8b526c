package fee

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Accounts every school has. Their ids are the migration's.
var (
	cashAccount       = account(1)
	bankAccount       = account(2)
	concessionAccount = account(3)
	fineAccount       = account(4)
	writeOffAccount   = account(21)
	differenceAccount = account(22)
	clearingAccount   = account(23)
)

// incomes are the accounts that other modules' postings earn for.
var incomes = map[string]uuid.UUID{"FINE": fineAccount, "LIBRARY": account(5), "TRANSPORT": account(6), "EXAM": account(7),
	"OTHER": account(8)}

// moneyAccount is where a payment of a mode goes, or comes from.
func moneyAccount(mode string) uuid.UUID {
	if mode == "CASH" {
		return cashAccount
	}
	return bankAccount
}

func account(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}

// posting is one balanced transaction on its way into the ledger, with the invoice it
// makes, if it makes one.
type posting struct {
	id        uuid.UUID
	kind      string
	on        api.Date // the day it counts for; today unless given
	narration string
	key       string // what it is for: the same key is posted once
	reverses  *uuid.UUID
	invoice   *invoice
	entries   []entry
}

// invoice is what a student is newly asked for.
type invoice struct {
	id         uuid.UUID
	year       uuid.UUID
	number     string
	student    uuid.UUID
	structure  *uuid.UUID
	instalment *int
	name       string
	due        api.Date
	lines      []InvoiceLine
}

// entry is one side of a posting. of is the invoice it makes larger or smaller.
type entry struct {
	account uuid.UUID
	side    string
	amount  int64
	of      *invoice
}

const (
	debit  = "DR"
	credit = "CR"
)

const (
	insertTransactions = `insert into ledger_transaction (id, kind, value_date, narration, reverses_id, idempotency_key, created_by,
		created_at)
		select id, kind, day::date, narration, reverses, key, $2, $3
		from unnest($4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[], $1::text[]) as t (id, kind, narration, reverses, key, day)`
	insertInvoices = `insert into fee_invoice (id, academic_year_id, number, student_id, structure_id, instalment, name, due_date, lines,
		transaction_id, created_at)
		select id, year, number, student, structure, instalment, name, due::date, lines::jsonb, transaction, $1
		from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::int[], $8::text[], $9::text[], $10::text[], $11::uuid[])
			as i (id, year, number, student, structure, instalment, name, due, lines, transaction)`
	insertEntries = `insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
		select transaction, line, account, side, amount, invoice, due::date
		from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::bigint[], $6::uuid[], $7::text[]) as e (transaction, line, account, side,
		amount, invoice, due)`
)

// write is the statements that put postings into the ledger: as many for one as for
// thousands.
func write(c api.Ctx, postings ...posting) ([]tenancy.Query, error) {
	var t struct {
		ids                    []uuid.UUID
		kinds, narrations, key []string
		days                   []string
		reverses               []*uuid.UUID
	}
	var e struct {
		transactions, accounts []uuid.UUID
		lines                  []int32
		sides                  []string
		amounts                []int64
		invoices               []*uuid.UUID
		dues                   []*string
	}
	var i struct {
		ids, years, students, transactions []uuid.UUID
		numbers, names, dues, lines        []string
		structures                         []*uuid.UUID
		instalments                        []*int
	}
	for _, p := range postings {
		t.ids, t.kinds, t.narrations = append(t.ids, p.id), append(t.kinds, p.kind), append(t.narrations, p.narration)
		t.reverses, t.key = append(t.reverses, p.reverses), append(t.key, p.key)
		if p.on.IsZero() {
			p.on = c.Today()
		}
		t.days = append(t.days, p.on.String())
		if v := p.invoice; v != nil {
			lines, err := json.Marshal(v.lines)
			if err != nil {
				return nil, fmt.Errorf("writing an invoice: %w", err)
			}
			i.ids, i.years, i.students, i.transactions = append(i.ids, v.id), append(i.years, v.year), append(i.students, v.student),
				append(i.transactions, p.id)
			i.numbers, i.names, i.dues, i.lines = append(i.numbers, v.number), append(i.names, v.name), append(i.dues, v.due.String()),
				append(i.lines, string(lines))
			i.structures, i.instalments = append(i.structures, v.structure), append(i.instalments, v.instalment)
		}
		for n, side := range p.entries {
			var of *uuid.UUID
			var due *string
			if side.of != nil {
				day := side.of.due.String()
				of, due = &side.of.id, &day
			}
			e.transactions, e.accounts, e.lines = append(e.transactions, p.id), append(e.accounts, side.account), append(e.lines, int32(n+1))
			e.sides, e.amounts, e.invoices, e.dues = append(e.sides, side.side), append(e.amounts, side.amount), append(e.invoices, of),
				append(e.dues, due)
		}
	}
	out := []tenancy.Query{{SQL: insertTransactions,
		Args: []any{t.days, c.User.ID, c.Now, t.ids, t.kinds, t.narrations, t.reverses, t.key}}}
	if len(i.ids) > 0 {
		out = append(out, tenancy.Query{SQL: insertInvoices,
			Args: []any{c.Now, i.ids, i.years, i.numbers, i.students, i.structures, i.instalments, i.names, i.dues, i.lines, i.transactions}})
	}
	return append(out, tenancy.Query{SQL: insertEntries,
		Args: []any{e.transactions, e.lines, e.accounts, e.sides, e.amounts, e.invoices, e.dues}}), nil
}

// post writes postings at once.
func post(c api.Ctx, postings ...posting) error {
	if len(postings) == 0 {
		return nil
	}
	queries, err := write(c, postings...)
	if err != nil {
		return err
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("posting to the ledger: %w", err)
	}
	return nil
}

const (
	// openAccounts gives students who have none an account, in one order, so that two who
	// do it at once wait for each other instead of dying. The conflict names no key: the
	// table has three, and whichever the other's account is found by, it is the same one.
	openAccounts = `insert into ledger_account (id, code, name, type, student_id, created_at)
		select id, 'STUDENT ' || id, 'Student', 'STUDENT', id, $2 from student where id = any($1)
			and not exists (select from ledger_account a where a.id = student.id) order by id on conflict do nothing`
	// lockAccounts keeps everybody else from posting to the students until the end of the
	// transaction: what is decided by their balance stays true until it is written.
	lockAccounts = `select id from ledger_account where id = any($1) order by id for no key update`
)

// schoolYear is the year new numbers are counted in.
type schoolYear struct {
	ID        uuid.UUID
	Name      string
	StartDate api.Date
	EndDate   api.Date
}

const selectYear = `select id, name, start_date, end_date from academic_year order by (active and end_date >= $1::date) desc,
	($1::date between start_date and end_date) desc, active desc, start_date desc limit 1`

// currentYear is the active year until its last day, else the one today belongs to, so that a receipt is of its day's year
// whenever the office turns to it; else the active or the last there is.
func currentYear(c api.Ctx) (schoolYear, error) {
	var years []schoolYear
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return schoolYear{}, fmt.Errorf("reading the academic year: %w", err)
	}
	return only(years)
}

var noYear = api.Conflict("The school has no academic year yet: add one first")

func only(years []schoolYear) (schoolYear, error) {
	if len(years) == 0 {
		return schoolYear{}, noYear
	}
	return years[0], nil
}

// takeNumbers takes n numbers of a series, which nobody else takes from until the
// transaction ends; if it fails, they are there again. $1 is the series, $2 is n.
const takeNumbers = `insert into number_series as s (name, next) values ($1, 1 + $2::bigint) on conflict (name) do update
	set next = s.next + $2 returning s.next - $2`

func receiptSeries(year uuid.UUID) string { return "fee receipt " + year.String() }

// invoiceNumbers numbers invoices of a year.
func invoiceNumbers(c api.Ctx, year schoolYear, n int) (func(i int) string, error) {
	var first int64
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: takeNumbers, Args: []any{"fee invoice " + year.ID.String(), n},
		Scan: tenancy.One(&first)})
	if err != nil {
		return nil, fmt.Errorf("numbering invoices: %w", err)
	}
	return func(i int) string { return paperNumber(year.Name, "I", first+int64(i)) }, nil
}

// paperNumber is a number as papers carry it: 2026-27/R-000001.
func paperNumber(year, kind string, n int64) string {
	return fmt.Sprintf("%s/%s-%06d", strings.TrimSpace(year), kind, n)
}
