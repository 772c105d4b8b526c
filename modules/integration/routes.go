// Package integration is how other programs work with a school's data: API keys, with which they
// call the office's rows, and webhooks, to which facts are sent.
package integration

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Module serves the integrations of a school.
type Module struct {
	// NewKey makes an API key and the hash it is kept as.
	NewKey func(school, id uuid.UUID) (text string, hash []byte)
	Hooks  Hooks
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "integration",
		Permissions: []api.Permission{{Key: "integration", Title: "Integrations"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"webhookId": `select id, name from webhook`, "apiKey": `select id, name from api_key`},
		Listen:      m.listen,
		Scheduled:   []api.Scheduled{{Name: "clear-webhooks", Every: 24 * time.Hour, School: m.clear}},
	}
}

// routes are the endpoints. A key is made and revoked by people alone: one that made others could
// not be revoked for good.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/integration/key/create", "integration", "Make an API key; this answer alone shows it", m.createKey, api.Fresh,
			api.SecretAnswer, api.Says("API key made")),
		api.List("/school-admin/integration/key/list", "integration", "List the API keys, revoked ones too", keyListing, listKeys,
			api.ForPeople),
		api.Get("/school-admin/integration/key/:id", "integration", "Read an API key and what it may do", getKey, api.ForPeople),
		api.Post("/school-admin/integration/key/:id/revoke", "integration", "Revoke an API key; it is refused within a second", revokeKey,
			api.ForPeople, api.NoBodyNeeded, api.Says("API key revoked")),

		api.Get("/school-admin/integration/webhook/kinds", "integration",
			"The kinds of facts that webhooks can be sent, as far as the caller may read them",
			listKinds),
		api.Create("/school-admin/integration/webhook/create", "integration", "Add a webhook; this answer alone shows its secret",
			m.createWebhook,
			api.Fresh, api.SecretAnswer, api.Says("Webhook added")),
		api.List("/school-admin/integration/webhook/list", "integration", "List the webhooks", webhookListing, listWebhooks),
		api.List("/school-admin/integration/webhook/delivery/list", "integration",
			"What was sent to webhooks in the last 30 days, and what waits",
			deliveryListing, listDeliveries),
		api.Post("/school-admin/integration/webhook/delivery/:id/redeliver", "integration", "Send a fact again", redeliver, api.NoBodyNeeded,
			api.Says("Queued again")),
		api.Get("/school-admin/integration/webhook/:id", "integration", "Read a webhook", getWebhook),
		api.Put("/school-admin/integration/webhook/:id", "integration", "Change a webhook, or switch it on or off", m.updateWebhook,
			api.Versioned,
			api.Fresh),
		api.Remove("/school-admin/integration/webhook/:id", "integration", "Delete a webhook, with its log", deleteWebhook, api.Fresh),
		api.Post("/school-admin/integration/webhook/:id/secret", "integration", "Make a new secret; the one before ends", m.renewSecret,
			api.Fresh,
			api.SecretAnswer, api.NoBodyNeeded, api.Says("Secret made")),
		api.Post("/school-admin/integration/webhook/:id/replay", "integration", "Send again what happened since a moment", replay,
			api.Says("Queued again")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "api_key_name_key", Field: "name", Message: "An API key of this name is in use"},
		{Name: "webhook_name_key", Field: "name", Message: "A webhook of this name exists"},
	}
}

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "api_key", By: "created_by revoked_by", Hidden: "secret_hash", Nothing: api.Reasons{api.NameOf: "name",
			"the key's own user, which is nobody": "id"}},
		{Table: "webhook", By: "created_by updated_by", Free: "last_error", Nothing: api.Reasons{api.NameOf: "name url",
			api.FixedText: "kinds status"}},
		{Table: "webhook_delivery", Where: "x.record_id::text in (select unnest(@records::text[]))", Gone: true, Own: "record_id",
			Free: "last_error", Nothing: api.Reasons{api.FixedText: "kind record_type action state"}},
		{Platform: true, Table: "webhook_secret", Hidden: "sealed"},
	}
}
