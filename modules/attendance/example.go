package attendance

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	student := func(m api.Maker) uuid.UUID { return m.Example("/school-admin/student/:id") }
	holiday := api.Created("/school-admin/attendance/holiday/create", map[string]any{"name": "Diwali", "startDate": "2026-11-08"})
	return []api.Example{
		dayFiles().Example(),
		totalFiles().Example(),
		{Path: "/school-admin/attendance/holiday/:id", Table: "holiday", Make: holiday, Change: map[string]any{"name": "Mine"}},
		{Path: "/school-admin/attendance/history/:id", Table: "student", Make: student},
	}
}
