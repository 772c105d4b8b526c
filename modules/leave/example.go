package leave

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	return []api.Example{{Path: "/school-admin/leave/:id", Table: "leave", Make: func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into leave (id, applicant_type, employee_id, leave_type, from_date, to_date, days, reason, created_by)
			values (?, 'EMPLOYEE', ?, 'SICK', current_date, current_date, 1, 'Fever', ?)`, id, m.Example("/school-admin/employee/:id"), m.UserID())
		return id
	}}}
}
