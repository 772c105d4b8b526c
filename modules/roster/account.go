package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
)

// AdministratorAdded is the fact that someone became an administrator, or is one under
// another e-mail, and has yet to set a password.
const AdministratorAdded = "administrator.added"

// AccountRole is the role of the account that an employee of a type has; support staff have none.
func AccountRole(employeeType string) (role api.RoleType, has bool) {
	role, has = map[string]api.RoleType{"TEACHER": api.Teacher, "DRIVER": api.Driver, "ADMIN": api.SchoolAdmin}[employeeType]
	return role, has
}

// account is a way in that is to be written into the directory.
type account struct {
	userID       uuid.UUID
	role         api.RoleType
	phone, email string
}

// openAccount makes the employee's user say what the employee says: their name, how
// they sign in, their role, and whether they may at all. before is nil for someone
// new. What it returns goes into the directory once everything else has been
// written; nil when there is nothing to enter.
func openAccount(c api.Ctx, e *Employee, roleID *uuid.UUID, before *Employee) (*account, error) {
	role, has := AccountRole(e.EmployeeType)
	open := has && e.Status == "ACTIVE"
	if roleID != nil && !has {
		return nil, api.InvalidField("roleId", "support staff have no account and no role")
	}
	if !has && e.UserID == nil {
		return nil, nil
	}
	held, err := accountRole(c, e, role, roleID, before)
	if err != nil {
		return nil, err
	}
	if err := checkAccount(c, e, held, before); err != nil {
		return nil, err
	}
	if open {
		if err := phoneIsFree(c, e); err != nil {
			return nil, err
		}
	}
	a := account{role: role, phone: string(e.Phone), email: e.signInEmail()}
	if e.UserID == nil {
		id := api.NewID()
		e.UserID = &id
	}
	a.userID = *e.UserID
	status := "DISABLED"
	if open {
		status = "ACTIVE"
	}
	err = c.DB.Exec(`
		insert into app_user (id, role_id, first_name, last_name, phone, email, status, created_at, updated_at)
		values (@id, coalesce(@role, (select id from role where type = 'TEACHER'
		and system)), @first, @last, @phone, nullif(@email, ''), @status, @now, @now)
		on conflict (id) do update set role_id = coalesce(@role, app_user.role_id), first_name = @first, last_name = @last, phone = @phone,
			email = nullif(@email, ''), status = @status, version = app_user.version + 1, updated_at = @now
		where (app_user.role_id, app_user.first_name, app_user.last_name, app_user.phone, app_user.email, app_user.status)
			is distinct from (coalesce(@role, app_user.role_id), @first, @last, @phone, nullif(@email, ''), @status)`,
		map[string]any{"id": a.userID, "role": held, "first": e.FirstName, "last": e.LastName, "phone": a.phone, "email": a.email,
			"status": status, "now": c.Now}).Error
	if err != nil {
		return nil, fmt.Errorf("writing an employee's account: %w", err)
	}
	c.Tell(userChanged(a.userID))
	if !open {
		return nil, nil
	}
	if a.role == api.SchoolAdmin && (before == nil || before.UserID == nil || before.EmployeeType != "ADMIN" || before.Status != "ACTIVE" ||
		!strings.EqualFold(before.Email, e.Email)) {
		c.Tell(events.Fact{Kind: AdministratorAdded, Data: map[string]any{"userId": a.userID}})
	}
	return &a, nil
}

// accountRole is the role the account is to hold: the one given, if it is of the
// employee's type; the one held, as long as the type stays; else the system's own.
func accountRole(c api.Ctx, e *Employee, role api.RoleType, given *uuid.UUID, before *Employee) (*uuid.UUID, error) {
	if role == "" {
		return nil, nil
	}
	if given == nil && before != nil && e.UserID != nil && before.EmployeeType == e.EmployeeType {
		return nil, nil // stays as it is
	}
	query := c.DB.Table("role").Select("id")
	if given != nil {
		query = query.Where("id = ? and type = ?", *given, role)
	} else {
		query = query.Where("type = ? and system", role)
	}
	var ids []uuid.UUID
	if err := query.Scan(&ids).Error; err != nil {
		return nil, fmt.Errorf("looking for a role: %w", err)
	}
	if len(ids) == 0 {
		return nil, api.InvalidField("roleId", "roleId is no role of type %s", role)
	}
	return &ids[0], nil
}

// checkAccount refuses a change of an account to those who may not give its role: a new role, a
// new phone or e-mail to sign in with, a way in that is opened again, and, of an administrator,
// one that is shut. next is the role it is to hold; nil: the one it has.
func checkAccount(c api.Ctx, e *Employee, next *uuid.UUID, before *Employee) error {
	var roles []uuid.UUID // the account's now, and the one it gets
	if e.UserID != nil {
		if err := c.DB.Table("app_user").Where("id = ?", *e.UserID).Pluck("role_id", &roles).Error; err != nil {
			return fmt.Errorf("reading an account's role: %w", err)
		}
	}
	gives := next != nil && !slices.Contains(roles, *next)
	shuts := false
	if before != nil {
		gives = gives || e.Phone != before.Phone || e.signInEmail() != before.signInEmail() ||
			(e.Status == "ACTIVE" && before.Status != "ACTIVE")
		shuts = before.EmployeeType == "ADMIN" && (e.EmployeeType != "ADMIN" || e.Status != before.Status)
	}
	if !gives && !shuts {
		return nil
	}
	if next != nil {
		roles = append(roles, *next)
	}
	return c.CheckGrant(roles...)
}

// signInEmail is what an administrator signs in with. The others sign in by phone, and may share
// a family's address.
func (e *Employee) signInEmail() string {
	if e.EmployeeType != "ADMIN" {
		return ""
	}
	return strings.ToLower(e.Email)
}

// phoneIsFree refuses a second employee of the same type on one phone: a code sent to
// it would sign either in. The lock makes two at once queue.
func phoneIsFree(c api.Ctx, e *Employee) error {
	key := "employee phone " + string(e.Phone)
	if err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ?, 0))`, key).Error; err != nil {
		return fmt.Errorf("locking a phone: %w", err)
	}
	var holders []Employee
	err := c.DB.Select("id", "first_name", "last_name").
		Where("phone = ? and employee_type = ? and status = 'ACTIVE' and id <> ?", e.Phone, e.EmployeeType, e.ID).Limit(1).Find(&holders).Error
	if err != nil {
		return fmt.Errorf("looking for a phone: %w", err)
	}
	if len(holders) == 0 {
		return nil
	}
	refusal := api.Duplicate(holders[0].Name() + " has this phone already")
	refusal.Details = []api.Detail{{Field: "phone", Message: refusal.Message}}
	return refusal
}

// enter writes the account into the directory, last of all, so that its holder can
// sign in as soon as the change is committed.
func (m *Module) enter(c api.Ctx, a *account) error {
	if a == nil {
		return nil
	}
	return m.People.Enter(c, c.School.ID, a.userID, a.role, a.phone, a.email)
}
