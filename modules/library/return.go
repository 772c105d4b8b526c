package library

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// which names a loan by its own id, or by the copy that is lent.
type which struct {
	LoanID uuid.UUID `json:"loanId" doc:"Or copyId, or code"`
	CopyID uuid.UUID `json:"copyId"`
	Code   string    `json:"code" validate:"max=60" doc:"A barcode or an accession number"`
}

type returnIn struct {
	which
	WaiveFine bool `json:"waiveFine" doc:"Do not fine it, however late"`
}

type lostIn struct {
	which
	Amount *int64 `json:"amount" validate:"omitempty,min=0,max=1000000000000" doc:"What the student is charged; the book's price unless given"`
}

// lent is a loan whose book is locked.
type lent struct {
	Loan
	price int64
}

// take finds an open loan and locks its book.
func (r which) take(c api.Ctx) (lent, error) {
	var found []struct{ ID, CopyID, BookID uuid.UUID }
	query := tenancy.Query{SQL: `select l.id, l.copy_id, c.book_id from library_loan l join book_copy c on c.id = l.copy_id where l.id = $1`,
		Args: []any{r.LoanID}, Scan: tenancy.Collect(&found)}
	if r.LoanID == uuid.Nil {
		k, err := spokenOf(c, r.CopyID, r.Code)
		if err != nil {
			return lent{}, err
		}
		query.SQL, query.Args = `select l.id, l.copy_id, c.book_id from library_loan l join book_copy c on c.id = l.copy_id where l.copy_id = $1
			and l.closed_on is null`, []any{k.ID}
	}
	if err := tenancy.Pipeline(c.DB, query); err != nil {
		return lent{}, fmt.Errorf("looking for a loan: %w", err)
	}
	if len(found) == 0 && r.LoanID == uuid.Nil {
		return lent{}, api.Conflict("This copy is not issued")
	}
	if len(found) == 0 {
		return lent{}, api.NotFound("loan")
	}
	_, price, err := lockBook(c, found[0].BookID)
	if err != nil {
		return lent{}, err
	}
	l, err := getLoan(c, found[0].ID)
	if err == nil && l.ClosedOn != nil {
		err = api.Conflict("This loan is closed: %s on %s", l.Status, l.ClosedOn)
	}
	return lent{l, price}, err
}

func (m *Module) takeBack(c api.Ctx, r returnIn) (Loan, error) {
	l, err := r.take(c)
	if err != nil {
		return l.Loan, err
	}
	today := c.Today()
	var fine int64
	var posted *uuid.UUID
	if l.FineSoFar > 0 && !r.WaiveFine {
		fine = l.FineSoFar
		id, err := m.Ledger.Post(c, Posting{StudentID: *l.StudentID, Income: "LIBRARY", Amount: fine, DueDate: today, Name: "Library fine",
			Narration: fmt.Sprintf("Library fine: %s, %d days late", l.Title, l.DaysLate), Key: "library fine " + l.ID.String()})
		if err != nil {
			return l.Loan, err
		}
		posted = &id
	}
	_, err = api.Update(c, "loan", l.ID, func(row *loan) error {
		row.ClosedOn, row.Outcome, row.Fine, row.FineTransactionID = &today, "RETURNED", fine, posted
		return nil
	})
	if err != nil {
		return l.Loan, err
	}
	if err := turn(c, l.BookID); err != nil {
		return l.Loan, err
	}
	return getLoan(c, l.ID)
}

// lose closes a loan whose copy will not come back. Employees are not charged here: they
// have no account in the ledger.
func (m *Module) lose(c api.Ctx, r lostIn) (Loan, error) {
	l, err := r.take(c)
	if err != nil {
		return l.Loan, err
	}
	amount := l.price
	if r.Amount != nil {
		amount = *r.Amount
	}
	var posted *uuid.UUID
	switch {
	case l.StudentID == nil && r.Amount != nil && amount > 0:
		return l.Loan, api.InvalidField("amount", "an employee has no fee account to charge")
	case l.StudentID == nil:
		amount = 0
	case amount == 0 && r.Amount == nil:
		return l.Loan, api.InvalidField("amount", "amount is required: the book has no price")
	case amount > 0:
		id, err := m.Ledger.Post(c, Posting{StudentID: *l.StudentID, Income: "LIBRARY", Amount: amount, DueDate: c.Today(), Name: "Lost book",
			Narration: "Lost book: " + l.Title + " (" + l.AccessionNumber + ")", Key: "library lost " + l.ID.String()})
		if err != nil {
			return l.Loan, err
		}
		posted = &id
	}
	today := c.Today()
	_, err = api.Update(c, "loan", l.ID, func(row *loan) error {
		row.ClosedOn, row.Outcome, row.Charge, row.ChargeTransactionID = &today, "LOST", amount, posted
		return nil
	})
	if err != nil {
		return l.Loan, err
	}
	_, err = api.Update(c, "book copy", l.CopyID, func(k *Copy) error {
		k.State = "LOST"
		return nil
	})
	if err != nil {
		return l.Loan, err
	}
	return getLoan(c, l.ID)
}

// renew lends on from today, unless somebody waits, the book is late, or the borrower
// has renewed it as often as the school allows.
func renew(c api.Ctx, r which) (Loan, error) {
	l, err := r.take(c)
	if err != nil {
		return l.Loan, err
	}
	who, err := l.atDesk(c)
	if err != nil {
		return l.Loan, err
	}
	var waiting []struct{ N int }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select count(*)::int as n from library_reservation where book_id = $1
		and status = 'WAITING'`, Args: []any{l.BookID}, Scan: tenancy.Collect(&waiting)})
	if err != nil {
		return l.Loan, fmt.Errorf("looking who waits: %w", err)
	}
	switch {
	case l.Status == "OVERDUE":
		return l.Loan, api.Conflict("It was due on %s: return it first", l.DueOn)
	case waiting[0].N > 0:
		return l.Loan, api.Conflict("Others wait for this book: it cannot be renewed")
	case l.Renewals >= who.limits.Renewals:
		return l.Loan, api.Conflict("It was renewed %d times, which is the limit", l.Renewals)
	}
	_, err = api.Update(c, "loan", l.ID, func(row *loan) error {
		if due := c.Today().AddDays(who.Days); row.DueOn.Before(due) {
			row.DueOn = due
		}
		row.Renewals++
		return nil
	})
	if err != nil {
		return l.Loan, err
	}
	return getLoan(c, l.ID)
}
