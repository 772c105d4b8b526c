// Package leave is how students, through their parents, and employees ask for leave,
// and how it is decided. Where leave shows is another module's business.
package leave

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Attendance is where a student's approved leave shows, and who knows the school days.
type Attendance interface {
	// SchoolDays counts the student's school days in a span; the whole school's for the zero id.
	SchoolDays(c api.Ctx, student uuid.UUID, from, to api.Date) (int, error)
	// Excuse writes an approved leave into the register.
	Excuse(c api.Ctx, leave, student uuid.UUID, from, to api.Date, halfDay bool) error
	// Unexcuse takes back what Excuse wrote, and nothing else.
	Unexcuse(c api.Ctx, leave, student uuid.UUID) error
}

// Module serves leave.
type Module struct {
	Attendance Attendance
	Files      Files
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "leave",
		Permissions: []api.Permission{{Key: "leave", Title: "Leave", Teacher: "rw", Parent: "rw"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names: map[string]string{"leave": `select l.id, trim(coalesce(s.first_name || ' ' || s.last_name, e.first_name || ' ' || e.last_name))
			from leave l left join student s on s.id = l.student_id left join employee e on e.id = l.employee_id`},
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.List("/school-admin/leave/list", "leave", "List the leave of students and employees", listing, m.listAll, api.MayBeStale),
		api.Post("/school-admin/leave/decide", "leave", "Approve or reject a leave that is not one's own", m.officeDecides,
			api.Says("Leave decided")),
		api.List("/school-admin/leave/balances", "leave", "What employees have left of each leave type this academic year", balanceListing,
			listBalances, api.MayBeStale),
		api.Get("/school-admin/leave/entitlements", "leave", "How many days of each type employees have in a year", getEntitlements),
		api.Put("/school-admin/leave/entitlements", "leave", "Say how many days of each type employees have in a year", putEntitlements),
		api.Get("/school-admin/leave/:id", "leave", "Read a leave", m.getLeave),

		api.Create("/teacher/leave/apply", "leave", "Ask for leave for myself", m.employeeAsks, api.Says("Leave asked for")),
		api.List("/teacher/leave/list", "leave", "My own leave", listing, m.listMine),
		api.List("/teacher/leave/balances", "leave", "What I have left of each leave type this academic year", balanceListing, myBalances,
			api.MayBeStale),
		api.List("/teacher/leave/requests", "leave", "Leave of the students whose class teacher I am", listing, m.listRequests),
		api.Post("/teacher/leave/decide", "leave", "Approve or reject leave of a student whose class teacher I am", m.teacherDecides,
			api.Says("Leave decided")),
		api.Post("/teacher/leave/cancel", "leave", "Take my own leave back before it begins", m.employeeCancels, api.Says("Leave cancelled")),

		api.Create("/parent/leave/apply", "leave", "Ask for leave for a child", m.parentAsks, api.Says("Leave asked for")),
		api.List("/parent/leave/list", "leave", "My children's leave", listing, m.listChildrens),
		api.Post("/parent/leave/cancel", "leave", "Take a child's leave back before it begins", m.parentCancels, api.Says("Leave cancelled")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "leave_overlap_excl", Field: "fromDate", Message: "There is an open leave on some of these days already"},
		{Name: "leave_dates_check", Field: "toDate", Message: "toDate must not be before fromDate"},
		{Name: "leave_half_day_check", Field: "halfDay", Message: "A half day is of one day"},
	}
}
