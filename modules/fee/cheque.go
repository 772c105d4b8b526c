package fee

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/charging"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Where a cheque is: with the bank, paid out by it, or sent back. REVERSED is one that was
// entered by mistake. Nothing stores it: it follows from the transactions about its receipt.
const (
	inClearing = "IN_CLEARING"
	// clearingState is of the receipt r and its reversal b, which may not be there.
	clearingState = `case when not r.in_clearing then '' when b.idempotency_key like 'bounce %' then 'BOUNCED' when b.id is not null
		then 'REVERSED' when exists (select from ledger_transaction x where x.idempotency_key = 'clearing ' || r.transaction_id) then 'CLEARED'
		else 'IN_CLEARING' end`
	// clearingSums is what of each student's is in clearing.
	clearingSums = `select f.student_id, sum(f.amount)::bigint as amount from fee_receipt f where f.in_clearing
		and not exists (select from ledger_transaction t where t.reverses_id = f.transaction_id)
		and not exists (select from ledger_transaction t where t.idempotency_key = 'clearing ' || f.transaction_id) group by f.student_id`
	clearingOf = `select coalesce((select amount from (` + clearingSums + `) s where student_id = $1), 0)`
)

type chequeID struct {
	ID uuid.UUID `path:"id"`
}

type bounce struct {
	ID     uuid.UUID     `path:"id"`
	Reason string        `json:"reason" validate:"notblank,max=500" example:"Insufficient funds"`
	Charge ledger.Amount `json:"charge" validate:"min=0,max=1000000000000" doc:"Charged for it, in minor units; nothing unless given"`
}

// Cheque is what became of a cheque: of all its receipts, where one is for a family.
type Cheque struct {
	ID         uuid.UUID   `json:"id" doc:"The receipt's that was named"`
	Clearing   string      `json:"clearing" enum:"CLEARED,BOUNCED"`
	ReceiptIDs []uuid.UUID `json:"receiptIds" doc:"The receipts of the cheque"`
	Amount     int64       `json:"amount" doc:"Of them together"`
	Charge     int64       `json:"charge" doc:"What was charged for it"`
}

// lockCheque locks the accounts of a cheque that is in clearing, and reads its receipts.
func lockCheque(c api.Ctx, id uuid.UUID) ([]Receipt, error) {
	const ofCheque = ` where r.id = $1 or r.family_payment_id = (select family_payment_id from fee_receipt where id = $1) order by r.number`
	var found []Receipt
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectReceipt + ofCheque, Args: []any{id}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading a cheque: %w", err)
	}
	var students []uuid.UUID
	for _, r := range found {
		students = append(students, r.StudentID)
	}
	found = nil
	var closed bool
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: ledger.LockAccounts, Args: []any{students}},
		tenancy.Query{SQL: `select pg_advisory_xact_lock_shared(` + ledger.DayLock + `)`},
		tenancy.Query{SQL: `select exists (select from fee_day_closing where day = $1)`, Args: []any{c.Today()}, Scan: tenancy.One(&closed)},
		tenancy.Query{SQL: selectReceipt + ofCheque, Args: []any{id}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading a cheque: %w", err)
	}
	named := slices.IndexFunc(found, func(r Receipt) bool { return r.ID == id })
	switch {
	case named < 0:
		return nil, api.NotFound("receipt")
	case found[named].Clearing != inClearing:
		return nil, api.Conflict("Receipt %s is of no cheque in clearing", found[named].ReceiptNumber)
	case closed:
		return nil, dayClosed(c.Today())
	}
	return slices.DeleteFunc(found, func(r Receipt) bool { return r.Clearing != inClearing }), nil
}

// about is the answer of what became of a cheque.
func about(id uuid.UUID, state string, list []Receipt) Cheque {
	out := Cheque{ID: id, Clearing: state}
	for _, r := range list {
		out.ReceiptIDs, out.Amount = append(out.ReceiptIDs, r.ID), out.Amount+r.Amount
	}
	return out
}

