// Package announcement is what a school says to many at once: to all, to parents, to
// teachers, or to those of some classes and divisions. Publishing answers at once;
// everybody's line of the log is written afterwards, once, in one statement.
package announcement

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// Teller tells many people at once.
type Teller interface {
	// Broadcast writes the log and queues the messages, in a listener's transaction.
	Broadcast(ctx context.Context, db *gorm.DB, school *tenancy.School, now time.Time, b notice.Broadcast) error
	// Recall takes back the notices of a record.
	Recall(db *gorm.DB, record uuid.UUID) error
}

// Files are what can be attached.
type Files interface {
	// Attach makes these the files of a record. They are the caller's own, or there already.
	Attach(c api.Ctx, kind string, record uuid.UUID, field string, ids []uuid.UUID) error
	// Of are the files of records.
	Of(db *gorm.DB, kind string, records ...uuid.UUID) (map[uuid.UUID][]uuid.UUID, error)
}

// FileKind is what files are attached to here.
const FileKind = "announcement"

// Module serves announcements.
type Module struct {
	Teller  Teller
	Files   Files
	Schools api.Schools
	Clock   func() time.Time
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "announcement",
		Permissions: []api.Permission{{Key: "announcement", Title: "Announcements", Teacher: "rw", Parent: "r"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		Names:       map[string]string{"announcement": `select id, title from announcement`},
	}
}

// routes are the endpoints.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Create("/school-admin/announcement/create", "announcement", "Write an announcement: a draft, or one that is published at a time",
			m.create, api.Says("Announcement saved")),
		api.List("/school-admin/announcement/list", "announcement", "List the announcements, with how many received and have read them",
			adminListing, m.list, api.MayBeStale),
		api.Get("/school-admin/announcement/reach", "announcement", "How many an announcement to these would reach", reach),
		api.Get("/school-admin/announcement/:id", "announcement", "Read an announcement", m.get),
		api.Put("/school-admin/announcement/:id", "announcement", "Change a draft or a scheduled announcement", m.update, api.Versioned),
		api.Remove("/school-admin/announcement/:id", "announcement", "Delete an announcement that was never published", m.remove),
		api.Post("/school-admin/announcement/:id/publish", "announcement", "Publish now", m.publish,
			api.Says("Announcement published")),
		api.Post("/school-admin/announcement/:id/withdraw", "announcement", "Take an announcement back", m.withdraw,
			api.Says("Announcement withdrawn")),

		api.Create("/teacher/announcement/create", "announcement", "Tell the parents of my divisions something, at once or at a time",
			m.createByTeacher, api.AboutEach(teachersTargets), api.Says("Announcement saved")),
		api.List("/teacher/announcement/list", "announcement", "Announcements for me, and my own", readerListing, m.listForTeacher,
			api.MayBeStale, api.Syncs),
		api.Get("/teacher/announcement/:id", "announcement", "Read an announcement", m.getForTeacher),
		api.Post("/teacher/announcement/read", "announcement", "Mark an announcement as read", markRead, api.Needs(api.Read),
			api.OpenInEvaluationMode, api.NoAudit),
		api.List("/parent/announcement/list", "announcement", "Announcements for me", readerListing, m.listForParent, api.MayBeStale,
			api.Syncs),
		api.Get("/parent/announcement/:id", "announcement", "Read an announcement", m.getForParent),
		api.Post("/parent/announcement/read", "announcement", "Mark an announcement as read", markRead, api.Needs(api.Read),
			api.OpenInEvaluationMode, api.NoAudit),
	)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "announcement_target_class_fkey", Field: "classIds", Message: "classIds has a class that does not exist"},
		{Name: "announcement_target_division_fkey", Field: "divisionIds", Message: "divisionIds has a division that does not exist"},
		{Name: "announcement_target_key", Field: "classIds", Message: "classIds and divisionIds must not repeat"},
		{Name: "announcement_expiry_check", Field: "expiresAt", Message: "expiresAt must be after publishAt"},
	}
}
