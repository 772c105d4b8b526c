package library

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// ChildLoan is a loan as a parent sees it.
type ChildLoan struct {
	ID              uuid.UUID `json:"id"`
	StudentID       uuid.UUID `json:"studentId"`
	StudentName     string    `json:"studentName" gorm:"column:borrower_name"`
	BookID          uuid.UUID `json:"bookId"`
	Title           string    `json:"title"`
	AccessionNumber string    `json:"accessionNumber"`
	IssuedOn        api.Date  `json:"issuedOn"`
	DueOn           api.Date  `json:"dueOn" doc:"The last day it is not late"`
	ClosedOn        *api.Date `json:"closedOn" doc:"When it came back or was given up"`
	Status          string    `json:"status" enum:"ISSUED,OVERDUE,RETURNED,LOST"`
	DaysLate        int       `json:"daysLate"`
	FineSoFar       int64     `json:"fineSoFar" doc:"What would be fined if it came back today; 0 once it is back"`
	Fine            int64     `json:"fine" doc:"What was charged for being late"`
	Charge          int64     `json:"charge" doc:"What was charged for a lost copy"`
}

// TableName is what the list's query is called.
func (ChildLoan) TableName() string { return "library_loan" }

var childLoanListing = api.Listing{
	Sorts:   map[string]string{"issuedOn": "issued_on", "dueOn": "due_on", "title": "title"},
	Default: "-issuedOn",
	Filters: map[string]api.Filter{
		"studentId": api.ByID("student_id"), "status": api.ByEnum("status", "ISSUED", "OVERDUE", "RETURNED", "LOST"),
		"open": api.ByBool("open").Where("@v = (closed_on is null)"),
	},
}

// childLoans are what the caller's children have borrowed, now and before.
func childLoans(c api.Ctx, l api.ListRequest) (api.Page[ChildLoan], error) {
	return api.Fetch[ChildLoan](loans(c).Where("student_id in (?)", roster.Linked(c.DB, c.User.ID)), l)
}
