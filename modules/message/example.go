package message

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	thread := func(m api.Maker) uuid.UUID {
		var sent struct{ ThreadID uuid.UUID }
		m.Call("POST", "/school-admin/message/send", map[string]any{"recipientIds": []any{m.Teacher()}, "body": "Hello"}, &sent)
		return sent.ThreadID
	}
	return []api.Example{
		{Path: "/school-admin/message/thread/:id", Table: "thread", Make: thread},
		{Path: "/teacher/message/thread/:id", Table: "thread", Make: thread},
		{Path: "/parent/message/thread/:id", Table: "thread", Make: thread},
	}
}
