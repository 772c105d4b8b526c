package rbac

import "homeroom/api"

// Describe is everything about the module.
func (r *RBAC) Describe() api.Module {
	return api.Module{
		Name:        "rbac",
		Folder:      "rbac",
		Permissions: []api.Permission{{Key: "permission", Title: "Permissions"}},
		Rows:        r.routes(),
		Constraints: constraints(),
		Personal:    personal(),
		Examples:    examples(),
		Names: map[string]string{
			"roleId":   `select id, name from role`,
			"moduleId": `select id, display_name from module`,
		},
	}
}

// routes are the endpoints a school's administrators change rights with.
func (r *RBAC) routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/permission/modules", "permission", "List the modules permissions are given for", listModules),

		api.Create("/school-admin/permission/role/create", "permission", "Add a role", createRole, api.Says("Role created"), api.Fresh),
		api.List("/school-admin/permission/role/list", "permission", "List the roles", roleListing, listRoles),
		api.Get("/school-admin/permission/role/:id", "permission", "Read a role", getRole),
		api.Put("/school-admin/permission/role/:id", "permission", "Rename a role", updateRole, api.Versioned, api.Fresh),
		api.Remove("/school-admin/permission/role/:id", "permission", "Delete a role nobody holds", deleteRole, api.Fresh),

		api.List("/school-admin/permission/list", "permission", "List what each role may do", permissionListing, listPermissions),
		api.Put("/school-admin/permission/update", "permission", "Change what a role may do", updatePermissions, api.Says("Permissions changed"),
			api.Fresh),
		api.Get("/school-admin/permission/explain", "permission", "Whether a user may do something, and why not", r.explain),
	)
}

// constraints are the messages for violated constraints.
func constraints() []api.Constraint {
	return []api.Constraint{
		{Name: "role_name_key", Field: "name", Message: "A role of this name exists"},
	}
}
