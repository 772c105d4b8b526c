// Package ledger is the double-entry ledger of a school's fees: accounts, balanced transactions, invoices and how money is
// allocated to them, numbers of papers, and what a student owes. It has no endpoint, and does not decide what is charged or received.
package ledger

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// CashAccount and the others are accounts every school has. Their ids are the migration's.
var (
	CashAccount       = SchoolAccount(1)
	BankAccount       = SchoolAccount(2)
	ConcessionAccount = SchoolAccount(3)
	FineAccount       = SchoolAccount(4)
	WriteOffAccount   = SchoolAccount(21)
	DifferenceAccount = SchoolAccount(22)
	ClearingAccount   = SchoolAccount(23)
)

// Incomes are the accounts that other modules' charges earn for.
var Incomes = map[string]uuid.UUID{"FINE": FineAccount, "LIBRARY": SchoolAccount(5), "TRANSPORT": SchoolAccount(6),
	"EXAM":  SchoolAccount(7),
	"OTHER": SchoolAccount(8)}

// MoneyAccount is where a payment of a mode goes, or comes from.
func MoneyAccount(mode string) uuid.UUID {
	if mode == "CASH" {
		return CashAccount
	}
	return BankAccount
}

// SchoolAccount is the id of an account that every school has, by its number.
func SchoolAccount(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}

// Transaction is one balanced transaction on its way into the ledger, with the invoice it
// makes, if it makes one.
type Transaction struct {
	ID        uuid.UUID
	Kind      string
	On        api.Date // the day it counts for; today unless given
	Narration string
	Key       string // what it is for: the same key is posted once
	Reverses  *uuid.UUID
	Invoice   *Demand
	Entries   []Entry
}

// Demand is what a student is newly asked for.
type Demand struct {
	ID         uuid.UUID
	Year       uuid.UUID
	Number     string
	Student    uuid.UUID
	Structure  *uuid.UUID
	Instalment *int
	Name       string
	Due        api.Date
	Lines      []InvoiceLine
}

// Entry is one side of a transaction. Of is the invoice it makes larger or smaller.
type Entry struct {
	Account uuid.UUID
	Side    string
	Amount  int64
	Of      *Demand
}

// Debit and Credit are the sides of an entry.
const (
	Debit  = "DR"
	Credit = "CR"
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

// Write is the statements that put postings into the ledger: as many for one as for
// thousands.
func Write(c api.Ctx, postings ...Transaction) ([]tenancy.Query, error) {
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
		t.ids, t.kinds, t.narrations = append(t.ids, p.ID), append(t.kinds, p.Kind), append(t.narrations, p.Narration)
		t.reverses, t.key = append(t.reverses, p.Reverses), append(t.key, p.Key)
		if p.On.IsZero() {
			p.On = c.Today()
		}
		t.days = append(t.days, p.On.String())
		if v := p.Invoice; v != nil {
			lines, err := json.Marshal(v.Lines)
			if err != nil {
				return nil, fmt.Errorf("writing an invoice: %w", err)
			}
			i.ids, i.years, i.students, i.transactions = append(i.ids, v.ID), append(i.years, v.Year), append(i.students, v.Student),
				append(i.transactions, p.ID)
			i.numbers, i.names, i.dues, i.lines = append(i.numbers, v.Number), append(i.names, v.Name), append(i.dues, v.Due.String()),
				append(i.lines, string(lines))
			i.structures, i.instalments = append(i.structures, v.Structure), append(i.instalments, v.Instalment)
		}
		for n, side := range p.Entries {
			var of *uuid.UUID
			var due *string
			if side.Of != nil {
				day := side.Of.Due.String()
				of, due = &side.Of.ID, &day
			}
			e.transactions, e.accounts, e.lines = append(e.transactions, p.ID), append(e.accounts, side.Account), append(e.lines, int32(n+1))
			e.sides, e.amounts, e.invoices, e.dues = append(e.sides, side.Side), append(e.amounts, side.Amount), append(e.invoices, of),
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

// Post writes postings at once.
func Post(c api.Ctx, postings ...Transaction) error {
	if len(postings) == 0 {
		return nil
	}
	queries, err := Write(c, postings...)
	if err != nil {
		return err
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("posting to the ledger: %w", err)
	}
	return nil
}

const (
	// OpenAccounts gives students who have none an account, in one order, so that two who
	// do it at once wait for each other instead of dying. The conflict names no key: the
	// table has three, and whichever the other's account is found by, it is the same one.
	OpenAccounts = `insert into ledger_account (id, code, name, type, student_id, created_at)
		select id, 'STUDENT ' || id, 'Student', 'STUDENT', id, $2 from student where id = any($1)
			and not exists (select from ledger_account a where a.id = student.id) order by id on conflict do nothing`
	// LockAccounts keeps everybody else from posting to the students until the end of the
	// transaction: what is decided by their balance stays true until it is written.
	LockAccounts = `select id from ledger_account where id = any($1) order by id for no key update`
)
