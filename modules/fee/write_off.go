package fee

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

type writeOffIn struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Amount    Amount    `json:"amount" validate:"omitempty,min=1,max=1000000000000" doc:"In minor units; all that is due unless given"`
	Reason    string    `json:"reason" validate:"notblank,max=500" example:"Moved away, not to be reached"`
}

// WriteOff is what the school gave up of a student's dues. The invoices it names become
// smaller, the oldest first; it is no payment and no concession.
type WriteOff struct {
	ID        uuid.UUID    `json:"id" doc:"Of the transaction"`
	StudentID uuid.UUID    `json:"studentId"`
	Amount    int64        `json:"amount"`
	Reason    string       `json:"reason"`
	Invoices  []Allocation `json:"invoices" doc:"What of it was taken off which invoice"`
	Balance   int64        `json:"balance" doc:"What the student owes now"`
}

// writeOff gives up what is due of a student: what is not due yet may still be paid.
func writeOff(c api.Ctx, r writeOffIn) (WriteOff, error) {
	who, _, open, err := atCounter(c, r.StudentID)
	if err != nil {
		return WriteOff{}, err
	}
	var due []allocatedInvoice
	var total int64
	for _, i := range open {
		if i.Open > 0 && !c.Today().Before(i.DueDate) {
			due, total = append(due, i), total+i.Open
		}
	}
	if total == 0 {
		return WriteOff{}, api.Conflict("%s owes nothing that is due", who.name())
	}
	amount := int64(r.Amount)
	if amount == 0 {
		amount = total
	}
	if amount > total {
		return WriteOff{}, api.InvalidField("amount", "Amount: at most %s, which is what is due", money(c, total))
	}
	list, _ := allocate(due, amount)
	out := WriteOff{ID: api.NewID(), StudentID: r.StudentID, Amount: amount, Reason: r.Reason, Invoices: list, Balance: who.Balance - amount}
	p := posting{id: out.ID, kind: "WRITE_OFF", narration: "Written off: " + r.Reason, key: "write-off " + out.ID.String(),
		entries: []entry{{account: writeOffAccount, side: debit, amount: amount}}}
	for n, a := range list {
		p.entries = append(p.entries, entry{account: r.StudentID, side: credit, amount: a.Amount,
			of: &invoice{id: due[n].ID, student: r.StudentID, due: due[n].DueDate}})
	}
	if err := post(c, p); err != nil {
		return out, err
	}
	c.Changed("write-off", "student", r.StudentID, nil, out)
	return out, nil
}

// reverseWriteOff makes due again what was written off, once: the family pays after all.
func reverseWriteOff(c api.Ctx, r reversal) (WriteOff, error) {
	type row struct {
		AccountID uuid.UUID
		Amount    int64
		Reversed  bool
	}
	var found []row
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select e.account_id, sum(e.amount)::bigint as amount,
			exists (select from ledger_transaction b where b.reverses_id = t.id) as reversed
		from ledger_transaction t join ledger_entry e on e.transaction_id = t.id and e.entry_type = 'CR'
		where t.id = $1 and t.kind = 'WRITE_OFF' group by t.id, e.account_id`, Args: []any{r.ID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return WriteOff{}, fmt.Errorf("reading a write-off: %w", err)
	}
	if len(found) == 0 {
		return WriteOff{}, api.NotFound("write-off")
	}
	if found[0].Reversed {
		return WriteOff{}, api.Conflict("This write-off was reversed already")
	}
	who, _, _, err := atCounter(c, found[0].AccountID)
	if err != nil {
		return WriteOff{}, err
	}
	out := WriteOff{ID: api.NewID(), StudentID: who.ID, Amount: found[0].Amount, Reason: r.Reason, Invoices: []Allocation{},
		Balance: who.Balance + found[0].Amount}
	if err := takeBack(c, posting{id: out.ID, narration: "Reversal of a write-off: " + r.Reason, reverses: &r.ID}); err != nil {
		return out, err
	}
	c.Changed("reverse", "write-off", r.ID, nil, out)
	return out, nil
}
