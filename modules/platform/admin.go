package platform

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Admin is an administrator of a school, as the directory knows them.
type Admin struct {
	ID         uuid.UUID  `json:"id" doc:"Of their account"`
	UserID     uuid.UUID  `json:"userId"`
	SchoolID   uuid.UUID  `json:"schoolId"`
	SchoolName string     `json:"schoolName"`
	Name       string     `json:"name"`
	Email      *string    `json:"email"`
	Phone      *string    `json:"phone"`
	Status     string     `json:"status" enum:"ACTIVE,INACTIVE,DISABLED" example:"ACTIVE" doc:"DISABLED by a super-admin; INACTIVE at their school, which alone can change that"`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"When they last signed in"`
	CreatedAt  time.Time  `json:"createdAt"`
}

// accountStatus says whether an account can be signed in to.
const accountStatus = `case when barred_at is not null then 'DISABLED' when disabled then 'INACTIVE' else 'ACTIVE' end`

const adminColumns = `id, user_id, school_id, (select s.name from school s
	where s.id = account.school_id) as school_name, name, email, phone,
	` + accountStatus + ` as status, last_used_at, created_at`

var adminListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "name": "name", "email": "email", "lastUsedAt": "last_used_at"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"search":   api.Search("name", "email", "phone"),
		"schoolId": api.ByID("school_id"),
		"status":   api.ByEnum("", "ACTIVE", "DISABLED", "INACTIVE").Where(accountStatus + " = @v"),
	},
}

func listAdmins(c api.PlatformCtx, l api.ListRequest) (api.Page[Admin], error) {
	return api.Fetch[Admin](c.DB.Table("account").Select(adminColumns).Where("role_type = 'SCHOOL_ADMIN'"), l)
}

func getAdmin(c api.PlatformCtx, r byID) (Admin, error) { return findAdmin(c.DB, r.ID) }

func findAdmin(db *gorm.DB, id uuid.UUID) (Admin, error) {
	var found []Admin
	err := tenancy.Pipeline(db, tenancy.Query{SQL: `select ` + adminColumns + ` from account where id = $1 and role_type = 'SCHOOL_ADMIN'`,
		Args: []any{id}, Scan: tenancy.Collect(&found)})
	if err == nil && len(found) == 0 {
		err = api.NotFound("administrator")
	}
	if err != nil {
		return Admin{}, err
	}
	return found[0], nil
}

type newAdmin struct {
	SchoolID  uuid.UUID `json:"schoolId" validate:"required"`
	FirstName string    `json:"firstName" validate:"name,max=100"`
	LastName  string    `json:"lastName" validate:"omitempty,name,max=100"`
	Email     string    `json:"email" validate:"required,email,max=254"`
	Phone     api.Phone `json:"phone" validate:"max=20"`
}

// createAdmin writes the administrator into their school and invites them. A crash in
// between leaves an administrator who can be invited again.
func (m *Module) createAdmin(c api.PlatformCtx, r newAdmin) (Admin, error) {
	if err := m.People.CanInvite(); err != nil {
		return Admin{}, err
	}
	s, err := m.Schools.School(c, r.SchoolID)
	if err != nil {
		return Admin{}, err
	}
	if s.Status != tenancy.Active {
		return Admin{}, api.Conflict("The school is %s: administrators are added to active schools", s.Status)
	}
	id, err := m.People.AddAdmin(c, s, r.FirstName, r.LastName, r.Email, string(r.Phone), func(user uuid.UUID) (tenancy.Query, error) {
		return c.SchoolEntry("create", "administrator", user, r)
	})
	if err != nil {
		return Admin{}, err
	}
	admin, err := findAdmin(c.DB, id)
	if err != nil {
		return Admin{}, err
	}
	c.At(s.ID).Changed("create", "administrator", id, nil, r)
	return admin, m.People.Invite(c, s.ID, admin.UserID, s.Name)
}

func (m *Module) disableAdmin(c api.PlatformCtx, r byID) (Admin, error) {
	return m.changeAdmin(c, r.ID, "disable", m.People.Bar)
}

func (m *Module) enableAdmin(c api.PlatformCtx, r byID) (Admin, error) {
	return m.changeAdmin(c, r.ID, "enable", m.People.Unbar)
}

// changeAdmin does something to the account, booked in the same transaction.
func (m *Module) changeAdmin(c api.PlatformCtx, id uuid.UUID, action string,
	do func(context.Context, uuid.UUID, ...tenancy.InTx) error) (Admin, error) {
	before, err := findAdmin(c.DB, id)
	if err != nil {
		return before, err
	}
	if err := do(c, id, c.At(before.SchoolID).Book(action, "administrator", id, nil)); err != nil {
		return before, err
	}
	return findAdmin(c.DB, id)
}

func (m *Module) inviteAdmin(c api.PlatformCtx, r byID) (Admin, error) {
	admin, err := findAdmin(c.DB, r.ID)
	if err != nil {
		return admin, err
	}
	switch {
	case admin.Status != "ACTIVE":
		return admin, api.Conflict("The administrator is %s: they could not sign in", admin.Status)
	case admin.Email == nil:
		return admin, api.Conflict("The administrator has no e-mail")
	}
	if err := m.People.CanInvite(); err != nil {
		return admin, err
	}
	c.At(admin.SchoolID).Changed("invite", "administrator", admin.ID, nil, nil)
	return admin, m.People.Invite(c, admin.SchoolID, admin.UserID, admin.SchoolName)
}
