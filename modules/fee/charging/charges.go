package charging

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Posting is what another module asks a student for: a library fine, a bus fee. It is
// a type without a name of its own, so that a module that must not know this one can
// write the same fields and ask through an interface it declares itself:
//
//	type Ledger interface {
//		Post(api.Ctx, struct {
//			StudentID uuid.UUID
//			Income    string
//			…
//		}) (uuid.UUID, error)
//	}
type Posting = struct {
	StudentID uuid.UUID
	Income    string // what earns it: FINE, LIBRARY, TRANSPORT, EXAM or OTHER
	Amount    int64  // minor units
	DueDate   api.Date
	Name      string // what it is, in a few words: "Library fine"
	Narration string // what for
	Key       string // what makes it this one: the same key is posted once
}

// postingPrefix is before the keys of postings in ledger_transaction.idempotency_key. It is stored: with another one a
// posting made earlier would not be found, and would be made again.
const postingPrefix = "door "

// Charges is how other modules post to the ledger.
type Charges struct{}

// Post asks a student for money, in the caller's transaction, once for its key: asked
// again it gives the transaction there is. Another student or amount under the same key
// is refused.
func (Charges) Post(c api.Ctx, p Posting) (uuid.UUID, error) {
	income, known := ledger.Incomes[p.Income]
	if !known || p.Key == "" || p.Name == "" || p.Amount < 1 || p.Amount > MaxAmount {
		return uuid.Nil, fmt.Errorf("fee: a posting needs an income, a key, a name and an amount, not %+v", p)
	}
	who, year, _, err := ledger.AtCounter(c, p.StudentID)
	if err != nil {
		return uuid.Nil, err
	}
	// The account is locked: of two who ask at once, the second finds what the first posted.
	type row struct {
		ID        uuid.UUID
		AccountID uuid.UUID
		Amount    int64
	}
	var there []row
	key := postingPrefix + p.Key
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select t.id, e.account_id, e.amount from ledger_transaction t
		join ledger_entry e on e.transaction_id = t.id and e.line = 1
		where t.idempotency_key = $1`, Args: []any{key}, Scan: tenancy.Collect(&there)})
	if err != nil {
		return uuid.Nil, fmt.Errorf("looking for a posting: %w", err)
	}
	if len(there) > 0 {
		if there[0].AccountID != p.StudentID || there[0].Amount != p.Amount {
			return uuid.Nil, api.Conflict("Something else was posted under %q", p.Key)
		}
		return there[0].ID, nil
	}
	if p.DueDate.IsZero() {
		p.DueDate = c.Today()
	}
	if p.Narration == "" {
		p.Narration = p.Name
	}
	kind := "CHARGE"
	if p.Income == "FINE" || p.Income == "LIBRARY" {
		kind = "FINE"
	}
	made, err := PostCharge(c, year, Charge{Student: p.StudentID, Income: income, Kind: kind, Name: p.Name, Narration: p.Narration,
		Amount: p.Amount,
		Due:    p.DueDate, Key: key})
	if err != nil {
		return uuid.Nil, err
	}
	notice.Send(c,
		ChargeNotice(made.ID, who.ID, notice.Text{Name: "fee.charged",
			Values: notice.Values{"what": p.Narration, "child": who.Name(), "amount": ledger.Money(c, p.Amount),
				"date": ledger.Day(ledger.Figures(c), p.DueDate)}}))
	return made.ID, nil
}
