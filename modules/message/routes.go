// Package message is what people of a school write to each other: guardians and the
// teachers of their child, or the office as a whole; teachers and the office; the office
// and anybody. Who may not talk to each other cannot.
package message

import (
	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// Files are what can be attached.
type Files interface {
	Attach(c api.Ctx, kind string, record uuid.UUID, field string, ids []uuid.UUID) error
	Of(db *gorm.DB, kind string, records ...uuid.UUID) (map[uuid.UUID][]uuid.UUID, error)
}

// FileKind is what files are attached to here: single messages.
const FileKind = "message"

// mostKept is how many messages of a thread an app may keep, the newest.
const mostKept = 1000

// Module serves messages.
type Module struct{ Files Files }

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "message",
		Permissions: []api.Permission{{Key: "message", Title: "Messages", Teacher: "rw", Parent: "rw"}},
		Rows:        m.routes(),
		Personal:    personal(),
		Examples:    examples(),
	}
}

// routes are the endpoints: the same for everyone who writes.
func (m *Module) routes() []api.Row {
	var all []any
	for _, client := range []string{"parent", "teacher", "school-admin"} {
		at := "/" + client + "/message/"
		all = append(all,
			api.Create(at+"send", "message", "Write to somebody, or answer in a thread", m.send, api.ForPeople, api.Says("Message sent")),
			api.List(at+"list", "message", "My threads, with what is unread in each", threadListing, listThreads, api.ForPeople,
				api.Syncs),
			api.Get(at+"thread/:id", "message", "Read a thread, newest message last", m.thread, api.ForPeople,
				api.SyncsField("messages", func(r *threadRequest) { r.Page, r.Limit = 1, mostKept })),
			api.Post(at+"read", "message", "Mark a thread as read", read, api.ForPeople, api.OpenInEvaluationMode, api.NoAudit,
				api.Says("Marked as read")),
			api.Get(at+"contacts", "message", "Whom I may write to", contacts, api.ForPeople),
		)
	}
	return api.Rows(all...)
}
