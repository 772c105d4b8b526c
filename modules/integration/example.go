package integration

import "homeroom/api"

// examples are records for the contract tests.
func examples() []api.Example {
	key := api.Created("/school-admin/integration/key/create", map[string]any{"name": "Website",
		"permissions": []any{map[string]any{"module": "event", "canRead": true}}})
	return []api.Example{{Path: "/school-admin/integration/key/:id", Table: "api_key", Make: key}}
}
