package rbac

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
)

// Module is a module that permissions are given for.
type Module struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	DisplayName string    `json:"displayName"`
}

type moduleList struct {
	Modules []Module `json:"modules"`
}

func listModules(c api.Ctx, _ api.Nothing) (moduleList, error) {
	var list moduleList
	err := c.DB.Order("display_name").Find(&list.Modules).Error
	return list, err
}

// Permission is what a role may do with a module.
type Permission struct {
	ID        uuid.UUID `json:"id"`
	RoleID    uuid.UUID `json:"roleId"`
	ModuleID  uuid.UUID `json:"moduleId"`
	CanRead   bool      `json:"canRead"`
	CanWrite  bool      `json:"canWrite"`
	CanDelete bool      `json:"canDelete"`
}

var permissionListing = api.Listing{
	Sorts:   map[string]string{"roleId": "role_id", "moduleId": "module_id"},
	Default: "roleId",
	Filters: map[string]api.Filter{"roleId": api.ByID("role_id"), "moduleId": api.ByID("module_id")},
}

func listPermissions(c api.Ctx, l api.ListRequest) (api.Page[Permission], error) {
	return api.Fetch[Permission](c.DB.Model(&Permission{}), l)
}

type permissionsChange struct {
	RoleID      uuid.UUID `json:"roleId" validate:"required"`
	Permissions []right   `json:"permissions" validate:"required,min=1,max=100,dive"`
}

type right struct {
	ModuleID  uuid.UUID `json:"moduleId" validate:"required"`
	CanRead   bool      `json:"canRead"`
	CanWrite  bool      `json:"canWrite"`
	CanDelete bool      `json:"canDelete"`
}

type permissionList struct {
	Permissions []Permission `json:"permissions"`
}

// updatePermissions sets a role's rights on the modules it names; the others stay.
func updatePermissions(c api.Ctx, r permissionsChange) (permissionList, error) {
	role, err := lockRole(c, r.RoleID)
	if err != nil {
		return permissionList{}, err
	}
	before, err := permissionsOf(c, role.ID)
	if err != nil {
		return permissionList{}, err
	}
	if err := checkRights(c, role, before.Permissions, r.Permissions); err != nil {
		return permissionList{}, err
	}
	for _, p := range r.Permissions {
		err := c.DB.Exec(`insert into permission (id, role_id, module_id, can_read, can_write, can_delete, updated_at)
			values (?, ?, ?, ?, ?, ?, ?)
			on conflict (role_id, module_id) do update
			set can_read = excluded.can_read, can_write = excluded.can_write, can_delete = excluded.can_delete,
				version = permission.version + 1, updated_at = excluded.updated_at
			where (permission.can_read, permission.can_write, permission.can_delete)
				is distinct from (excluded.can_read, excluded.can_write, excluded.can_delete)`,
			api.NewID(), role.ID, p.ModuleID, p.CanRead, p.CanWrite, p.CanDelete, c.Now).Error
		if err != nil {
			return permissionList{}, fmt.Errorf("changing a permission: %w", err)
		}
	}
	after, err := permissionsOf(c, role.ID)
	if err != nil {
		return permissionList{}, err
	}
	c.Changed("update", "permission", role.ID, before, after)
	if !slices.Equal(before.Permissions, after.Permissions) {
		c.RightsChanged()
	}
	return after, nil
}

func permissionsOf(c api.Ctx, role uuid.UUID) (permissionList, error) {
	list := permissionList{Permissions: []Permission{}}
	err := c.DB.Where("role_id = ?", role).Order("module_id").Find(&list.Permissions).Error
	return list, err
}

// checkRights refuses unknown modules, administrators who would lock themselves out of
// permissions, and rights that the caller lacks.
func checkRights(c api.Ctx, role Role, before []Permission, rights []right) error {
	var modules []Module
	if err := c.DB.Find(&modules).Error; err != nil {
		return err
	}
	byID := map[uuid.UUID]string{}
	for _, m := range modules {
		byID[m.ID] = m.Name
	}
	has := map[uuid.UUID]Permission{}
	for _, p := range before {
		has[p.ModuleID] = p
	}
	added := rightSet{}
	seen := map[uuid.UUID]bool{}
	var bad []api.Detail
	for i, r := range rights {
		field := fmt.Sprintf("permissions[%d].moduleId", i)
		switch name := byID[r.ModuleID]; {
		case name == "":
			bad = append(bad, api.Detail{Field: field, Message: "moduleId does not exist"})
		case seen[r.ModuleID]:
			bad = append(bad, api.Detail{Field: field, Message: "moduleId is named twice"})
		case role.System && role.Type == api.SchoolAdmin && name == "permission" && (!r.CanRead || !r.CanWrite):
			return api.Conflict("The school administrator keeps the right to change permissions")
		}
		seen[r.ModuleID] = true
		was := has[r.ModuleID]
		added.add(byID[r.ModuleID], r.CanRead && !was.CanRead, r.CanWrite && !was.CanWrite, r.CanDelete && !was.CanDelete)
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	return checkAdded(c, added)
}
