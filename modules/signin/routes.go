// Package signin is how a school sets up that its staff sign in with the accounts they have: its identity providers (OpenID
// Connect) and who is linked with them. Signing in itself is auth's.
package signin

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Providers is what signing in knows of identity providers.
type Providers interface {
	// CheckIssuer says what is wrong with an address; CheckProvider, with what is found there.
	CheckIssuer(issuer string) error
	CheckProvider(ctx context.Context, issuer string) error
	// KeepProviderSecret keeps a client secret; DropProviderSecrets deletes all of a school but those of these providers.
	KeepProviderSecret(ctx context.Context, school, provider uuid.UUID, secret string) error
	DropProviderSecrets(ctx context.Context, school uuid.UUID, but []uuid.UUID) error
}

// Module serves the identity providers of a school.
type Module struct {
	Providers Providers
	PublicURL string
	// Redirect is where an identity provider sends browsers back to.
	Redirect func(publicURL string, provider uuid.UUID, app bool) string
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "sign-in",
		Folder:      "modules/signin",
		Rows:        m.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"providerId": `select id, name from sign_in_provider`},
		Scheduled:   []api.Scheduled{{Name: "clear-sign-in-secrets", Every: 24 * time.Hour, School: m.clear}},
	}
}

// routes are the endpoints. Who sets a provider up decides who signs in as whom.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/sign-in/provider/create", "setting", "Add an identity provider by which the staff may sign in",
			m.create, api.Fresh, api.Says("Identity provider added")),
		api.List("/school-admin/sign-in/provider/list", "setting", "List the identity providers", providerListing, m.list),
		api.Query("/school-admin/sign-in/provider/check", "setting", "Ask an identity provider whether it can be used", m.check,
			api.Needs(api.Write), api.ForPeople, api.Says("It can be used")),
		api.Get("/school-admin/sign-in/provider/:id", "setting", "Read an identity provider", m.get),
		api.Put("/school-admin/sign-in/provider/:id", "setting", "Change an identity provider, or switch it on or off", m.update,
			api.Versioned, api.Fresh),
		api.Post("/school-admin/sign-in/provider/:id/secret", "setting", "Enter a new client secret of it", m.renewSecret, api.Fresh,
			api.Says("Client secret saved")),
		api.Remove("/school-admin/sign-in/provider/:id", "setting", "Delete an identity provider; sessions by it end", m.remove, api.Fresh),
		api.List("/school-admin/sign-in/link/list", "setting", "List who has signed in by an identity provider", linkListing, listLinks),
		api.Remove("/school-admin/sign-in/link/:id", "setting", "Remove somebody's link; their sessions by it end", removeLink),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{{Name: "sign_in_provider_name_key", Field: "name", Message: "An identity provider of this name exists"}}
}

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "sign_in_provider", By: "created_by updated_by",
			Nothing: api.Reasons{api.NameOf: "name issuer client_id domains", api.FixedText: "status"}},
		{Table: "sign_in_link", Section: "signInLinks", Of: "user_id", Gone: true, Own: "subject email",
			Nothing: api.Reasons{"the identity provider": "provider_id"}},
	}
}

// examples are records for the contract tests.
func examples() []api.Example {
	provider := api.Created("/school-admin/sign-in/provider/create", map[string]any{"name": "Google", "issuer": "https://accounts.google.com",
		"clientId": "1234.apps.googleusercontent.com", "clientSecret": "GOCSPX-1234", "domains": []any{"green-valley.example.org"}})
	link := func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into sign_in_link (id, provider_id, user_id, subject, email, created_at, last_used_at)
			values (?, ?, ?, ?, 'a@green-valley.example.org', now(), now())`, id, provider(m), m.UserID(), id.String())
		return id
	}
	return []api.Example{
		{Path: "/school-admin/sign-in/provider/:id", Table: "sign_in_provider", Make: provider,
			Change: map[string]any{"name": "Ours", "clientSecret": "GOCSPX-5678"}},
		{Path: "/school-admin/sign-in/link/:id", Table: "sign_in_link", Make: link, Change: map[string]any{}},
	}
}
