package charging

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

// ReversedDemand is something a student was asked for, taken back.
type ReversedDemand struct {
	TransactionID uuid.UUID `json:"transactionId" doc:"Of the reversal"`
	ReversesID    uuid.UUID `json:"reversesId"`
	StudentID     uuid.UUID `json:"studentId"`
	Amount        int64     `json:"amount"`
	Reason        string    `json:"reason"`
	Balance       int64     `json:"balance"`
}

// demandSQL is a student's side of the transaction $1.
const demandSQL = `select t.kind, t.narration, e.account_id as student_id, e.amount, e.entry_type, e.invoice_id,
	coalesce(v.structure_id is not null and v.transaction_id = t.id, false) as instalment,
	exists (select from ledger_transaction r where r.reverses_id = t.id) as reversed
	from ledger_transaction t join ledger_entry e on e.transaction_id = t.id join ledger_account a on a.id = e.account_id
		and a.type = 'STUDENT' left join fee_invoice v on v.id = e.invoice_id
	where t.id = $1`

// reverseDemand takes back a charge besides the instalments, a fine or an opening balance,
// once: of two at once the database lets one. An instalment is waived instead, since it could
// not be charged again; a payment is reversed by its receipt.
func reverseDemand(c api.Ctx, r ledger.Reversal) (ReversedDemand, error) {
	var found []struct {
		Kind, Narration, EntryType string
		StudentID                  uuid.UUID
		Amount                     int64
		InvoiceID                  *uuid.UUID
		Instalment, Reversed       bool
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: demandSQL, Args: []any{r.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return ReversedDemand{}, fmt.Errorf("reading a transaction: %w", err)
	}
	if len(found) == 0 {
		return ReversedDemand{}, api.NotFound("transaction")
	}
	d := found[0]
	switch {
	case d.Reversed:
		return ReversedDemand{}, api.Conflict("This was reversed already")
	case d.Instalment:
		return ReversedDemand{}, api.Conflict("An instalment is not reversed: waive its invoice by a concession")
	case d.Kind != "CHARGE" && d.Kind != "FINE" && d.Kind != "OPENING":
		return ReversedDemand{}, api.Conflict("Only charges, fines and opening balances are reversed here")
	}
	who, _, invoices, err := ledger.AtCounter(c, d.StudentID)
	if err != nil {
		return ReversedDemand{}, err
	}
	if d.InvoiceID != nil {
		v, err := ledger.Pick(invoices, *d.InvoiceID)
		if err != nil {
			return ReversedDemand{}, err
		}
		if v.Charged-v.Concession < d.Amount {
			return ReversedDemand{}, api.Conflict("A part of it was waived: waive the rest by a concession for its invoice")
		}
	}
	out := ReversedDemand{TransactionID: api.NewID(), ReversesID: r.ID, StudentID: d.StudentID, Amount: d.Amount, Reason: r.Reason,
		Balance: who.Balance - d.Amount}
	if d.EntryType == ledger.Credit {
		out.Balance = who.Balance + d.Amount
	}
	if err := ledger.TakeBack(c, ledger.Transaction{ID: out.TransactionID, Reverses: &r.ID,
		Narration: fmt.Sprintf("Reversal of %s: %s", d.Narration, r.Reason)}); err != nil {
		return out, err
	}
	c.Changed("reverse", "ledger transaction", r.ID, nil, out)
	if d.Kind != "OPENING" {
		notice.Send(c, ChargeNotice(out.TransactionID, who.ID, notice.Text{Name: "fee.withdrawn", Values: notice.Values{
			"what": d.Narration, "child": who.Name(), "amount": ledger.Money(c, d.Amount), "reason": r.Reason,
			"standing": ledger.Standing(c, out.Balance)}}))
	}
	return out, nil
}
