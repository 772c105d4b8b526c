package integration

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	key := api.Created("/school-admin/integration/key/create", map[string]any{"name": "Website",
		"permissions": []any{map[string]any{"module": "event", "canRead": true}}})
	webhook := api.Created("/school-admin/integration/webhook/create", map[string]any{"name": "Accounts",
		"url": "https://accounts.example.org/homeroom", "kinds": []any{"student.changed"}, "status": "OFF"})
	delivery := func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into webhook_delivery (id, webhook_id, event_id, kind, record_type, record_id, action, occurred_at, next_at)
			values (?, ?, ?, 'student.changed', 'student', ?, 'update', now(), now())`, id, webhook(m), id, id)
		return id
	}
	return []api.Example{
		{Path: "/school-admin/integration/key/:id", Table: "api_key", Make: key, Change: map[string]any{}},
		{Path: "/school-admin/integration/webhook/:id", Table: "webhook", Make: webhook,
			Change: map[string]any{"name": "Mine", "from": "2026-01-01T00:00:00Z"}},
		{Path: "/school-admin/integration/webhook/delivery/:id", Table: "webhook_delivery", Make: delivery, Change: map[string]any{}},
	}
}
