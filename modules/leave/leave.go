package leave

import (
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
)

// Leave is days off that somebody asked for.
type Leave struct {
	api.Record
	ApplicantType string     `json:"applicantType" enum:"STUDENT,EMPLOYEE"`
	StudentID     *uuid.UUID `json:"studentId"`
	EmployeeID    *uuid.UUID `json:"employeeId"`
	LeaveFields
	Days         float64    `json:"days" doc:"School days it takes; a half day is 0.5"`
	Status       string     `json:"status" enum:"PENDING,APPROVED,REJECTED,CANCELLED"`
	DecidedBy    *uuid.UUID `json:"decidedBy"`
	DecidedAt    *time.Time `json:"decidedAt"`
	DecisionNote string     `json:"decisionNote"`
}

// LeaveFields are what is asked for.
type LeaveFields struct {
	LeaveType string   `json:"leaveType" validate:"required,oneof=SICK CASUAL EMERGENCY"`
	FromDate  api.Date `json:"fromDate" validate:"required"`
	ToDate    api.Date `json:"toDate" validate:"required"`
	HalfDay   bool     `json:"halfDay" doc:"Half of one day"`
	Reason    string   `json:"reason" validate:"notblank,max=1000"`
	// AttachmentFileIDs are kept by the files, not with the leave.
	AttachmentFileIDs []uuid.UUID `json:"attachmentFileIds" gorm:"-" validate:"max=10,unique" doc:"Files of the caller's own; who asked and who decides may have them"`
}

// LeaveView is a leave with whose it is.
type LeaveView struct {
	Leave
	ApplicantName string `json:"applicantName" doc:"The student's or the employee's"`
	ClassName     string `json:"className" doc:"Where the student sits when it begins"`
	DivisionName  string `json:"divisionName"`
}

// TableName is where a view comes from; see views.
func (LeaveView) TableName() string { return "leave" }

var listing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "fromDate": "from_date", "status": "status"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"status":        api.ByEnum("status", "PENDING", "APPROVED", "REJECTED", "CANCELLED"),
		"applicantType": api.ByEnum("applicant_type", "STUDENT", "EMPLOYEE"),
		"leaveType":     api.ByEnum("leave_type", "SICK", "CASUAL", "EMERGENCY"),
		"studentId":     api.ByID("student_id"),
		"employeeId":    api.ByID("employee_id"),
		"from":          api.ByDate("to_date", ">="),
		"to":            api.ByDate("from_date", "<="),
		"search":        api.Search("applicant_name"),
	},
}

// seated holds for the student's enrolment e when the leave l begins; nobody has two on one day.
const seated = `e.student_id = l.student_id and e.start_date <= l.from_date and (e.end_date is null or e.end_date >= l.from_date)`

// views is the leaves that a condition on l and its joins holds for, as a table of views.
func views(c api.Ctx, where string, args ...any) *gorm.DB {
	return c.DB.Table(`(?) as leave`, c.DB.Raw(`select l.*, trim(coalesce(s.first_name || ' ' || s.last_name,
		p.first_name || ' ' || p.last_name)) as applicant_name,
			coalesce((select k.name from enrolment e join class k on k.id = e.class_id where `+seated+`), '') as class_name,
			coalesce((select d.name from enrolment e join division d on d.id = e.division_id where `+seated+`), '') as division_name
		from leave l left join student s on s.id = l.student_id left join employee p on p.id = l.employee_id
		where `+where, args...))
}

// leads holds for the leaves l of students whom the user leads as their class teacher
// when the leave begins.
const leads = `exists (select from enrolment e join teacher_assignment a on a.division_id = e.division_id
	where ` + seated + ` and a.user_id = ? and ` + roster.LeadsNow + `)`

func (m *Module) listAll(c api.Ctx, r api.ListRequest) (api.Page[LeaveView], error) {
	return m.page(c, views(c, "true"), r)
}

// listMine is the caller's own, as an employee.
func (m *Module) listMine(c api.Ctx, r api.ListRequest) (api.Page[LeaveView], error) {
	return m.page(c, views(c, "l.employee_id = (select m.id from employee m where m.user_id = ?)", c.User.ID), r)
}

func (m *Module) listRequests(c api.Ctx, r api.ListRequest) (api.Page[LeaveView], error) {
	return m.page(c, views(c, leads, c.User.ID), r)
}

func (m *Module) listChildrens(c api.Ctx, r api.ListRequest) (api.Page[LeaveView], error) {
	return m.page(c, views(c, "l.student_id = any(array(?))", roster.Linked(c.DB, c.User.ID)), r)
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

func (m *Module) getLeave(c api.Ctx, r byID) (LeaveView, error) { return m.find(c, r.ID) }

// find reads any leave, with its files.
func (m *Module) find(c api.Ctx, id uuid.UUID) (LeaveView, error) {
	v, err := find(c, "true", id)
	if err != nil {
		return v, err
	}
	with, err := m.withFiles(c, []LeaveView{v})
	return with[0], err
}

// find reads one that a condition holds for; any other is not there.
func find(c api.Ctx, where string, id uuid.UUID, args ...any) (LeaveView, error) {
	return api.Find[LeaveView](c, "leave", views(c, where, args...), id)
}
