package dispatch

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	sent := func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into dispatch (id, channel, body, audience, recipients, created_at) values (?, 'SMS', 'Closed', '{}', 1, now())`, id)
		return id
	}
	template := api.Created("/school-admin/dispatch/template/create", map[string]any{"channel": "SMS", "name": "Closed", "body": "Closed"})
	return []api.Example{
		{Path: "/school-admin/dispatch/:id", Table: "dispatch", Make: sent},
		{Path: "/school-admin/dispatch/template/:id", Table: "dispatch_template", Make: template, Change: map[string]any{"name": "Mine"}},
	}
}
