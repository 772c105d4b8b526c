package library

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Borrower says who borrows: one of the two.
type Borrower struct {
	StudentID  *uuid.UUID `json:"studentId" doc:"Or employeeId"`
	EmployeeID *uuid.UUID `json:"employeeId"`
}

func (b Borrower) check() error {
	if (b.StudentID == nil) == (b.EmployeeID == nil) {
		return api.Invalid(api.Detail{Field: "studentId", Message: "either studentId or employeeId is required"})
	}
	return nil
}

// limits are what the school allows a kind of borrower.
type limits struct {
	Books    int
	Days     int
	Renewals int
}

// reader is a borrower at the desk.
type reader struct {
	Name   string
	Active bool
	Open   int // loans
	limits
}

// A borrower's row is locked, be it a student or an employee: two desks do not lend past the limit.
var lockReader = map[bool]string{
	true: `select trim(first_name || ' ' || last_name) as name, status = 'ACTIVE' as active from student where id = $1
		and deleted_at is null for no key update`,
	false: `select trim(first_name || ' ' || last_name) as name, status = 'ACTIVE' as active from employee where id = $1 for no key update`,
}

var readLimits = map[bool]string{
	true:  `select library_student_books as books, library_student_days as days, library_student_renewals as renewals from school_setting`,
	false: `select library_employee_books as books, library_employee_days as days, library_employee_renewals as renewals from school_setting`,
}

// atDesk reads and locks a borrower. The book is locked before.
func (b Borrower) atDesk(c api.Ctx) (reader, error) {
	student, id, field := b.StudentID != nil, b.StudentID, "studentId"
	if !student {
		id, field = b.EmployeeID, "employeeId"
	}
	var who []struct {
		Name   string
		Active bool
	}
	var allowed []limits
	var open []struct{ N int }
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: lockReader[student], Args: []any{*id}, Scan: tenancy.Collect(&who)},
		tenancy.Query{SQL: readLimits[student], Scan: tenancy.Collect(&allowed)},
		tenancy.Query{SQL: `select count(*)::int as n from library_loan where closed_on is null and (student_id = $1 or employee_id = $1)`,
			Args: []any{*id}, Scan: tenancy.Collect(&open)})
	if err != nil {
		return reader{}, fmt.Errorf("reading a borrower: %w", err)
	}
	if len(who) == 0 {
		return reader{}, api.InvalidField(field, "%s is no %s", field, strings.TrimSuffix(field, "Id"))
	}
	return reader{Name: who[0].Name, Active: who[0].Active, Open: open[0].N, limits: allowed[0]}, nil
}

// tell is a notice of the library's to a borrower: a student's guardians hear, or the
// employee, if they have an account.
func tell(key string, record uuid.UUID, student, user *uuid.UUID, text notice.Text) []notice.Notice {
	if student == nil && user == nil {
		return nil
	}
	n := notice.Notice{Type: notice.Library, Key: key, RecordID: record, StudentID: student, Text: text}
	if student == nil {
		n.UserID = user
	}
	return []notice.Notice{n}
}
