package nurse

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	visit := func(m api.Maker) uuid.UUID {
		return m.Create("/school-admin/nurse/visit/create", map[string]any{
			"studentId": m.Example("/school-admin/student/:id"), "visitedAt": "2026-11-02T05:30:00Z", "complaint": "Headache"})
	}
	return []api.Example{{Path: "/school-admin/nurse/visit/:id", Table: "nurse_visit", Make: visit, Change: map[string]any{"given": "Mine"}}}
}
