package rbac

import (
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Role is what a user holds; its type says which client they use.
type Role struct {
	ID        uuid.UUID    `json:"id"`
	Name      string       `json:"name"`
	Type      api.RoleType `json:"type"`
	System    bool         `json:"system" doc:"Made with the school; it stays"`
	Version   int          `json:"version"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

type newRole struct {
	Name string `json:"name" validate:"name,max=60" example:"Librarian"`
	Type string `json:"type" validate:"required,oneof=SCHOOL_ADMIN TEACHER PARENT DRIVER" example:"TEACHER"`
}

type roleFields struct {
	Name string `json:"name" validate:"name,max=60"`
}

type roleChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[roleFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var roleListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "type": "type", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name"), "type": api.ByEnum("type", "SCHOOL_ADMIN", "TEACHER", "PARENT", "DRIVER")},
}

// createRole adds a role that may do nothing yet.
func createRole(c api.Ctx, r newRole) (Role, error) {
	role := Role{ID: api.NewID(), Name: r.Name, Type: api.RoleType(r.Type), Version: 1, CreatedAt: c.Now, UpdatedAt: c.Now}
	if err := c.DB.Create(&role).Error; err != nil {
		return role, err
	}
	c.Changed("create", "role", role.ID, nil, role)
	c.RightsChanged()
	return role, nil
}

func listRoles(c api.Ctx, l api.ListRequest) (api.Page[Role], error) {
	return api.Fetch[Role](c.DB.Model(&Role{}).Where(ofPeople), l)
}

// ofPeople leaves out the roles of API keys, which are made with a key and stay as they are.
const ofPeople = "type <> 'KEY'"

func getRole(c api.Ctx, r byID) (Role, error) {
	return api.Find[Role](c, "role", c.DB.Where(ofPeople), r.ID)
}

func lockRole(c api.Ctx, id uuid.UUID) (Role, error) {
	c.DB = c.DB.Where(ofPeople)
	return api.Lock[Role](c, "role", id)
}

func updateRole(c api.Ctx, r roleChange) (Role, error) {
	role, err := lockRole(c, r.ID)
	if err != nil {
		return role, err
	}
	if v := c.SentVersion(); v != nil && *v != role.Version {
		return role, api.Conflict("This role was changed by someone else: it is at version %d, you have %d", role.Version, *v)
	}
	before := role
	named := roleFields{Name: role.Name}
	if err := r.Apply(&named); err != nil {
		return role, err
	}
	if named.Name == role.Name {
		c.Unchanged()
		return role, nil
	}
	role.Name, role.Version, role.UpdatedAt = named.Name, role.Version+1, c.Now
	if err := c.DB.Select("name", "version", "updated_at").Where("id = ?", role.ID).Updates(&role).Error; err != nil {
		return role, err
	}
	c.Changed("update", "role", role.ID, before, role)
	return role, nil
}

func deleteRole(c api.Ctx, r byID) error {
	role, err := lockRole(c, r.ID)
	if err != nil {
		return err
	}
	if role.System {
		return api.Conflict("The %s role was made with the school and stays", role.Name)
	}
	if err := c.DB.Where("id = ?", role.ID).Delete(&Role{}).Error; err != nil {
		return err
	}
	c.Changed("delete", "role", role.ID, role, nil)
	c.RightsChanged()
	return nil
}
