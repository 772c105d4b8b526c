package school

import (
	"errors"

	"homeroom/api"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// newSchool is a request to onboard a school.
type newSchool struct {
	Name     string    `json:"name" validate:"name,max=120" example:"Green Valley"`
	Code     string    `json:"code" validate:"required,code" example:"green-valley"`
	TimeZone string    `json:"timeZone" validate:"required,max=64,timezone" example:"Asia/Kolkata"`
	Currency string    `json:"currency" validate:"required,currency" example:"INR"`
	Locale   string    `json:"locale" validate:"omitempty,max=20" example:"en-IN"`
	Node     string    `json:"node" validate:"omitempty,max=31" doc:"Database node; the least loaded one unless named"`
	Address  string    `json:"address" validate:"max=500"`
	Phone    api.Phone `json:"phone" validate:"max=20"`
	Email    string    `json:"email" validate:"omitempty,email,max=254"`
	// WeekendDays are days off in every week.
	WeekendDays []int16 `json:"weekendDays" validate:"max=7,unique,dive,min=0,max=7" doc:"1 is Monday, 6 Saturday, 0 Sunday (7 is taken too); Saturday and Sunday unless given"`
	Admin       *admin  `json:"admin" validate:"required"`
}

// admin is the school's first administrator.
type admin struct {
	FirstName string    `json:"firstName" validate:"name,max=100"`
	LastName  string    `json:"lastName" validate:"omitempty,name,max=100"`
	Email     string    `json:"email" validate:"required,email,max=254"`
	Phone     api.Phone `json:"phone" validate:"max=20"`
	Password  string    `json:"password" validate:"omitempty,min=12,max=200" doc:"Without one they are invited to set it"`
}

// create writes the school down and has it made. The caller watches /provisioning.
func (m *Module) create(c api.PlatformCtx, r newSchool) (School, error) {
	asked, record, err := m.ask(c, r)
	if err != nil {
		return School{}, err
	}
	_, err = m.Provisioner.Request(c, asked, record)
	switch {
	case errors.Is(err, tenancy.ErrCodeTaken):
		return School{}, api.Duplicate("A school with this code exists")
	case errors.Is(err, lifecycle.ErrNoNode):
		return School{}, api.InvalidField("node", "no active node has this name")
	case err != nil:
		return School{}, err
	}
	return find(c.DB, asked.ID)
}

// ask is a request as the provisioner takes it, and its line in the audit.
func (m *Module) ask(c api.PlatformCtx, r newSchool) (lifecycle.NewSchool, tenancy.InTx, error) {
	if r.Admin.Password == "" { // else the school would fail at its last step
		if err := m.Admins.CanInvite(); err != nil {
			return lifecycle.NewSchool{}, nil, err
		}
	}
	sealed, err := m.Admins.SealAdmin(c, r.Admin.FirstName, r.Admin.LastName, r.Admin.Email, string(r.Admin.Phone), r.Admin.Password)
	if err != nil {
		return lifecycle.NewSchool{}, nil, err
	}
	if r.Locale == "" {
		r.Locale = "en"
	}
	id := api.NewID()
	asked := r
	asked.Admin = nil // its password must not reach the audit log
	return lifecycle.NewSchool{
		ID: id, Code: r.Code, Name: r.Name, TimeZone: r.TimeZone, Locale: r.Locale, Currency: r.Currency, Node: r.Node,
		Address: r.Address, Phone: string(r.Phone), Email: r.Email, WeekendDays: api.Weekend(r.WeekendDays), Admin: sealed,
	}, c.Book("create", "school", id, asked), nil
}
