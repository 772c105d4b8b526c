package leave

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
)

const (
	// longestLeave and farthest keep a mistyped year out; latest is how long after the
	// first day leave can still be asked for.
	longestLeave = 120
	farthest     = 366
	latest       = 30
)

// AskedFact, DecidedFact and CancelledFact are what happens to a leave. Each says
// what Happened says.
const (
	AskedFact     = "leave.requested"
	DecidedFact   = "leave.decided"
	CancelledFact = "leave.cancelled"
)

// Happened is what a fact says of a leave.
type Happened struct {
	LeaveID       uuid.UUID  `json:"leaveId"`
	ApplicantType string     `json:"applicantType"`
	StudentID     *uuid.UUID `json:"studentId"`
	EmployeeID    *uuid.UUID `json:"employeeId"`
	LeaveType     string     `json:"leaveType"`
	FromDate      api.Date   `json:"fromDate"`
	ToDate        api.Date   `json:"toDate"`
	HalfDay       bool       `json:"halfDay"`
	Status        string     `json:"status"`
}

func (l *Leave) fact(kind string) events.Fact {
	return events.Fact{Kind: kind, Data: Happened{
		LeaveID: l.ID, ApplicantType: l.ApplicantType, StudentID: l.StudentID, EmployeeID: l.EmployeeID,
		LeaveType: l.LeaveType, FromDate: l.FromDate, ToDate: l.ToDate, HalfDay: l.HalfDay, Status: l.Status,
	}}
}

type childsLeave struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	LeaveFields
}

// parentAsks asks for a child. The class teacher is notified.
func (m *Module) parentAsks(c api.Ctx, r childsLeave) (LeaveView, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return LeaveView{}, err
	}
	l := Leave{ApplicantType: "STUDENT", StudentID: &r.StudentID, LeaveFields: r.LeaveFields, Status: "PENDING"}
	if err := m.checkDays(c, &l, r.StudentID); err != nil {
		return LeaveView{}, err
	}
	if err := api.Insert(c, "leave", &l); err != nil {
		return LeaveView{}, err
	}
	if err := m.Files.Attach(c, FileKind, l.ID, "attachmentFileIds", l.AttachmentFileIDs); err != nil {
		return LeaveView{}, err
	}
	c.Tell(l.fact(AskedFact))
	v, err := m.find(c, l.ID)
	if err != nil {
		return v, err
	}
	return v, tellClassTeacher(c, v)
}

// employeeAsks asks for the caller, within what they have left.
func (m *Module) employeeAsks(c api.Ctx, r LeaveFields) (LeaveView, error) {
	me, err := roster.CallingEmployee(c)
	if err != nil {
		return LeaveView{}, err
	}
	if me == uuid.Nil {
		return LeaveView{}, api.NotFound("employee")
	}
	l := Leave{ApplicantType: "EMPLOYEE", EmployeeID: &me, LeaveFields: r, Status: "PENDING"}
	if err := m.checkDays(c, &l, uuid.Nil); err != nil {
		return LeaveView{}, err
	}
	if err := lockEmployee(c, me); err != nil {
		return LeaveView{}, err
	}
	if err := refuseOverdraft(c, l, "PENDING", "APPROVED"); err != nil {
		return LeaveView{}, err
	}
	if err := api.Insert(c, "leave", &l); err != nil {
		return LeaveView{}, err
	}
	if err := m.Files.Attach(c, FileKind, l.ID, "attachmentFileIds", l.AttachmentFileIDs); err != nil {
		return LeaveView{}, err
	}
	c.Tell(l.fact(AskedFact))
	return m.find(c, l.ID)
}

// checkDays refuses days that cannot be asked for, and counts those that are school days.
func (m *Module) checkDays(c api.Ctx, l *Leave, student uuid.UUID) error {
	var bad []api.Detail
	fail := func(field, format string, args ...any) {
		bad = append(bad, api.Wrong(field, format, args...))
	}
	today := c.Today()
	switch {
	case l.FromDate.Before(today.AddDays(-latest)):
		fail("fromDate", "leave can be asked for until %d days after it began", latest)
	case today.AddDays(farthest).Before(l.FromDate):
		fail("fromDate", "fromDate is more than a year ahead")
	}
	switch {
	case l.ToDate.Before(l.FromDate):
		fail("toDate", "toDate must not be before fromDate")
	case l.FromDate.AddDays(longestLeave).Before(l.ToDate):
		fail("toDate", "leave must not be longer than %d days", longestLeave)
	case l.HalfDay && l.ToDate != l.FromDate:
		fail("halfDay", "a half day is of one day: toDate must be fromDate")
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	days, err := m.Attendance.SchoolDays(c, student, l.FromDate, l.ToDate)
	if err != nil {
		return err
	}
	if days == 0 {
		return api.InvalidField("fromDate", "there is no school on these days")
	}
	l.Days = float64(days)
	if l.HalfDay {
		l.Days = 0.5
	}
	return nil
}

// lockEmployee lets one of an employee's requests be counted at a time.
func lockEmployee(c api.Ctx, id uuid.UUID) error {
	var e roster.Employee
	err := c.DB.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select("id").Where("id = ?", id).Take(&e).Error
	if err != nil {
		return fmt.Errorf("holding an employee: %w", err)
	}
	return nil
}
