package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

type reversal struct {
	ID     uuid.UUID `path:"id"`
	Reason string    `json:"reason" validate:"notblank,max=500" example:"The cheque bounced"`
}

// Reversed is a payment taken back: the same entries the other way round.
type Reversed struct {
	ID            uuid.UUID `json:"id" doc:"The receipt's"`
	ReceiptNumber string    `json:"receiptNumber"`
	TransactionID uuid.UUID `json:"transactionId" doc:"Of the reversal"`
	ReversesID    uuid.UUID `json:"reversesId" doc:"The payment's transaction"`
	StudentID     uuid.UUID `json:"studentId"`
	Amount        int64     `json:"amount"`
	Reason        string    `json:"reason"`
	Balance       int64     `json:"balance"`
}

// mirror writes $2's entries the other way round as $1's. Of a cheque that was cleared since,
// the money is no more in clearing ($3) but in the bank ($4).
const mirror = `insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
	select $1, line, case when account_id = $3 and exists (select from ledger_transaction where idempotency_key = 'clearing ' || $2::uuid)
	then $4 else account_id end, case entry_type when 'DR' then 'CR' else 'DR' end, amount, invoice_id, due_date from ledger_entry
	where transaction_id = $2`

// reversePayment takes a payment back, once: of two at once the database lets one.
func reversePayment(c api.Ctx, r reversal) (Reversed, error) {
	var found []Receipt
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectReceipt + ` where r.id = $1`, Args: []any{r.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return Reversed{}, fmt.Errorf("reading a receipt: %w", err)
	}
	if len(found) == 0 {
		return Reversed{}, api.NotFound("receipt")
	}
	receipt := found[0]
	if receipt.Reversed {
		return Reversed{}, api.Conflict("This payment was reversed already")
	}
	who, _, _, now, err := beforePayment(c, receipt.StudentID, 0, c.Today())
	if err != nil {
		return Reversed{}, err
	}
	if now.Closed {
		return Reversed{}, dayClosed(c.Today())
	}
	out := Reversed{ID: receipt.ID, ReceiptNumber: receipt.ReceiptNumber, TransactionID: api.NewID(), ReversesID: receipt.TransactionID,
		StudentID: receipt.StudentID, Amount: receipt.Amount, Reason: r.Reason, Balance: who.Balance + receipt.Amount}
	if err := takeBack(c, posting{id: out.TransactionID, reverses: &receipt.TransactionID,
		narration: fmt.Sprintf("Reversal of receipt %s: %s", receipt.ReceiptNumber, r.Reason)}); err != nil {
		return out, err
	}
	c.Changed("reverse", "fee receipt", receipt.ID, nil, out)
	notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee reversal " + receipt.ID.String(), RecordID: receipt.ID,
		StudentID: &out.StudentID,
		Text: notice.Text{Name: "fee.reversed", Values: notice.Values{"amount": money(c, receipt.Amount), "child": who.name(),
			"receipt": receipt.ReceiptNumber, "reason": r.Reason, "standing": standing(c, out.Balance)}}})
	return out, nil
}

// takeBack posts the mirror images of the transactions that postings reverse.
func takeBack(c api.Ctx, postings ...posting) error {
	for i := range postings {
		p := &postings[i]
		if p.kind = "REVERSAL"; p.key == "" {
			p.key = "reversal " + p.reverses.String()
		}
	}
	queries, err := write(c, postings...)
	if err != nil {
		return err
	}
	queries = queries[:len(queries)-1] // instead of entries of their own
	for _, p := range postings {
		queries = append(queries, tenancy.Query{SQL: mirror, Args: []any{p.id, *p.reverses, clearingAccount, bankAccount}})
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("reversing a transaction: %w", err)
	}
	return nil
}
