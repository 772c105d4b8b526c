package exam

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	name := map[string]any{"name": "Mine"}
	exam := func(m api.Maker) uuid.UUID {
		class := m.Example("/school-admin/class/:id")
		return m.Create("/school-admin/exam/create", map[string]any{
			"name": "Half-yearly", "academicYearId": m.Example("/school-admin/academic-year/:id"), "classIds": []uuid.UUID{class}})
	}
	term := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/exam/term/create", map[string]any{
			"name": "Term 1", "academicYearId": m.Example("/school-admin/academic-year/:id"), "startDate": "2026-06-01", "endDate": "2026-10-31"})
	}
	scale := api.Created("/school-admin/exam/grade-scale/create", map[string]any{
		"name": "A to E", "bands": []any{map[string]any{"grade": "A", "minPercent": 0}}})
	student := func(m api.Maker) uuid.UUID { return m.Example("/school-admin/student/:id") }
	return []api.Example{
		pastResults().Example(),
		{Path: "/school-admin/exam/:id", Table: "exam", Make: exam, Change: name},
		{Path: "/school-admin/exam/grade-scale/:id", Table: "grade_scale", Make: scale, Change: name},
		{Path: "/school-admin/exam/term/:id", Table: "term", Make: term, Change: name},
		{Path: "/school-admin/exam/report-card/:id", Table: "student", Make: student, Change: map[string]any{"remark": "Mine"}},
		{Path: "/teacher/exam/:id", Table: "exam", Make: exam},
	}
}
