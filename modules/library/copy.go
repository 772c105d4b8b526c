package library

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Copy is one copy of a book, with a number of its own.
type Copy struct {
	api.Record
	BookID uuid.UUID `json:"bookId"`
	CopyFields
}

// TableName is the record's table.
func (Copy) TableName() string { return "book_copy" }

// CopyFields are what a librarian says of a copy.
type CopyFields struct {
	AccessionNumber string `json:"accessionNumber" validate:"notblank,max=40" example:"L-004711"`
	Barcode         string `json:"barcode" validate:"max=60"`
	Shelf           string `json:"shelf" validate:"max=60"`
	State           string `json:"state" validate:"omitempty,oneof=GOOD LOST WITHDRAWN" doc:"GOOD unless given"`
}

type newCopy struct {
	BookID uuid.UUID `json:"bookId" validate:"required"`
	CopyFields
}

type copyChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[CopyFields]
}

// CopyView is a copy as clients see it.
type CopyView struct {
	api.Record
	BookID uuid.UUID `json:"bookId"`
	CopyFields
	Title        string     `json:"title"`
	Author       string     `json:"author"`
	Status       string     `json:"status" enum:"AVAILABLE,ISSUED,HELD,LOST,WITHDRAWN" doc:"AVAILABLE, ISSUED, HELD, LOST or WITHDRAWN, as it is now"`
	LoanID       *uuid.UUID `json:"loanId" doc:"Of who has it"`
	DueOn        *api.Date  `json:"dueOn"`
	BorrowerName string     `json:"borrowerName" doc:"Who has it, or whom it is held for"`
}

// copyQuery is the copies as of a day. A copy has one open loan and one hold at most, which the
// database guarantees; distinct on tells its planner, which then leaves them out where nothing names them.
const copyQuery = `select c.id, c.created_at, c.updated_at, c.created_by, c.updated_by, c.version, c.book_id, c.accession_number,
	c.barcode, c.shelf, c.state, b.title, b.author,
	case when l.id is not null then 'ISSUED' when c.state <> 'GOOD' then c.state when r.id is not null then 'HELD' else 'AVAILABLE' end
		as status, l.id as loan_id, l.due_on,
	coalesce((select trim(s.first_name || ' ' || s.last_name) from student s where s.id = coalesce(l.student_id, r.student_id)),
		(select trim(e.first_name || ' ' || e.last_name) from employee e where e.id =
		coalesce(l.employee_id, r.employee_id)), '') as borrower_name
	from book_copy c left join book b on b.id = c.book_id left join lateral (
		select distinct on (copy_id) copy_id, id, due_on, student_id, employee_id from library_loan
		where copy_id = c.id and closed_on is null) l on l.copy_id = c.id
	left join lateral (select distinct on (copy_id) copy_id, id, student_id, employee_id from library_reservation
		where copy_id = c.id and status = 'READY' and hold_until >= ?) r on r.copy_id = c.id`

func copies(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as book_copy", c.DB.Raw(copyQuery, c.Today()))
}

var copyListing = api.Listing{
	Sorts:   map[string]string{"accessionNumber": "accession_number", "title": "title", "createdAt": "created_at"},
	Default: "accessionNumber",
	Filters: map[string]api.Filter{
		"search": api.Search("accession_number", "barcode", "title"), "bookId": api.ByID("book_id"),
		"status": api.ByEnum("status", "AVAILABLE", "ISSUED", "HELD", "LOST", "WITHDRAWN"), "shelf": api.ByText("shelf"),
	},
}

func (f *CopyFields) normalize() {
	f.AccessionNumber, f.Barcode = strings.TrimSpace(f.AccessionNumber), strings.TrimSpace(f.Barcode)
	if f.State == "" {
		f.State = "GOOD"
	}
}

