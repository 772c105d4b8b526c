package ledger

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// InvoiceLine is one head of an invoice.
type InvoiceLine struct {
	FeeHeadID *uuid.UUID `json:"feeHeadId"`
	Name      string     `json:"name"`
	Amount    int64      `json:"amount"`
	Waived    int64      `json:"waived,omitempty" doc:"What a rule takes off it: of siblings, of children of employees"`
	Rule      string     `json:"rule,omitempty" doc:"Which" example:"child 2 of the family, 10 %"`
}

// Invoice is what a student was asked for and how far it is settled. Nothing of it is
// stored but what was asked: money settles the oldest due date first, so that a payment
// that is reversed opens again what it had settled.
type Invoice struct {
	ID         uuid.UUID     `json:"id"`
	Number     string        `json:"number" example:"2026-27/I-000001"`
	Name       string        `json:"name" example:"Term 1"`
	Instalment *int          `json:"instalment"`
	DueDate    api.Date      `json:"dueDate"`
	Lines      []InvoiceLine `json:"lines"`
	Charged    int64         `json:"charged" doc:"Fees and fines"`
	Concession int64         `json:"concession" doc:"What of it is waived"`
	Paid       int64         `json:"paid"`
	Open       int64         `json:"open" doc:"What is still owed of it"`
	State      string        `json:"state" enum:"UNPAID,PARTIAL,PAID,OVERDUE,WAIVED" doc:"UNPAID, PARTIAL, PAID, OVERDUE (open after its due date) or WAIVED (by concessions, whole)"`
}

// AllocateSQL selects the invoices of some students, by due date, with what is paid of each.
// Entries that name an invoice make its amount; all others are money, which is allocated to
// the invoices from the oldest. students is the condition on the account's id; $2 is today.
func AllocateSQL(students string) string {
	return `with own as (
		select account_id, invoice_id, sum(case entry_type when 'DR' then amount else -amount end)::bigint as net,
			coalesce(sum(amount) filter (where entry_type = 'DR'), 0)::bigint as charged
		from ledger_entry where account_id ` + students + ` group by account_id, invoice_id),
	item as (
		select i.id, i.student_id, i.number, i.name, i.instalment, i.due_date, i.lines, i.academic_year_id, i.structure_id, o.charged,
		o.charged - o.net as concession, o.net,
			coalesce(-m.net, 0) - (sum(o.net) over (partition by i.student_id order by i.due_date, i.id) - o.net) as left_for_it
		from own o join fee_invoice i on i.id = o.invoice_id left join own m on m.account_id = o.account_id and m.invoice_id is null),
	allocated as (
		select item.*, greatest(0, least(net, left_for_it))::bigint as paid from item)
	select id, student_id, academic_year_id, structure_id, number, name, instalment, due_date, lines, charged, concession, paid,
	net - paid as open,
		case when net = 0 then 'WAIVED' when paid = net then 'PAID' when due_date < $2::date then 'OVERDUE' when paid > 0 then 'PARTIAL'
			else 'UNPAID' end as state
	from allocated order by student_id, due_date, id`
}

// AllocateOne is for the student $1 alone: for a list Postgres expects ten, and for ten
// students' entries it would read all of the school's.
var AllocateOne = AllocateSQL(`= $1`)

// StudentInvoice is a row of allocateSQL.
type StudentInvoice struct {
	Invoice
	StudentID      uuid.UUID
	AcademicYearID uuid.UUID
	StructureID    *uuid.UUID
}

// Allocation is what a payment settled of an invoice.
type Allocation struct {
	InvoiceID uuid.UUID `json:"invoiceId"`
	Number    string    `json:"number"`
	Name      string    `json:"name"`
	Amount    int64     `json:"amount"`
}

// Allocate spreads money over what is open, oldest first. What is left is paid ahead.
func Allocate(open []StudentInvoice, amount int64) (list []Allocation, ahead int64) {
	list = []Allocation{}
	for _, i := range open {
		if n := min(i.Open, amount); n > 0 {
			list = append(list, Allocation{i.ID, i.Number, i.Name, n})
			amount -= n
		}
	}
	return list, amount
}

// Pick is the invoice a request names among a student's.
func Pick(list []StudentInvoice, id uuid.UUID) (StudentInvoice, error) {
	for _, i := range list {
		if i.ID == id {
			return i, nil
		}
	}
	return StudentInvoice{}, api.InvalidField("invoiceId", "invoiceId is no invoice of this student")
}
