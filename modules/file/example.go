package file

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	plan := func(m api.Maker) uuid.UUID {
		id := api.NewID()
		m.Exec(`insert into file (id, purpose, original_name, content_type, size_bytes, sha256, storage_key, uploaded_by, created_at)
			values (?, 'ATTACHMENT', 'plan.pdf', 'application/pdf', 1, '', '', ?, now())`, id, m.UserID())
		return id
	}
	return []api.Example{
		{Path: "/school-admin/file/:id", Table: "file", Make: plan},
		{Path: "/teacher/file/:id", Table: "file", Make: plan},
		{Path: "/parent/file/:id", Table: "file", Make: plan},
		{Path: "/driver/file/:id", Table: "file", Make: plan},
	}
}
