package year

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	year := api.Created("/school-admin/academic-year/create",
		map[string]any{"name": "2026-27", "startDate": "2026-06-01", "endDate": "2027-04-30"})
	return []api.Example{
		{Path: "/school-admin/academic-year/:id", Table: "academic_year", Make: year, Change: map[string]any{"name": "Mine"}},
		{Path: "/school-admin/student/promote/:id", Table: "promotion", Make: examplePromotion, Change: map[string]any{}},
	}
}

func examplePromotion(m api.Maker) uuid.UUID {
	year := func(n int) uuid.UUID {
		return m.Create("/school-admin/academic-year/create", map[string]any{
			"name": fmt.Sprint(n), "startDate": fmt.Sprintf("%d-06-01", n), "endDate": fmt.Sprintf("%d-04-30", n+1)})
	}
	id := api.NewID()
	m.Exec(`insert into promotion (id, from_year_id, to_year_id, class_id, summary) values (?, ?, ?, ?, '{}')`,
		id, year(2026), year(2027), m.Example("/school-admin/class/:id"))
	return id
}
