package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// demand is something a student is asked for besides the instalments.
type demand struct {
	student   uuid.UUID
	income    uuid.UUID // the account that earns it
	head      *uuid.UUID
	kind      string
	name      string
	narration string
	amount    int64
	due       api.Date
	key       string
}

// ask posts a demand, with an invoice of its own.
func ask(c api.Ctx, year schoolYear, d demand) (posting, error) {
	number, err := invoiceNumbers(c, year, 1)
	if err != nil {
		return posting{}, err
	}
	v := &invoice{id: api.NewID(), year: year.ID, number: number(0), student: d.student, name: d.name, due: d.due,
		lines: []InvoiceLine{{FeeHeadID: d.head, Name: d.name, Amount: d.amount}}}
	p := posting{id: api.NewID(), kind: d.kind, narration: d.narration, key: d.key, invoice: v, entries: []entry{
		{account: d.student, side: debit, amount: d.amount, of: v}, {account: d.income, side: credit, amount: d.amount}}}
	return p, post(c, p)
}

type fineIn struct {
	StudentID uuid.UUID  `json:"studentId" validate:"required"`
	Amount    Amount     `json:"amount" validate:"min=1,max=1000000000000"`
	Reason    string     `json:"reason" validate:"notblank,max=500" example:"Broken window"`
	FeeHeadID *uuid.UUID `json:"feeHeadId" doc:"The head that earns it; the fines' own account unless given"`
	InvoiceID *uuid.UUID `json:"invoiceId" doc:"The invoice it makes larger; one of its own unless given"`
	DueDate   api.Date   `json:"dueDate" doc:"Of an invoice of its own; today unless given, and never before today"`
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
	who, year, open, err := atCounter(c, r.StudentID)
	if err != nil {
		return Fined{}, err
	}
	income := fineAccount
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
	p := posting{id: api.NewID(), kind: "FINE", narration: "Fine: " + r.Reason}
	p.key = "fine " + p.id.String()
	if r.InvoiceID != nil {
		larger, err := pick(open, *r.InvoiceID)
		if err != nil {
			return Fined{}, err
		}
		v := &invoice{id: larger.ID, student: r.StudentID, due: larger.DueDate}
		p.entries = []entry{{account: r.StudentID, side: debit, amount: amount, of: v}, {account: income, side: credit, amount: amount}}
		out.InvoiceID = v.id
		if err := post(c, p); err != nil {
			return out, err
		}
	} else {
		if r.DueDate.IsZero() {
			r.DueDate = c.Today()
		}
		own, err := ask(c, year, demand{student: r.StudentID, income: income, head: r.FeeHeadID, kind: "FINE", name: "Fine",
			narration: p.narration, amount: amount, due: r.DueDate, key: p.key})
		if err != nil {
			return out, err
		}
		p, out.InvoiceID = own, own.invoice.id
	}
	out.TransactionID = p.id
	c.Changed("fine", "student", r.StudentID, nil, out)
	notice.Send(c,
		demandNotice(p.id, who.ID, notice.Text{Name: "fee.fined",
			Values: notice.Values{"amount": money(c, amount), "child": who.name(), "reason": r.Reason}}))
	return out, nil
}

func demandNotice(transaction, student uuid.UUID, text notice.Text) notice.Notice {
	return notice.Notice{Type: notice.Fee, Key: "fee demand " + transaction.String(), RecordID: transaction, StudentID: &student, Text: text}
}
