package rbac

import (
	"homeroom/api"
)

// examples are records for the contract tests.
func examples() []api.Example {
	role := api.Created("/school-admin/permission/role/create", map[string]any{"name": "Librarian", "type": "TEACHER"})
	return []api.Example{{Path: "/school-admin/permission/role/:id", Table: "role", Make: role, Change: map[string]any{"name": "Mine"}}}
}
