package notification

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	return []api.Example{{Path: "/school-admin/notification/batch/:id", Table: "notice_batch", Make: func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into notice_batch (id, kind, sent_at) values (?, 'FEE_REMINDER', now())`, id)
		return id
	}}}
}
