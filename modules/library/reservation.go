package library

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// holdDays is how long a copy is kept for who is next.
const holdDays = 3

// reservation is a reservation's row.
type reservation struct {
	api.Record
	BookID uuid.UUID `json:"bookId"`
	Borrower
	Status    string     `json:"status"`
	CopyID    *uuid.UUID `json:"copyId"`
	HoldUntil *api.Date  `json:"holdUntil"`
}

// TableName is the record's table.
func (reservation) TableName() string { return "library_reservation" }

// Reservation is a place in a book's queue, as clients see it.
type Reservation struct {
	api.Record
	BookID uuid.UUID `json:"bookId"`
	Borrower
	Title           string     `json:"title"`
	BorrowerName    string     `json:"borrowerName"`
	Status          string     `json:"status" enum:"WAITING,READY,FULFILLED,CANCELLED,EXPIRED"`
	Position        int        `json:"position" doc:"In the queue, from 1; 0 when it is not waiting"`
	CopyID          *uuid.UUID `json:"copyId" doc:"The copy that is kept, or was given"`
	AccessionNumber string     `json:"accessionNumber"`
	HoldUntil       *api.Date  `json:"holdUntil" doc:"The last day it is kept"`
}

const reservationQuery = `select r.id, r.created_at, r.updated_at, r.created_by, r.updated_by, r.version, r.book_id, r.student_id,
	r.employee_id, b.title,
	coalesce(trim(s.first_name || ' ' || s.last_name), trim(e.first_name || ' ' || e.last_name)) as borrower_name,
	case when r.status = 'READY' and r.hold_until < ? then 'EXPIRED' else r.status end as status,
	case when r.status = 'WAITING' then (select count(*) from library_reservation q where q.book_id = r.book_id and q.status = 'WAITING'
	and (q.created_at, q.id) <= (r.created_at, r.id)) else 0 end as position,
	r.copy_id, coalesce(c.accession_number, '') as accession_number, r.hold_until
	from library_reservation r left join book b on b.id = r.book_id left join student s on s.id = r.student_id left
	join employee e on e.id = r.employee_id left join book_copy c on c.id = r.copy_id`

func reservations(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as library_reservation", c.DB.Raw(reservationQuery, c.Today()))
}

var reservationListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "title": "title"},
	Default: "createdAt",
	Filters: map[string]api.Filter{
		"bookId": api.ByID("book_id"), "studentId": api.ByID("student_id"), "employeeId": api.ByID("employee_id"),
		"status": api.ByEnum("status", "WAITING", "READY", "FULFILLED", "CANCELLED", "EXPIRED"),
	},
}

type reserveIn struct {
	BookID uuid.UUID `json:"bookId" validate:"required"`
	Borrower
}

