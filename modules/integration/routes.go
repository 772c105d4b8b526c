// Package integration is how other programs work with a school's data: API keys, with which they
// call the office's rows.
package integration

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Module serves the integrations of a school.
type Module struct {
	// NewKey makes an API key and the hash it is kept as.
	NewKey func(school, id uuid.UUID) (text string, hash []byte)
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
	}
}

// routes are the endpoints. A key is made and revoked by people alone: one that made others could
// not be revoked for good.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/integration/key/create", "integration", "Make an API key; this answer alone shows it", m.createKey, api.Fresh,
			api.SecretAnswer, api.Says("API key made")),
		api.List("/school-admin/integration/key/list", "integration", "List the API keys, revoked ones too", keyListing, listKeys, api.ForPeople),
		api.Get("/school-admin/integration/key/:id", "integration", "Read an API key and what it may do", getKey, api.ForPeople),
		api.Post("/school-admin/integration/key/:id/revoke", "integration", "Revoke an API key; it is refused within a second", revokeKey,
			api.ForPeople, api.NoBodyNeeded, api.Says("API key revoked")),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{{Name: "api_key_name_key", Field: "name", Message: "An API key of this name is in use"}}
}

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "api_key", By: "created_by revoked_by", Hidden: "secret_hash", Nothing: api.Reasons{api.NameOf: "name",
			"the key's own user, which is nobody": "id"}},
	}
}
