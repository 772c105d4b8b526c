// Package dispatch is the office's letters to many: e-mail and SMS to the families of
// classes, to guardians and to staff, with a preview of whom they reach and what they
// cost. It queues them; sending is not its business.
package dispatch

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
)

// Queue sends what was queued.
type Queue interface {
	Queued(ctx context.Context, db *gorm.DB, school uuid.UUID) error
}

// Module serves dispatches.
type Module struct {
	Queue Queue
	// Ready says why a channel cannot be used; Segments, how many SMS a text is.
	Ready    func(channel string) error
	Segments func(text string) int
	Schools  api.Schools
	Clock    func() time.Time
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "dispatch",
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"template": `select id, name from dispatch_template`},
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Post("/school-admin/dispatch/sms", "message", "Send an SMS to many; a dry run says to whom, and what it costs", m.sms,
			api.Says("Queued")),
		api.Post("/school-admin/dispatch/email", "message", "Send an e-mail to many; a dry run says to whom", m.email,
			api.Says("Queued")),
		api.List("/school-admin/dispatch/list", "message", "What was sent to many, and how far each has come", listing, list),
		api.Get("/school-admin/dispatch/:id", "message", "Read a dispatch", get),
		api.Get("/school-admin/dispatch/:id/recipients", "message", "What became of a dispatch, recipient by recipient, or all of it as a file",
			recipientsOf,
			api.Gives("text/csv")),
		api.Create("/school-admin/dispatch/template/create", "message", "Keep a text that is sent again and again", createTemplate,
			api.Says("Template saved")),
		api.List("/school-admin/dispatch/template/list", "message", "List the templates", templateListing, listTemplates),
		api.Put("/school-admin/dispatch/template/:id", "message", "Change a template", updateTemplate, api.Versioned),
		api.Remove("/school-admin/dispatch/template/:id", "message", "Delete a template", deleteTemplate),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{{Name: "dispatch_template_name_key", Field: "name", Message: "A template of this name exists"}}
}

// Queued is the fact that a dispatch's messages wait to be sent.
const Queued = "dispatch.queued"

// listen has what was queued sent.
func (m *Module) listen(bus *events.Bus) {
	bus.On(Queued, "dispatch", func(ctx context.Context, h events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		return m.Queue.Queued(ctx, db, h.SchoolID)
	})
}
