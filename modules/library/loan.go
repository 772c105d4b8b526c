package library

import (
	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// loan is a loan's row.
type loan struct {
	api.Record
	CopyID uuid.UUID `json:"copyId"`
	Borrower
	IssuedOn            api.Date   `json:"issuedOn"`
	DueOn               api.Date   `json:"dueOn"`
	Renewals            int        `json:"renewals"`
	ClosedOn            *api.Date  `json:"closedOn"`
	Outcome             string     `json:"outcome"`
	Fine                int64      `json:"fine"`
	FineTransactionID   *uuid.UUID `json:"fineTransactionId"`
	Charge              int64      `json:"charge"`
	ChargeTransactionID *uuid.UUID `json:"chargeTransactionId"`
}

// TableName is the record's table.
func (loan) TableName() string { return "library_loan" }

// Loan is a loan as clients see it.
type Loan struct {
	api.Record
	CopyID uuid.UUID `json:"copyId"`
	Borrower
	BookID              uuid.UUID  `json:"bookId"`
	AccessionNumber     string     `json:"accessionNumber"`
	Title               string     `json:"title"`
	BorrowerName        string     `json:"borrowerName"`
	IssuedOn            api.Date   `json:"issuedOn"`
	DueOn               api.Date   `json:"dueOn" doc:"The last day it is not late"`
	Renewals            int        `json:"renewals"`
	ClosedOn            *api.Date  `json:"closedOn" doc:"When it came back or was given up"`
	Status              string     `json:"status" enum:"ISSUED,OVERDUE,RETURNED,LOST"`
	DaysLate            int        `json:"daysLate"`
	FineSoFar           int64      `json:"fineSoFar" doc:"What a student would be fined today; 0 once it is back"`
	Fine                int64      `json:"fine" doc:"What was posted to the student's account"`
	FineTransactionID   *uuid.UUID `json:"fineTransactionId"`
	Charge              int64      `json:"charge" doc:"For a lost copy"`
	ChargeTransactionID *uuid.UUID `json:"chargeTransactionId"`
}

// loanQuery is the loans as of a day. The fine is worked out here and nowhere else.
const loanQuery = `select l.id, l.created_at, l.updated_at, l.created_by, l.updated_by, l.version, l.copy_id, l.student_id, l.employee_id,
	c.book_id, c.accession_number, b.title,
	coalesce(trim(s.first_name || ' ' || s.last_name), trim(e.first_name || ' ' || e.last_name)) as borrower_name, l.issued_on, l.due_on,
	l.renewals, l.closed_on,
	case when l.closed_on is not null then l.outcome when l.due_on < t.day then 'OVERDUE' else 'ISSUED' end as status,
	greatest(0, coalesce(l.closed_on, t.day) - l.due_on) as days_late,
	case when l.closed_on is null and l.student_id is not null
		then (select least(greatest(0, t.day - l.due_on - g.library_fine_grace_days) * g.library_fine_per_day,
		coalesce(nullif(g.library_fine_max_amount, 0), 1000000000000)) from school_setting g) else 0 end as fine_so_far,
	l.fine, l.fine_transaction_id, l.charge, l.charge_transaction_id
	from (select ?::date as day) t, library_loan l left join book_copy c on c.id = l.copy_id
	left join book b on b.id = c.book_id left join student s on s.id = l.student_id left join employee e on e.id = l.employee_id`

func loans(c api.Ctx) *gorm.DB {
	return c.DB.Table("(?) as library_loan", c.DB.Raw(loanQuery, c.Today()))
}

var loanListing = api.Listing{
	Sorts:   map[string]string{"issuedOn": "issued_on", "dueOn": "due_on", "title": "title"},
	Default: "-issuedOn",
	Filters: map[string]api.Filter{
		"studentId": api.ByID("student_id"), "employeeId": api.ByID("employee_id"), "bookId": api.ByID("book_id"), "copyId": api.ByID("copy_id"),
		"status": api.ByEnum("status", "ISSUED", "OVERDUE", "RETURNED", "LOST"), "open": api.ByBool("open").Where("@v = (closed_on is null)"),
		"from": api.ByDate("issued_on", ">="), "to": api.ByDate("issued_on", "<="),
	},
}

func listLoans(c api.Ctx, l api.ListRequest) (api.Page[Loan], error) {
	return api.Fetch[Loan](loans(c), l)
}

func getLoan(c api.Ctx, id uuid.UUID) (Loan, error) { return api.Find[Loan](c, "loan", loans(c), id) }
