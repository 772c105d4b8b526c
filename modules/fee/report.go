package fee

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Report is a student's account: every entry with the balance after it, and what of the
// invoices is settled. The balance is the sum of the entries and nothing else.
type Report struct {
	Student  StudentRef       `json:"student"`
	Balance  int64            `json:"balance" doc:"What is owed; below zero it is paid ahead"`
	Advance  int64            `json:"advance" doc:"What is paid ahead"`
	Clearing int64            `json:"inClearing" doc:"What of the payments is cheques that the bank has not paid yet"`
	Currency string           `json:"currency"`
	Entries  []ReportEntry    `json:"entries" doc:"By the day they count for, oldest first"`
	Invoices []ledger.Invoice `json:"invoices" doc:"By due date"`
}

// StudentRef says whose account it is.
type StudentRef struct {
	ID              uuid.UUID `json:"id"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	ClassName       string    `json:"className"`
	DivisionName    string    `json:"divisionName"`
	Status          string    `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`
}

// ReportEntry is one entry of the student's account.
type ReportEntry struct {
	TransactionID uuid.UUID  `json:"transactionId"`
	Date          api.Date   `json:"date"`
	Kind          string     `json:"kind" enum:"CHARGE,PAYMENT,CONCESSION,FINE,OPENING,REVERSAL,REFUND,WRITE_OFF"`
	Narration     string     `json:"narration"`
	EntryType     string     `json:"entryType" enum:"DR,CR" doc:"DR makes the balance larger, CR smaller"`
	Amount        int64      `json:"amount"`
	Balance       int64      `json:"balance" doc:"After this entry"`
	InvoiceID     *uuid.UUID `json:"invoiceId"`
	ReceiptID     *uuid.UUID `json:"receiptId" doc:"Of a payment"`
	RefundID      *uuid.UUID `json:"refundId" doc:"Of a refund"`
	ReceiptNumber *string    `json:"receiptNumber" doc:"Of the receipt, the refund or the write-off"`
	ReversesID    *uuid.UUID `json:"reversesId" doc:"The transaction a reversal takes back"`
	CreatedAt     time.Time  `json:"createdAt"`
}

type reportOf struct {
	StudentID uuid.UUID `path:"studentId"`
	Format    string    `json:"format" validate:"omitempty,oneof=json pdf" doc:"pdf to print a statement"`
}

const (
	// selectStudents says who students are and where they sit on the day $1.
	selectStudents = `select s.id, s.admission_number, s.first_name, s.last_name, s.status, coalesce(k.name, '') as class_name,
		coalesce(d.name, '') as division_name
		from student s left join enrolment e on e.student_id = s.id and e.start_date <= $1 and (e.end_date is null or e.end_date >= $1)
			left join class k on k.id = coalesce(e.class_id, s.class_id) left join division d on d.id = e.division_id`
	selectStudent = selectStudents + ` where s.id = $2`
	// selectEntries finds the student's own transactions and receipts by their indexes:
	// offset 0 keeps the planner from reading everybody's, which it thinks cheaper.
	selectEntries = `select e.transaction_id, t.value_date as date, t.kind, t.narration, e.entry_type, e.amount, e.invoice_id,
		r.id as receipt_id, b.id as refund_id, coalesce(r.receipt_number, b.refund_number, w.write_off_number) as receipt_number, t.reverses_id,
		t.created_at,
			(sum(case e.entry_type when 'DR' then e.amount
			else -e.amount end) over (order by t.value_date, t.created_at, t.id, e.line rows unbounded preceding))::bigint as balance
		from ledger_entry e cross join lateral (select id, value_date, kind, narration, reverses_id, created_at from ledger_transaction
		where id = e.transaction_id offset 0) t
			left join (select id, receipt_number, transaction_id from fee_receipt where student_id = $1 offset 0) r on r.transaction_id = t.id
			left join (select id, refund_number, transaction_id from fee_refund where student_id = $1 offset 0) b on b.transaction_id = t.id
			left join fee_write_off w on w.transaction_id = t.id and t.kind = 'WRITE_OFF'
		where e.account_id = $1 order by t.value_date, t.created_at, t.id, e.line`
)

func (m *Module) getReport(c api.Ctx, r reportOf) (api.MaybeFile[Report], error) {
	return m.reportBy(c, r, selectStudent, c.Today(), r.StudentID)
}

// reportBy is the report of the student a query finds.
func (m *Module) reportBy(c api.Ctx, r reportOf, student string, args ...any) (api.MaybeFile[Report], error) {
	out := Report{Currency: c.School.Currency, Invoices: []ledger.Invoice{}}
	var found []StudentRef
	var invoices []ledger.StudentInvoice
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: student, Args: args, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: selectEntries, Args: []any{r.StudentID}, Scan: tenancy.Collect(&out.Entries)},
		tenancy.Query{SQL: clearingOf, Args: []any{r.StudentID}, Scan: tenancy.One(&out.Clearing)},
		tenancy.Query{SQL: ledger.AllocateOne, Args: []any{r.StudentID, c.Today()}, Scan: tenancy.Collect(&invoices), ForceGenericPlan: true})
	if err != nil {
		return api.MaybeFile[Report]{}, fmt.Errorf("reading a student's account: %w", err)
	}
	if len(found) == 0 {
		return api.MaybeFile[Report]{}, roster.ErrNoStudent
	}
	out.Student = found[0]
	for _, i := range invoices {
		out.Invoices = append(out.Invoices, i.Invoice)
	}
	if n := len(out.Entries); n > 0 {
		out.Balance = out.Entries[n-1].Balance
		out.Advance = max(0, -out.Balance)
	}
	answer := api.MaybeFile[Report]{Data: out}
	if r.Format == "pdf" {
		head, err := m.Letterhead(c)
		if err != nil {
			return answer, err
		}
		answer.File, err = out.pdf(c, head)
		return answer, err
	}
	return answer, nil
}