// lockBook keeps everybody else from the book's copies, loans and queue until the
// transaction ends.
func lockBook(c api.Ctx, id uuid.UUID) (title string, price int64, err error) {
	var found []struct {
		Title string
		Price int64
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select title, price from book where id = $1 for update`, Args: []any{id},
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return "", 0, fmt.Errorf("locking a book: %w", err)
	}
	if len(found) == 0 {
		return "", 0, api.NotFound("book")
	}
	return found[0].Title, found[0].Price, nil
}

func createCopy(c api.Ctx, r newCopy) (CopyView, error) {
	k := Copy{BookID: r.BookID, CopyFields: r.CopyFields}
	k.normalize()
	if there, err := roster.Present(c, "book", []uuid.UUID{r.BookID}); err != nil || !there[r.BookID] {
		if err == nil {
			err = api.InvalidField("bookId", "bookId does not exist")
		}
		return CopyView{}, err
	}
	if _, _, err := lockBook(c, r.BookID); err != nil {
		return CopyView{}, err
	}
	if err := api.Insert(c, "book copy", &k); err != nil {
		return CopyView{}, err
	}
	if err := turn(c, r.BookID); err != nil {
		return CopyView{}, err
	}
	return getCopy(c, byID{k.ID})
}

func listCopies(c api.Ctx, l api.ListRequest) (api.Page[CopyView], error) {
	return api.Fetch[CopyView](copies(c), l)
}

func getCopy(c api.Ctx, r byID) (CopyView, error) {
	return api.Find[CopyView](c, "book copy", copies(c), r.ID)
}

type codeQuery struct {
	Code string `json:"code" validate:"notblank,max=60" doc:"A barcode or an accession number"`
}

func lookUp(c api.Ctx, r codeQuery) (CopyView, error) {
	id, err := copyID(c, uuid.Nil, r.Code)
	if err != nil {
		return CopyView{}, err
	}
	return getCopy(c, byID{id})
}

// copyID finds a copy by its id or its code. What a scanner reads is a barcode first.
func copyID(c api.Ctx, id uuid.UUID, code string) (uuid.UUID, error) {
	found, err := named(c, id, code)
	return found.ID, err
}

// namedCopy is a copy that a request speaks of.
type namedCopy struct{ ID, BookID uuid.UUID }

func named(c api.Ctx, id uuid.UUID, code string) (namedCopy, error) {
	var found []namedCopy
	where, arg := `id = $1`, any(id)
	if id == uuid.Nil {
		where, arg = `lower(barcode) = lower($1) and barcode <> '' or lower(accession_number) = lower($1)
			order by lower(barcode) = lower($1) desc limit 1`, strings.TrimSpace(code)
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id, book_id from book_copy where ` + where, Args: []any{arg},
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return namedCopy{}, fmt.Errorf("looking for a copy: %w", err)
	}
	if len(found) == 0 {
		return namedCopy{}, api.NotFound("book copy")
	}
	return found[0], nil
}

func updateCopy(c api.Ctx, r copyChange) (CopyView, error) {
	which, err := named(c, r.ID, "")
	if err != nil {
		return CopyView{}, err
	}
	if _, _, err := lockBook(c, which.BookID); err != nil {
		return CopyView{}, err
	}
	now, err := getCopy(c, byID{r.ID})
	if err != nil {
		return now, err
	}
	_, err = api.Update(c, "book copy", r.ID, func(k *Copy) error {
		was := k.State
		if err := r.Apply(&k.CopyFields); err != nil {
			return err
		}
		k.State = cmp.Or(k.State, was) // null: as it is
		k.normalize()
		if k.State != "GOOD" && now.LoanID != nil {
			return api.Conflict("This copy is issued: return it, or mark the loan as lost")
		}
		return nil
	})
	if err != nil {
		return now, err
	}
	// A hold on a copy that is gone goes back to its place in the queue.
	err = c.DB.Exec(`update library_reservation r set status = 'WAITING', copy_id = null, hold_until = null, updated_at = ? from book_copy c
		where c.id = r.copy_id and c.id = ? and c.state <> 'GOOD' and r.status = 'READY'`, c.Now, r.ID).Error
	if err != nil {
		return now, fmt.Errorf("giving up a hold: %w", err)
	}
	if err := turn(c, which.BookID); err != nil {
		return now, err
	}
	return getCopy(c, byID{r.ID})
}

func deleteCopy(c api.Ctx, r byID) error {
	which, err := named(c, r.ID, "")
	if err != nil {
		return err
	}
	if _, _, err := lockBook(c, which.BookID); err != nil {
		return err
	}
	return api.Erase[Copy](c, "book copy", r.ID)
}
