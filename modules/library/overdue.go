package library

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

var overdueListing = api.Listing{
	Sorts:   map[string]string{"dueOn": "due_on", "title": "title", "borrowerName": "borrower_name"},
	Default: "dueOn",
	Filters: map[string]api.Filter{
		"studentId": api.ByID("student_id"), "employeeId": api.ByID("employee_id"),
		"classId": api.ByID("class_id").Where(`student_id in (select e.student_id from enrolment e where e.class_id = @v
			and e.start_date <= @today and (e.end_date is null or e.end_date >= @today))`),
	},
}

func listOverdue(c api.Ctx, l api.ListRequest) (api.Page[Loan], error) {
	return api.Fetch[Loan](loans(c).Where("closed_on is null and due_on < ?", c.Today()), l)
}

type remindIn struct {
	DryRun bool `json:"dryRun" doc:"Count, and tell nobody"`
}

// Reminded is how many were reminded of books that should be back.
type Reminded struct {
	DryRun  bool `json:"dryRun"`
	Overdue int  `json:"overdue" doc:"Loans that are late"`
	Sent    int  `json:"sent" doc:"Of those, notices sent now; in a dry run, that would be"`
	Already int  `json:"already" doc:"Reminded today already, or borrowed by somebody without an account"`
}

// remind tells of every late loan once a day: the notice's key is the loan and the day.
// It also lets the queues of books move on whose holds nobody came for.
func remind(c api.Ctx, r remindIn) (Reminded, error) {
	out := Reminded{DryRun: r.DryRun}
	var late []struct {
		ID        uuid.UUID
		StudentID *uuid.UUID
		UserID    *uuid.UUID
		Title     string
		DueOn     api.Date
		Heard     bool
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select l.id, l.student_id, e.user_id, b.title, l.due_on, exists (select from notice n
		where n.key = 'library overdue ' || l.id || ' ' || $1::date) as heard
		from library_loan l join book_copy c on c.id = l.copy_id join book b on b.id = c.book_id left join employee e on e.id = l.employee_id
		where l.closed_on is null and l.due_on < $1 order by l.id`, Args: []any{c.Today()}, Scan: tenancy.Collect(&late)})
	if err != nil {
		return out, fmt.Errorf("reading what is late: %w", err)
	}
	out.Overdue = len(late)
	var notices []notice.Notice
	for _, l := range late {
		told := tell(fmt.Sprintf("library overdue %s %s", l.ID, c.Today()), l.ID, l.StudentID, l.UserID,
			notice.Text{Name: "library.late", Values: notice.Values{"book": l.Title, "date": l.DueOn}})
		if l.Heard || told == nil {
			out.Already++
			continue
		}
		out.Sent++
		notices = append(notices, told...)
	}
	if r.DryRun {
		return out, nil
	}
	notice.SendBatch(c, notice.OverdueBooks, notices...)
	return out, EndHolds(c)
}
