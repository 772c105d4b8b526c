package event

import (
	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	event := api.Created("/school-admin/event/create", map[string]any{"title": "Sports day", "eventDate": "2026-12-01"})
	return []api.Example{
		{Path: "/school-admin/event/:id", Table: "event", Make: event, Change: map[string]any{"title": "Mine"}},
		{Path: "/teacher/co-curricular/delete-event/:id", Table: "event", Make: event},
	}
}
