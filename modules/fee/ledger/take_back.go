package ledger

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Reversal asks to take a transaction, or the payment of a receipt, back.
type Reversal struct {
	ID     uuid.UUID `path:"id"`
	Reason string    `json:"reason" validate:"notblank,max=500" example:"The cheque bounced"`
}

// mirror writes $2's entries the other way round as $1's. Of a cheque that was cleared since,
// the money is no more in clearing ($3) but in the bank ($4).
const mirror = `insert into ledger_entry (transaction_id, line, account_id, entry_type, amount, invoice_id, due_date)
	select $1, line, case when account_id = $3 and exists (select from ledger_transaction where idempotency_key = 'clearing ' || $2::uuid)
	then $4 else account_id end, case entry_type when 'DR' then 'CR' else 'DR' end, amount, invoice_id, due_date from ledger_entry
	where transaction_id = $2`

// TakeBack posts the mirror images of the transactions that postings reverse.
func TakeBack(c api.Ctx, postings ...Transaction) error {
	for i := range postings {
		p := &postings[i]
		if p.Kind = "REVERSAL"; p.Key == "" {
			p.Key = "reversal " + p.Reverses.String()
		}
	}
	queries, err := Write(c, postings...)
	if err != nil {
		return err
	}
	queries = queries[:len(queries)-1] // instead of entries of their own
	for _, p := range postings {
		queries = append(queries, tenancy.Query{SQL: mirror, Args: []any{p.ID, *p.Reverses, ClearingAccount, BankAccount}})
	}
	if err := tenancy.Pipeline(c.DB, queries...); err != nil {
		return fmt.Errorf("reversing a transaction: %w", err)
	}
	return nil
}
