package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

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

// reversePayment takes a payment back, once: of two at once the database lets one.
func reversePayment(c api.Ctx, r ledger.Reversal) (Reversed, error) {
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
	who, _, _, now, err := ledger.BeforePayment(c, receipt.StudentID, 0, c.Today())
	if err != nil {
		return Reversed{}, err
	}
	if now.Closed {
		return Reversed{}, dayClosed(c.Today())
	}
	out := Reversed{ID: receipt.ID, ReceiptNumber: receipt.ReceiptNumber, TransactionID: api.NewID(), ReversesID: receipt.TransactionID,
		StudentID: receipt.StudentID, Amount: receipt.Amount, Reason: r.Reason, Balance: who.Balance + receipt.Amount}
	if err := ledger.TakeBack(c, ledger.Transaction{ID: out.TransactionID, Reverses: &receipt.TransactionID,
		Narration: fmt.Sprintf("Reversal of receipt %s: %s", receipt.ReceiptNumber, r.Reason)}); err != nil {
		return out, err
	}
	c.Changed("reverse", "fee receipt", receipt.ID, nil, out)
	notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee reversal " + receipt.ID.String(), RecordID: receipt.ID,
		StudentID: &out.StudentID,
		Text: notice.Text{Name: "fee.reversed", Values: notice.Values{"amount": ledger.Money(c, receipt.Amount), "child": who.Name(),
			"receipt": receipt.ReceiptNumber, "reason": r.Reason, "standing": ledger.Standing(c, out.Balance)}}})
	return out, nil
}
