package announcement

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	draft := api.Created("/school-admin/announcement/create", map[string]any{"title": "Closed", "body": "Tomorrow"})
	published := func(m api.Maker) uuid.UUID {
		id := draft(m)
		m.Exec(`update announcement set status = 'PUBLISHED', published_at = now(), told_at = now() where id = ?`, id)
		return id
	}
	return []api.Example{
		{Path: "/school-admin/announcement/:id", Table: "announcement", Make: draft, Change: map[string]any{"title": "Mine"}},
		{Path: "/teacher/announcement/:id", Table: "announcement", Make: published},
		{Path: "/parent/announcement/:id", Table: "announcement", Make: published},
	}
}
