package library

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

type issueIn struct {
	CopyID uuid.UUID `json:"copyId" doc:"Or code"`
	Code   string    `json:"code" validate:"max=60" doc:"A barcode or an accession number"`
	Borrower
	DueDate api.Date `json:"dueDate" doc:"The school's term for the borrower unless given"`
}

// issue lends a copy. The book's lock decides who is first, and the database keeps a
// copy from being with two borrowers, no matter which code writes it.
func issue(c api.Ctx, r issueIn) (Loan, error) {
	if err := r.check(); err != nil {
		return Loan{}, err
	}
	which, err := spokenOf(c, r.CopyID, r.Code)
	if err != nil {
		return Loan{}, err
	}
	if _, _, err := lockBook(c, which.BookID); err != nil {
		return Loan{}, err
	}
	if err := turn(c, which.BookID); err != nil {
		return Loan{}, err
	}
	who, err := r.atDesk(c)
	if err != nil {
		return Loan{}, err
	}
	k, err := getCopy(c, byID{which.ID})
	if err != nil {
		return Loan{}, err
	}
	kept, err := r.kept(c, which.BookID)
	if err != nil {
		return Loan{}, err
	}
	if r.DueDate.IsZero() {
		r.DueDate = c.Today().AddDays(who.Days)
	}
	switch {
	case k.Status == "ISSUED":
		return Loan{}, api.Conflict("This copy is issued to %s, until %s", k.BorrowerName, k.DueOn)
	case k.State != "GOOD":
		return Loan{}, api.Conflict("This copy is marked as %s", k.State)
	case k.Status == "HELD" && kept != k.ID:
		return Loan{}, api.Conflict("This copy is held for %s", k.BorrowerName)
	case !who.Active:
		return Loan{}, api.Conflict("%s has left the school", who.Name)
	case who.Open >= who.Books:
		return Loan{}, api.Conflict("%s has %d books, which is the limit", who.Name, who.Open)
	case r.DueDate.Before(c.Today()):
		return Loan{}, api.InvalidField("dueDate", "dueDate must not be in the past")
	case c.Today().AddDays(366).Before(r.DueDate):
		return Loan{}, api.InvalidField("dueDate", "dueDate must be within a year")
	}
	l := loan{CopyID: k.ID, Borrower: r.Borrower, IssuedOn: c.Today(), DueOn: r.DueDate}
	if err := api.Insert(c, "loan", &l); err != nil {
		return Loan{}, err
	}
	// Who got the book waits for it no longer, whichever copy it is.
	err = c.DB.Exec(`update library_reservation set status = 'FULFILLED', copy_id = ?, updated_at = ?, updated_by = ?, version = version + 1
		where book_id = ? and status in ('WAITING', 'READY') and
		coalesce(student_id, employee_id) = ?`, k.ID, c.Now, c.User.ID, which.BookID, r.id()).Error
	if err != nil {
		return Loan{}, fmt.Errorf("fulfilling a reservation: %w", err)
	}
	if err := turn(c, which.BookID); err != nil {
		return Loan{}, err
	}
	return getLoan(c, l.ID)
}

// kept is the copy of the book that is held for the borrower, if one is.
func (b Borrower) kept(c api.Ctx, book uuid.UUID) (uuid.UUID, error) {
	var found []struct{ CopyID uuid.UUID }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select copy_id from library_reservation where book_id = $1 and status = 'READY' and
		coalesce(student_id, employee_id) = $2`,
		Args: []any{book, b.id()}, Scan: tenancy.Collect(&found)})
	if err != nil || len(found) == 0 {
		return uuid.Nil, err
	}
	return found[0].CopyID, nil
}

func (b Borrower) id() uuid.UUID {
	if b.StudentID != nil {
		return *b.StudentID
	}
	return *b.EmployeeID
}

// spokenOf is the copy a request names by id or code.
func spokenOf(c api.Ctx, id uuid.UUID, code string) (namedCopy, error) {
	if id == uuid.Nil && code == "" {
		return namedCopy{}, api.InvalidField("copyId", "copyId or code is required")
	}
	return named(c, id, code)
}
