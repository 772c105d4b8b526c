package charging

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Charge is something a student is asked for besides the instalments.
type Charge struct {
	Student   uuid.UUID
	Income    uuid.UUID // the account that earns it
	head      *uuid.UUID
	Kind      string
	Name      string
	Narration string
	Amount    int64
	Due       api.Date
	Key       string
}

// PostCharge posts a demand, with an invoice of its own.
func PostCharge(c api.Ctx, year ledger.SchoolYear, d Charge) (ledger.Transaction, error) {
	number, err := ledger.InvoiceNumbers(c, year, 1)
	if err != nil {
		return ledger.Transaction{}, err
	}
	v := &ledger.Demand{ID: api.NewID(), Year: year.ID, Number: number(0), Student: d.Student, Name: d.Name, Due: d.Due,
		Lines: []ledger.InvoiceLine{{FeeHeadID: d.head, Name: d.Name, Amount: d.Amount}}}
	p := ledger.Transaction{ID: api.NewID(), Kind: d.Kind, Narration: d.Narration, Key: d.Key, Invoice: v, Entries: []ledger.Entry{
		{Account: d.Student, Side: ledger.Debit, Amount: d.Amount, Of: v}, {Account: d.Income, Side: ledger.Credit, Amount: d.Amount}}}
	return p, ledger.Post(c, p)
}

type fineIn struct {
	StudentID uuid.UUID     `json:"studentId" validate:"required"`
	Amount    ledger.Amount `json:"amount" validate:"min=1,max=1000000000000"`
	Reason    string        `json:"reason" validate:"notblank,max=500" example:"Broken window"`
	FeeHeadID *uuid.UUID    `json:"feeHeadId" doc:"The head that earns it; the fines' own account unless given"`
	InvoiceID *uuid.UUID    `json:"invoiceId" doc:"The invoice it makes larger; one of its own unless given"`
	DueDate   api.Date      `json:"dueDate" doc:"Of an invoice of its own; today unless given, and never before today"`
}

// Fined is a fine that was posted.
type Fined struct {
	TransactionID uuid.UUID `json:"transactionId"`
	InvoiceID     uuid.UUID `json:"invoiceId"`
	StudentID     uuid.UUID `json:"studentId"`
	Amount        int64     `json:"amount"`
	Reason        string    `json:"reason"`
	Balance       int64     `json:"balance"`
}

// fineByHand charges a fine the office decides on.
func fineByHand(c api.Ctx, r fineIn) (Fined, error) {
	if !r.DueDate.IsZero() && r.DueDate.Before(c.Today()) {
		return Fined{}, errPastDue
	}
	who, year, open, err := ledger.AtCounter(c, r.StudentID)
	if err != nil {
		return Fined{}, err
	}
	income := ledger.FineAccount
	if r.FeeHeadID != nil {
		var heads []Head
		err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, name from fee_head where id = $1`, Args: []any{*r.FeeHeadID},
			Scan: tenancy.Collect(&heads)})
		if err != nil {
			return Fined{}, fmt.Errorf("reading a fee head: %w", err)
		}
		if len(heads) == 0 {
			return Fined{}, api.InvalidField("feeHeadId", "feeHeadId does not exist")
		}
		income = *r.FeeHeadID
	}
	amount := int64(r.Amount)
	out := Fined{StudentID: r.StudentID, Amount: amount, Reason: r.Reason, Balance: who.Balance + amount}
	p := ledger.Transaction{ID: api.NewID(), Kind: "FINE", Narration: "Fine: " + r.Reason}
	p.Key = "fine " + p.ID.String()
	if r.InvoiceID != nil {
		larger, err := ledger.Pick(open, *r.InvoiceID)
		if err != nil {
			return Fined{}, err
		}
		v := &ledger.Demand{ID: larger.ID, Student: r.StudentID, Due: larger.DueDate}
		p.Entries = []ledger.Entry{{Account: r.StudentID, Side: ledger.Debit, Amount: amount, Of: v},
			{Account: income, Side: ledger.Credit, Amount: amount}}
		out.InvoiceID = v.ID
		if err := ledger.Post(c, p); err != nil {
			return out, err
		}
	} else {
		if r.DueDate.IsZero() {
			r.DueDate = c.Today()
		}
		own, err := PostCharge(c, year, Charge{Student: r.StudentID, Income: income, head: r.FeeHeadID, Kind: "FINE", Name: "Fine",
			Narration: p.Narration, Amount: amount, Due: r.DueDate, Key: p.Key})
		if err != nil {
			return out, err
		}
		p, out.InvoiceID = own, own.Invoice.ID
	}
	out.TransactionID = p.ID
	c.Changed("fine", "student", r.StudentID, nil, out)
	notice.Send(c,
		ChargeNotice(p.ID, who.ID, notice.Text{Name: "fee.fined",
			Values: notice.Values{"amount": ledger.Money(c, amount), "child": who.Name(), "reason": r.Reason}}))
	return out, nil
}

// ChargeNotice tells a student's people what was charged.
func ChargeNotice(transaction, student uuid.UUID, text notice.Text) notice.Notice {
	return notice.Notice{Type: notice.Fee, Key: "fee demand " + transaction.String(), RecordID: transaction, StudentID: &student, Text: text}
}
