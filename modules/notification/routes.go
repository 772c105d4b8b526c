// Package notification tells people what happened: it keeps the log each of them
// reads, knows their devices and wishes, and decides which messages go out for a
// notice. It sends nothing itself, and does not know why a notice was written.
package notification

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// Devices knows people's phones.
type Devices interface {
	// Register gives a device to the user who holds it now, and takes it from an earlier one, with the
	// topics this user may subscribe to.
	Register(ctx context.Context, token, platform string, school, user, session uuid.UUID, topics []string) error
	// Users are those of a school's users who have a device, of all or, if any are given, of these.
	Users(ctx context.Context, school uuid.UUID, among ...uuid.UUID) ([]uuid.UUID, error)
	// SetTopics says which topics the devices of users may be subscribed to from now on.
	SetTopics(ctx context.Context, school uuid.UUID, topics map[uuid.UUID][]string) error
}

// Browsers knows the browsers that show people's notices. Nil: there is no web push.
type Browsers interface {
	// PublicKey is what a browser binds its subscription to.
	PublicKey(ctx context.Context) (string, error)
	IsSubscribed(ctx context.Context, session uuid.UUID) (bool, error)
	// Check says which field of a subscription is wrong, and why; both are empty if none is.
	Check(endpoint string, p256dh, auth []byte) (field, problem string)
	// Subscribe makes a browser show the notices of a session's user.
	Subscribe(ctx context.Context, endpoint string, p256dh, auth []byte, school, user, session uuid.UUID) error
	Unsubscribe(ctx context.Context, session uuid.UUID) error
}

// Queue sends what was queued.
type Queue interface {
	// Queued says, in a listener's transaction, that messages were queued.
	Queued(ctx context.Context, db *gorm.DB, school uuid.UUID) error
	// Reachable are the school's users whom a push can reach, and those among them who have a browser that shows notices.
	Reachable(ctx context.Context, school uuid.UUID) (all, onBrowsers []uuid.UUID, err error)
	// CancelBrowsers takes back what browsers have not been sent of pushes.
	CancelBrowsers(ctx context.Context, pushes []uuid.UUID) error
	// Retry queues dead letters again and answers how many there were.
	Retry(ctx context.Context, ids []uuid.UUID) (queued, skipped int, err error)
}

// Module serves notifications.
type Module struct {
	Devices  Devices
	Browsers Browsers
	Queue    Queue
	Schools  api.Schools
	Clock    func() time.Time
	// AnnouncementAddressesUser is the condition, with a message of an announcement as d and
	// the school's day as @today, that the announcement is still for the message's user.
	AnnouncementAddressesUser string
	// Ready says why a way cannot be used.
	Ready func(way string) error
}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:        "notification",
		Permissions: []api.Permission{{Key: "notification", Title: "Notifications", Teacher: "rw", Parent: "rw", Driver: "rw"}},
		Rows:        m.routes(),
		Constraints: constraints(),
		Listen:      m.listen,
		Personal:    personal(),
		Examples:    examples(),
		Scheduled: []api.Scheduled{{Name: "compare-topics", Every: 24 * time.Hour, School: func(ctx context.Context, at api.SchoolWork) error {
			return m.CompareTopics(ctx, at.DB, at.School.ID)
		}}},
	}
}