// reserve queues a borrower. If a copy is free, it is kept for them at once.
func reserve(c api.Ctx, r reserveIn) (Reservation, error) {
	if err := r.check(); err != nil {
		return Reservation{}, err
	}
	if _, _, err := lockBook(c, r.BookID); err != nil {
		return Reservation{}, err
	}
	if err := turn(c, r.BookID); err != nil {
		return Reservation{}, err
	}
	who, err := r.atDesk(c)
	if err != nil {
		return Reservation{}, err
	}
	var has []struct{ Copies, Mine int }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select count(*) filter (where c.state = 'GOOD')::int as copies, count(l.id)::int as mine
		from book_copy c left join library_loan l on l.copy_id = c.id and l.closed_on is null and coalesce(l.student_id, l.employee_id) = $2
		where c.book_id = $1`,
		Args: []any{r.BookID, r.id()}, Scan: tenancy.Collect(&has)})
	if err != nil {
		return Reservation{}, fmt.Errorf("counting copies: %w", err)
	}
	switch {
	case !who.Active:
		return Reservation{}, api.Conflict("%s has left the school", who.Name)
	case has[0].Mine > 0:
		return Reservation{}, api.Conflict("%s has this book", who.Name)
	case has[0].Copies == 0:
		return Reservation{}, api.Conflict("The library has no copy of this book")
	}
	row := reservation{BookID: r.BookID, Borrower: r.Borrower, Status: "WAITING"}
	if err := api.Insert(c, "reservation", &row); err != nil {
		return Reservation{}, err
	}
	if err := turn(c, r.BookID); err != nil {
		return Reservation{}, err
	}
	return getReservation(c, row.ID)
}

func getReservation(c api.Ctx, id uuid.UUID) (Reservation, error) {
	return api.Find[Reservation](c, "reservation", reservations(c), id)
}

func listReservations(c api.Ctx, l api.ListRequest) (api.Page[Reservation], error) {
	return api.Fetch[Reservation](reservations(c), l)
}

type cancelIn struct {
	ReservationID uuid.UUID `json:"reservationId" validate:"required"`
}

func cancelReservation(c api.Ctx, r cancelIn) (Reservation, error) {
	now, err := getReservation(c, r.ReservationID)
	if err != nil {
		return now, err
	}
	if _, _, err := lockBook(c, now.BookID); err != nil {
		return now, err
	}
	_, err = api.Update(c, "reservation", r.ReservationID, func(row *reservation) error {
		if row.Status != "WAITING" && row.Status != "READY" {
			return api.Conflict("This reservation is %s", row.Status)
		}
		row.Status, row.CopyID, row.HoldUntil = "CANCELLED", nil, nil
		return nil
	})
	if err != nil {
		return now, err
	}
	if err := turn(c, now.BookID); err != nil {
		return now, err
	}
	return getReservation(c, r.ReservationID)
}

const (
	expireHolds = `update library_reservation set status = 'EXPIRED', copy_id = null, updated_at = $3, version = version + 1
		where book_id = any($1) and status = 'READY' and hold_until < $2`
	// giveHolds keeps free copies for those who wait, in the order they came.
	giveHolds = `with free as (
			select c.id, c.book_id, row_number() over (partition by c.book_id order by c.accession_number, c.id) as n from book_copy c
			where c.book_id = any($1) and c.state = 'GOOD' and not exists (select from library_loan l where l.copy_id = c.id
			and l.closed_on is null)
				and not exists (select from library_reservation r where r.copy_id = c.id and r.status = 'READY')),
		waiting as (
			select id, book_id, row_number() over (partition by book_id order by created_at, id) as n from library_reservation
			where book_id = any($1) and status = 'WAITING'),
		given as (
			update library_reservation r
			set status = 'READY', copy_id = f.id, hold_until = $2::date + $4::int, updated_at = $3, version = version + 1
			from waiting w join free f on f.book_id = w.book_id and f.n = w.n where r.id = w.id returning r.*)
		select g.id, g.student_id, e.user_id, b.title, g.hold_until from given g join book b on b.id = g.book_id left
		join employee e on e.id = g.employee_id`
)

// turn ends the holds of books that nobody came for, and keeps free copies for who is
// next, and notifies them. The books are locked. It is called by everything that touches a
// book, and at night for those nobody touched.
func turn(c api.Ctx, books ...uuid.UUID) error {
	var given []struct {
		ID        uuid.UUID
		StudentID *uuid.UUID
		UserID    *uuid.UUID
		Title     string
		HoldUntil api.Date
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: expireHolds, Args: []any{books, c.Today(), c.Now}},
		tenancy.Query{SQL: giveHolds, Args: []any{books, c.Today(), c.Now, holdDays}, Scan: tenancy.Collect(&given)})
	if err != nil {
		return fmt.Errorf("turning the queue of a book: %w", err)
	}
	for _, g := range given {
		// A hold given back and given again is notified again, so the day belongs to the key.
		held := tell(fmt.Sprintf("library hold %s %s", g.ID, g.HoldUntil), g.ID, g.StudentID, g.UserID,
			notice.Text{Name: "library.waiting", Values: notice.Values{"book": g.Title, "date": g.HoldUntil}})
		until := g.HoldUntil.AddDays(1).In(c.School.Location())
		for i := range held {
			held[i].Until = &until
		}
		notice.Send(c, held...)
	}
	return nil
}