// clearCheque says that the bank has paid a cheque.
func clearCheque(c api.Ctx, r chequeID) (Cheque, error) {
	list, err := lockCheque(c, r.ID)
	if err != nil {
		return Cheque{}, err
	}
	var postings []ledger.Transaction
	for _, one := range list {
		postings = append(postings, ledger.Transaction{ID: api.NewID(), Kind: "CLEARING",
			Narration: "Cheque cleared, receipt " + one.ReceiptNumber,
			Key:       "clearing " + one.TransactionID.String(), Entries: []ledger.Entry{{Account: ledger.BankAccount, Side: ledger.Debit,
				Amount: one.Amount},
				{Account: ledger.ClearingAccount, Side: ledger.Credit, Amount: one.Amount}}})
	}
	if err := ledger.Post(c, postings...); err != nil {
		return Cheque{}, err
	}
	out := about(r.ID, "CLEARED", list)
	c.Changed("clear", "fee receipt", r.ID, nil, out)
	return out, nil
}

// bounceCheque says that the bank has sent a cheque back: its receipts are reversed, and the
// student that was named may be charged for it.
func bounceCheque(c api.Ctx, r bounce) (Cheque, error) {
	list, err := lockCheque(c, r.ID)
	if err != nil {
		return Cheque{}, err
	}
	out := about(r.ID, "BOUNCED", list)
	out.Charge = int64(r.Charge)
	var postings []ledger.Transaction
	for _, one := range list {
		postings = append(postings, ledger.Transaction{ID: api.NewID(), Key: "bounce " + one.TransactionID.String(),
			Reverses:  &one.TransactionID,
			Narration: fmt.Sprintf("Cheque bounced, receipt %s: %s", one.ReceiptNumber, r.Reason)})
	}
	if err := ledger.TakeBack(c, postings...); err != nil {
		return out, err
	}
	named := list[slices.IndexFunc(list, func(x Receipt) bool { return x.ID == r.ID })]
	if out.Charge > 0 {
		year, err := ledger.CurrentYear(c)
		if err != nil {
			return out, err
		}
		made, err := charging.PostCharge(c, year, charging.Charge{Student: named.StudentID, Income: ledger.FineAccount, Kind: "FINE",
			Name:      "Cheque bounced",
			Narration: "Charge for a bounced cheque, receipt " + named.ReceiptNumber, Amount: out.Charge, Due: c.Today(),
			Key: "bounce charge " + named.TransactionID.String()})
		if err != nil {
			return out, err
		}
		notice.Send(c, charging.ChargeNotice(made.ID, named.StudentID, notice.Text{Name: "fee.charged", Values: notice.Values{
			"what": made.Narration, "child": named.StudentName, "amount": ledger.Money(c, out.Charge),
			"date": ledger.Day(ledger.Figures(c), c.Today())}}))
	}
	balances := map[uuid.UUID]int64{}
	var people []ledger.Payer
	ids := make([]uuid.UUID, len(list))
	for i, one := range list {
		ids[i] = one.StudentID
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: selectPayers, Args: []any{ids}, Scan: tenancy.Collect(&people)})
	if err != nil {
		return out, fmt.Errorf("reading balances: %w", err)
	}
	for _, p := range people {
		balances[p.ID] = p.Balance
	}
	for _, one := range list {
		notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee reversal " + one.ID.String(), RecordID: one.ID, StudentID: &one.StudentID,
			Text: notice.Text{Name: "fee.reversed", Values: notice.Values{"amount": ledger.Money(c, one.Amount), "child": one.StudentName,
				"receipt": one.ReceiptNumber, "reason": r.Reason, "standing": ledger.Standing(c, balances[one.StudentID])}}})
	}
	c.Changed("bounce", "fee receipt", r.ID, nil, out)
	return out, nil
}