// routes are the endpoints. Every app has the same ones.
func (m *Module) routes() []api.Row {
	var all []any
	for _, client := range []string{"parent", "teacher", "driver", "school-admin"} {
		at := "/" + client + "/notification/"
		all = append(all,
			api.Post(at+"token", "notification", "Register this device for push; it belongs to whom it was last registered by", m.register,
				api.ForPeople, api.OpenInEvaluationMode, api.NoAudit, api.Says("Device registered")),
			api.Get(at+"delivered-notifications", "notification", "My notifications, newest first", delivered, api.ForPeople,
				api.SyncsField("notifications", func(r *deliveredRequest) { r.Page, r.Limit = 1, mostKept })),
			api.Get(at+"unread-count", "notification", "How much of it I have not read", unreadCount, api.ForPeople),
			api.Post(at+"read", "notification", "Mark one as read", read, api.ForPeople, api.OpenInEvaluationMode, api.NoAudit,
				api.Says("Marked as read")),
			api.Post(at+"read-all", "notification", "Mark all as read", readAll, api.ForPeople, api.OpenInEvaluationMode, api.NoAudit,
				api.Says("All marked as read")),
			api.Get(at+"language", "notification", "In which language I get messages", getLanguage, api.ForPeople),
			api.Put(at+"language", "notification", "Choose in which language I get messages", putLanguage, api.ForPeople,
				api.OpenInEvaluationMode, api.NoAudit),
		)
	}
	for _, client := range []string{"parent", "teacher", "driver"} { // who use the people's app
		at := "/" + client + "/notification/web-push"
		all = append(all,
			api.Get(at, "notification", "What a browser needs to subscribe, and whether this one has", m.getWebPush),
			api.Post(at, "notification", "Show my notices on this browser; as long as the session lives", m.subscribe,
				api.OpenInEvaluationMode, api.NoAudit, api.Says("Browser subscribed")),
			api.Post(at+"/end", "notification", "Show them no more on this browser", m.unsubscribe, api.OpenInEvaluationMode, api.NoAudit,
				api.Says("Browser unsubscribed")),
		)
	}
	all = append(all,
		api.Get("/parent/notification/preferences", "notification", "By which ways I want which notifications", getPreferences),
		api.Put("/parent/notification/preferences", "notification", "Change by which ways", putPreferences, api.OpenInEvaluationMode,
			api.NoAudit),

		api.Get("/school-admin/notification/setting", "setting", "When and at what cost the school tells people things", getSetting),
		api.Put("/school-admin/notification/setting", "setting", "Change when and at what cost", putSetting, api.Versioned),

		api.Get("/school-admin/notification/rules", "setting", "By which ways notices of each type are sent, and with what result", m.getRules),
		api.Put("/school-admin/notification/rules", "setting", "Change by which ways; the kinds that are named", m.putRules),

		api.Get("/school-admin/notification/reach", "message", "Whom the newest notice about a record has reached, and by which ways", m.reach),
		api.Get("/school-admin/notification/unreached", "message", "Whom it has not reached, and why", m.unreached),
		api.List("/school-admin/notification/batch/list", "message",
			"What was told to many at once, each of their own: reach and send-to-rest take its id", batchListing, listBatches),
		api.Get("/school-admin/notification/batch/:id", "message", "Read what was told to many at once", getBatch),
		api.Post("/school-admin/notification/send-to-rest", "message", "Send it to those it has not reached by another way, once", m.sendToRest,
			api.Says("Queued")),

		api.Get("/school-admin/notification/suppressed", "message", "Which channels nothing is sent to a person on, and why", suppressed),
		api.List("/school-admin/notification/suppressed/list", "message", "All addresses nothing is sent to, and why", suppressedListing,
			listSuppressed),
		api.Post("/school-admin/notification/suppressed/lift", "message", "Send to a person on a channel again", liftSuppression,
			api.Says("Messages are sent again")),

		api.Post("/school-admin/notification/whatsapp", "message", "Say whether a person has agreed to messages by WhatsApp", agreeToWhatsApp),

		api.PlatformList("/super-admin/delivery/list", "Messages that could not be delivered, newest first", deadListing, listDead),
		api.PlatformRow("POST", "/super-admin/delivery/retry", "Try to deliver messages again", api.Write, 200, m.retryDead, api.OwnTransaction,
			api.Says("Queued again")),
	)
	return api.Rows(all...)
}

// constraints are the database's refusals in people's words.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "notice_rule_ways_check", Field: "ways", Message: "ways are one to four, each once, and push comes first"},
		{Name: "notice_rule_digest_check", Field: "digest", Message: "URGENT and DIGEST do not wait for a digest"},
		{Name: "notice_rule_wait_check", Field: "waitMinutes", Message: "waitMinutes is between 1 and 1440"},
		{Name: "school_setting_quiet_check", Field: "quietTo", Message: "quietFrom and quietTo are given together, and differ"},
	}
}
