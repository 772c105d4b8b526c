package importing

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	importRun := func(kind string) func(api.Maker) uuid.UUID {
		return func(m api.Maker) uuid.UUID {
			id := api.NewID()
			m.Exec(`insert into import_run (id, kind, state, dry_run) values (?, ?, 'DONE', true)`, id, kind)
			return id
		}
	}
	return []api.Example{
		{Path: "/school-admin/student/import/:id", Table: "import_run", Make: importRun("STUDENT")},
		{Path: "/school-admin/employee/import/:id", Table: "import_run", Make: importRun("EMPLOYEE")},
	}
}
