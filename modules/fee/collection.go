package fee

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

type payment struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000" doc:"In minor units"`
	tender
}

// tender is how money came.
type tender struct {
	PaymentMode     string `json:"paymentMode" validate:"required,oneof=CASH CHEQUE CARD UPI BANK_TRANSFER ONLINE"`
	ReferenceNumber string `json:"referenceNumber" validate:"max=100" doc:"Of the cheque, the card slip, the transfer"`
	ConfirmRepeat   bool   `json:"confirmRepeat" doc:"Receive it again, after REPEATED_PAYMENT"`

	InClearing bool     `json:"inClearing" doc:"Of a cheque: the bank has not paid it yet"`
	ReceivedOn api.Date `json:"receivedOn" doc:"The school's day it came, in the academic year and not closed; today unless given"`
}

// check refuses what is in clearing and no cheque.
func (t tender) check() error {
	if t.InClearing && t.PaymentMode != "CHEQUE" {
		return api.InvalidField("inClearing", "In clearing: only a cheque can be")
	}
	return nil
}

// account is where the money goes.
func (t tender) account() uuid.UUID {
	if t.InClearing {
		return ledger.ClearingAccount
	}
	return ledger.MoneyAccount(t.PaymentMode)
}

// Collection is a payment that was received.
type Collection struct {
	ID              uuid.UUID           `json:"id"`
	ReceiptNumber   string              `json:"receiptNumber" example:"2026-27/R-000001" doc:"Without gaps, by school and academic year"`
	Number          int64               `json:"number" doc:"The running number in it"`
	StudentID       uuid.UUID           `json:"studentId"`
	TransactionID   uuid.UUID           `json:"transactionId"`
	Amount          int64               `json:"amount"`
	PaymentMode     string              `json:"paymentMode" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	ReferenceNumber string              `json:"referenceNumber"`
	InClearing      bool                `json:"inClearing"`
	ReceivedOn      api.Date            `json:"receivedOn" doc:"The school's day it counts for"`
	ReceivedAt      time.Time           `json:"receivedAt" doc:"When it was entered"`
	Allocations     []ledger.Allocation `json:"allocations" doc:"What it settled, oldest first"`
	Advance         int64               `json:"advance" doc:"What of it is left for charges to come"`
	Balance         int64               `json:"balance" doc:"What the student owes now; below zero they have paid ahead"`
}

const insertReceipt = `with taken as (` + ledger.TakeNumbers + ` as number)
	insert into fee_receipt (id, academic_year_id, number, receipt_number, student_id, transaction_id, amount, payment_mode,
	reference_number, received_on, received_at, received_by, allocations, family_payment_id, in_clearing)
	select $3, $4, number, $5::text || '/R-' || lpad(number::text, greatest(6, length(number::text)), '0'), $6, $7, $8, $9, $10, $11, $12,
	$13, $14, $15, $16 from taken
	returning number, receipt_number`

// recordPayment takes money: to the oldest dues first, and what is left stays on the
// student's account for the next charge. The counter's row is taken last: who pays at
// the next desk waits for it, and for nothing else.
func recordPayment(c api.Ctx, r payment) (Collection, error) {
	amount := int64(r.Amount)
	if err := r.check(); err != nil {
		return Collection{}, err
	}
	if r.ReceivedOn.IsZero() {
		r.ReceivedOn = c.Today()
	}
	who, year, open, last, err := ledger.BeforePayment(c, r.StudentID, amount, r.ReceivedOn)
	if err == nil {
		err = valueDate(c, "receivedOn", "Received on", r.ReceivedOn, year)
	}
	if err != nil {
		return Collection{}, err
	}
	if last.Closed {
		return Collection{}, dayClosed(r.ReceivedOn)
	}
	if last.ID != nil && !r.ConfirmRepeat {
		return Collection{}, repeated(c, last, amount, who)
	}
	out, err := receive(c, year, r.tender, nil, received{who, open, amount})
	if err != nil {
		return Collection{}, err
	}
	return out[0], nil
}

// received is money for one student: who they are, what is open, how much it is.
type received struct {
	who    ledger.Payer
	open   []ledger.StudentInvoice
	amount int64
}

// receive posts what came for students whose accounts are locked, with a receipt for each.
// family is the payment that several receipts share.
func receive(c api.Ctx, year ledger.SchoolYear, r tender, family *uuid.UUID, list ...received) ([]Collection, error) {
	out, postings, receipts := make([]Collection, len(list)), make([]ledger.Transaction, len(list)), make([]tenancy.Query, len(list))
	for n, p := range list {
		settled, ahead := ledger.Allocate(p.open, p.amount)
		one := &out[n]
		*one = Collection{ID: api.NewID(), StudentID: p.who.ID, TransactionID: api.NewID(), Amount: p.amount, PaymentMode: r.PaymentMode,
			ReferenceNumber: r.ReferenceNumber, InClearing: r.InClearing, ReceivedOn: r.ReceivedOn, ReceivedAt: c.Now,
			Allocations: settled, Advance: ahead, Balance: p.who.Balance - p.amount}
		postings[n] = ledger.Transaction{ID: one.TransactionID, Kind: "PAYMENT", On: r.ReceivedOn,
			Narration: "Payment by " + ledger.Spoken[r.PaymentMode],
			Key:       "payment " + one.ID.String(), Entries: []ledger.Entry{{Account: r.account(), Side: ledger.Debit, Amount: p.amount},
				{Account: p.who.ID, Side: ledger.Credit, Amount: p.amount}}}
		allocations, err := json.Marshal(settled)
		if err != nil {
			return nil, fmt.Errorf("writing a receipt: %w", err)
		}
		receipts[n] = tenancy.Query{SQL: insertReceipt,
			Args: []any{ledger.ReceiptSeries(year.ID), 1, one.ID, year.ID, year.Name, one.StudentID, one.TransactionID,
				p.amount, r.PaymentMode, r.ReferenceNumber, r.ReceivedOn, c.Now, c.User.ID, string(allocations), family, r.InClearing},
			Scan: func(rows pgx.Rows) error {
				_, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
					return struct{}{}, row.Scan(&one.Number, &one.ReceiptNumber)
				})
				return err
			}}
	}
	queries, err := ledger.Write(c, postings...)
	if err != nil {
		return nil, err
	}
	if err := tenancy.Pipeline(c.DB, append(queries, receipts...)...); err != nil {
		return nil, fmt.Errorf("recording a payment: %w", err)
	}
	for n := range out {
		one := out[n]
		c.Changed("create", "fee receipt", one.ID, nil, one)
		notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee payment " + one.ID.String(), RecordID: one.ID, StudentID: &one.StudentID,
			Text: notice.Text{Name: "fee.received", Values: notice.Values{"amount": ledger.Money(c, one.Amount), "child": list[n].who.Name(),
				"receipt": one.ReceiptNumber, "standing": ledger.Standing(c, one.Balance)}}})
	}
	return out, nil
}

// RepeatedPayment names the receipt that an equal payment got moments ago.
type RepeatedPayment struct {
	ReceiptID     uuid.UUID `json:"receiptId"`
	ReceiptNumber string    `json:"receiptNumber"`
	ReceivedAt    time.Time `json:"receivedAt"`
	StudentID     uuid.UUID `json:"studentId"`
}

// repeated asks whether the money is received a second time: most who send it twice mean it once.
func repeated(c api.Ctx, l ledger.LastEqual, amount int64, who ledger.Payer) error {
	e := sameAgain(ledger.Money(c, amount), who.Name(), l.ReceiptNumber)
	e.Data = RepeatedPayment{*l.ID, l.ReceiptNumber, *l.ReceivedAt, who.ID}
	return e
}

func sameAgain(amount, name, receipt string) *api.Error {
	return api.Coded(409, "REPEATED_PAYMENT", fmt.Sprintf("You received %s for %s less than a minute ago (receipt %s). "+
		"Confirm that it is received again", amount, name, receipt))
}

var errRepeated = sameAgain("₹500.00", "Asha Rao", "2026-27/R-000001") // as the document shows it
