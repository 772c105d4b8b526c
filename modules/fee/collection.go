package fee

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
	"homeroom/tenancy"
)

type payment struct {
	StudentID       uuid.UUID `json:"studentId" validate:"required"`
	Amount          Amount    `json:"amount" validate:"min=1,max=1000000000000" doc:"In minor units"`
	PaymentMode     string    `json:"paymentMode" validate:"required,oneof=CASH CHEQUE CARD UPI BANK_TRANSFER ONLINE"`
	ReferenceNumber string    `json:"referenceNumber" validate:"max=100" doc:"Of the cheque, the card slip, the transfer"`
}

// Collection is a payment that was received.
type Collection struct {
	ID              uuid.UUID    `json:"id"`
	ReceiptNumber   string       `json:"receiptNumber" example:"2026-27/R-000001" doc:"Without gaps, by school and academic year"`
	Number          int64        `json:"number" doc:"The running number in it"`
	StudentID       uuid.UUID    `json:"studentId"`
	TransactionID   uuid.UUID    `json:"transactionId"`
	Amount          int64        `json:"amount"`
	PaymentMode     string       `json:"paymentMode"`
	ReferenceNumber string       `json:"referenceNumber"`
	ReceivedAt      time.Time    `json:"receivedAt"`
	Allocations     []Allocation `json:"allocations" doc:"What it settled, oldest first"`
	Advance         int64        `json:"advance" doc:"What of it is left for charges to come"`
	Balance         int64        `json:"balance" doc:"What the student owes now; below zero they have paid ahead"`
}

// payer is a student at the counter, their account locked.
type payer struct {
	ID              uuid.UUID
	AdmissionNumber string
	FirstName       string
	LastName        string
	Balance         int64
}

const (
	// lockPayer locks one student's account. What comes after it in the same pipeline sees
	// all that was posted before.
	lockPayer = `select s.id, s.admission_number, s.first_name, s.last_name from ledger_account a join student s on s.id = a.student_id
		where a.id = $1 for no key update of a`
	balanceOf = `select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)::bigint from ledger_entry
		where account_id = $1`

	insertReceipt = `with taken as (` + takeNumbers + ` as number)
		insert into fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode,
		reference_number, received_on, received_at, received_by, allocations)
		select $3, $4, number, $5::text || '/R-' || lpad(number::text, greatest(6, length(number::text)), '0'), $6, $7, $8, $9, $10, $11, $12,
		$13, $14 from taken
		returning number, receipt_number`
)

// recordPayment takes money: to the oldest dues first, and what is left stays on the
// student's account for the next charge. The counter's row is taken last: who pays at
// the next desk waits for it, and for nothing else.
func recordPayment(c api.Ctx, r payment) (Collection, error) {
	who, year, open, err := atCounter(c, r.StudentID)
	if err != nil {
		return Collection{}, err
	}
	amount := int64(r.Amount)
	list, ahead := allocate(open, amount)
	out := Collection{
		ID: api.NewID(), StudentID: r.StudentID, TransactionID: api.NewID(), Amount: amount, PaymentMode: r.PaymentMode,
		ReferenceNumber: r.ReferenceNumber,
		ReceivedAt:      c.Now, Allocations: list, Advance: ahead, Balance: who.Balance - amount,
	}
	into := bankAccount
	if r.PaymentMode == "CASH" {
		into = cashAccount
	}
	queries, err := write(c, posting{id: out.TransactionID, kind: "PAYMENT", narration: "Payment by " + spoken[r.PaymentMode],
		key: "payment " + out.ID.String(), entries: []entry{
			{account: into, side: debit, amount: amount}, {account: r.StudentID, side: credit, amount: amount}}})
	if err != nil {
		return out, err
	}
	allocations, err := json.Marshal(list)
	if err != nil {
		return out, fmt.Errorf("writing a receipt: %w", err)
	}
	queries = append(queries, tenancy.Query{SQL: insertReceipt,
		Args: []any{receiptSeries(year.ID), 1, out.ID, year.ID, year.Name, out.StudentID, out.TransactionID,
			amount, r.PaymentMode, r.ReferenceNumber, c.Today(), c.Now, c.User.ID, string(allocations)},
		Scan: func(rows pgx.Rows) error {
			_, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
				return struct{}{}, row.Scan(&out.Number, &out.ReceiptNumber)
			})
			return err
		}})
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return out, fmt.Errorf("recording a payment: %w", err)
	}
	c.Changed("create", "fee receipt", out.ID, nil, out)
	notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee payment " + out.ID.String(), RecordID: out.ID, StudentID: &out.StudentID,
		Text: notice.Text{Name: "fee.received", Values: notice.Values{"amount": money(c, amount), "child": who.name(),
			"receipt": out.ReceiptNumber, "standing": standing(c, out.Balance)}}})
	return out, nil
}

// atCounter locks a student's account and reads what stands on it.
func atCounter(c api.Ctx, student uuid.UUID) (who payer, year schoolYear, open []allocatedInvoice, err error) {
	var found []payer
	var years []schoolYear
	ids := []uuid.UUID{student}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: openAccounts, Args: []any{ids, c.Now}, ForceGenericPlan: true},
		tenancy.Query{SQL: lockPayer, Args: []any{student}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: allocateOne, Args: []any{student, c.Today()}, Scan: tenancy.Collect(&open), ForceGenericPlan: true},
		tenancy.Query{SQL: balanceOf, Args: []any{student}, Scan: tenancy.One(&who.Balance)},
		tenancy.Query{SQL: selectYear, Args: []any{c.Today()}, Scan: tenancy.Collect(&years)})
	if err != nil {
		return who, year, nil, fmt.Errorf("reading a student's account: %w", err)
	}
	if len(found) == 0 {
		return who, year, nil, roster.ErrNoStudent
	}
	found[0].Balance = who.Balance
	year, err = only(years)
	return found[0], year, open, err
}
