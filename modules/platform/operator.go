package platform

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// Operator is a cross-school administrator.
type Operator struct {
	ID           uuid.UUID  `json:"id"`
	Email        string     `json:"email"`
	Name         string     `json:"name"`
	Status       string     `json:"status" enum:"ACTIVE,DISABLED" example:"ACTIVE"`
	SecondFactor bool       `json:"secondFactor" doc:"They have an authenticator app or a passkey"`
	Sessions     int        `json:"sessions" doc:"Signed-in browsers"`
	LastSignInAt *time.Time `json:"lastSignInAt"`
	CreatedAt    time.Time  `json:"createdAt"`
}

const operatorColumns = `super_admin.id, super_admin.email, super_admin.name, super_admin.status, super_admin.last_sign_in_at,
	super_admin.created_at,
	exists (select from account a where a.user_id = super_admin.id and (exists (select from totp t where t.account_id = a.id) or
	exists (select from passkey p where p.account_id = a.id))) as second_factor,
	(select count(*) from session x join account a on a.id = x.account_id where a.user_id = super_admin.id and x.revoked_at is null
	and x.expires_at > now())::int as sessions`

var operatorListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "name": "name", "email": "email", "lastSignInAt": "last_sign_in_at"},
	Default: "email",
	Filters: map[string]api.Filter{
		"search": api.Search("name", "email"),
		"status": api.ByEnum("status", "ACTIVE", "DISABLED"),
	},
}

func operators(db *gorm.DB) *gorm.DB { return db.Table("super_admin").Select(operatorColumns) }

func listOperators(c api.PlatformCtx, l api.ListRequest) (api.Page[Operator], error) {
	return api.Fetch[Operator](operators(c.DB), l)
}

func getOperator(c api.PlatformCtx, r byID) (Operator, error) {
	var found []Operator
	err := operators(c.DB).Where("super_admin.id = ?", r.ID).Find(&found).Error
	if err == nil && len(found) == 0 {
		err = api.NotFound("operator")
	}
	if err != nil {
		return Operator{}, err
	}
	return found[0], nil
}

func (m *Module) disableOperator(c api.PlatformCtx, r byID) (Operator, error) {
	return m.changeOperator(c, r.ID, "disable", m.People.DisableOperator)
}

func (m *Module) enableOperator(c api.PlatformCtx, r byID) (Operator, error) {
	return m.changeOperator(c, r.ID, "enable", m.People.EnableOperator)
}

// changeOperator does something to an operator, booked in the same transaction.
func (m *Module) changeOperator(c api.PlatformCtx, id uuid.UUID, action string,
	do func(context.Context, uuid.UUID, ...tenancy.InTx) error) (Operator, error) {
	if err := do(c, id, c.Book(action, "super-admin", id, nil)); err != nil {
		return Operator{}, err
	}
	return getOperator(c, byID{id})
}

// resetAdminFactor is for a school's administrator who has lost every second factor. Who
// asks is known to the operator: that they are who they say is checked outside.
func (m *Module) resetAdminFactor(c api.PlatformCtx, r byID) (Admin, error) {
	return m.changeAdmin(c, r.ID, "reset second factor", m.People.ResetFactors)
}
