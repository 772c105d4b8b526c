package roster

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
)

// Employee is someone who works at the school. Teachers, drivers and administrators
// have an account; support staff have none.
type Employee struct {
	api.Record
	EmployeeFields
	UserID     *uuid.UUID `json:"userId" doc:"Their account, if their type has one"`
	SearchText string     `json:"-"`
}

// EmployeeFields are what the office says of an employee.
type EmployeeFields struct {
	FirstName         string     `json:"firstName" validate:"name,max=100" example:"Meera"`
	LastName          string     `json:"lastName" validate:"omitempty,name,max=100" example:"Iyer"`
	Phone             api.Phone  `json:"phone" validate:"required,max=20"`
	Email             string     `json:"email" validate:"omitempty,email,max=254" doc:"Administrators sign in with it"`
	EmployeeType      string     `json:"employeeType" validate:"required,oneof=TEACHER DRIVER ADMIN SUPPORT"`
	EmployeeCode      string     `json:"employeeCode" validate:"max=40" doc:"Numbered by the school unless given"`
	Designation       string     `json:"designation" validate:"max=100"`
	Department        string     `json:"department" validate:"max=100"`
	Qualification     string     `json:"qualification" validate:"max=200"`
	JoiningDate       *api.Date  `json:"joiningDate"`
	LeavingDate       *api.Date  `json:"leavingDate"`
	LicenceNumber     string     `json:"licenceNumber" validate:"max=40"`
	LicenceExpiryDate *api.Date  `json:"licenceExpiryDate"`
	PhotoFileID       *uuid.UUID `json:"photoFileId"`
	Status            string     `json:"status" validate:"omitempty,oneof=ACTIVE INACTIVE" doc:"ACTIVE unless given"`

	CustomFields json.RawMessage `json:"customFields" members:"any" doc:"By the keys of the school's custom fields; in a change null clears a value, and those not named stay"`
}

// employeeInput is an employee and the role their account holds.
type employeeInput struct {
	EmployeeFields
	RoleID *uuid.UUID `json:"roleId" doc:"A role of the employee's type; the system's own unless given"`
}

// EmployeeDetail is an employee with their role and this year's assignments.
type EmployeeDetail struct {
	Employee
	RoleID      *uuid.UUID   `json:"roleId"`
	RoleName    string       `json:"roleName"`
	Assignments []Assignment `json:"assignments"`
}

type employeeChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[employeeInput]
}

// EmployeeListing is how employees are listed and exported.
var EmployeeListing = api.Listing{
	Sorts: map[string]string{"firstName": "first_name", "lastName": "last_name", "employeeCode": "employee_code",
		"joiningDate": "joining_date", "createdAt": "created_at"},
	Default: "firstName",
	Filters: map[string]api.Filter{
		"search":       api.SearchWords("search_text"),
		"employeeType": api.ByEnum("employee_type", "TEACHER", "DRIVER", "ADMIN", "SUPPORT"),
		"status":       api.ByEnum("status", "ACTIVE", "INACTIVE"),
		"department":   api.ByText("department"),
		customFilter:   api.ByMembers("custom_fields"),
	},
}

func (m *Module) createEmployee(c api.Ctx, r employeeInput) (EmployeeDetail, error) {
	e := Employee{EmployeeFields: r.EmployeeFields}
	if e.Status == "" {
		e.Status = "ACTIVE"
	}
	if err := e.normalize(c); err != nil {
		return EmployeeDetail{}, err
	}
	var err error
	if e.CustomFields, err = (customChange{subject: OfEmployees, said: r.CustomFields}).custom(c); err != nil {
		return EmployeeDetail{}, err
	}
	opening, err := openAccount(c, &e, r.RoleID, nil)
	if err != nil {
		return EmployeeDetail{}, err
	}
	if err := api.Insert(c, "employee", &e); err != nil {
		return EmployeeDetail{}, err
	}
	if err := m.enter(c, opening); err != nil {
		return EmployeeDetail{}, err
	}
	return employeeDetail(c, e)
}

func listEmployees(c api.Ctx, l api.ListRequest) (api.Page[Employee], error) {
	if err := CheckCustomFilter(c, OfEmployees, l); err != nil {
		return api.Page[Employee]{}, err
	}
	return api.Fetch[Employee](c.DB.Model(&Employee{}), l)
}

func getEmployee(c api.Ctx, r byID) (EmployeeDetail, error) {
	e, err := api.Find[Employee](c, "employee", c.DB, r.ID)
	if err != nil {
		return EmployeeDetail{}, err
	}
	return employeeDetail(c, e)
}

func (m *Module) updateEmployee(c api.Ctx, r employeeChange) (EmployeeDetail, error) {
	var opening *account
	e, err := api.Update(c, "employee", r.ID, func(e *Employee) error {
		before := *e
		said := employeeInput{EmployeeFields: e.EmployeeFields}
		if err := r.Apply(&said); err != nil {
			return err
		}
		e.EmployeeFields = said.EmployeeFields
		if r.Names("roleId") {
			e.Touch() // it is the account's
		}
		if e.Status == "" {
			e.Status = before.Status
		}
		if r.Names("status") && e.Status == "ACTIVE" && before.Status != "ACTIVE" && !r.Names("leavingDate") {
			e.LeavingDate = nil // they are back
		}
		if err := e.normalize(c); err != nil {
			return err
		}
		if e.isCaller(c) && (e.EmployeeType != before.EmployeeType || e.Status != "ACTIVE") {
			return api.Conflict("You cannot take away your own account")
		}
		var err error
		if r.Names("customFields") {
			change := customChange{subject: OfEmployees, said: said.CustomFields, was: before.CustomFields}
			if e.CustomFields, err = change.custom(c); err != nil {
				return err
			}
		}
		opening, err = openAccount(c, e, said.RoleID, &before)
		return err
	})
	if err != nil {
		return EmployeeDetail{}, err
	}
	if err := m.enter(c, opening); err != nil {
		return EmployeeDetail{}, err
	}
	return employeeDetail(c, e)
}

// deleteEmployee deactivates: the person's history stays, their account is shut and
// every session of it ends.
func (m *Module) deleteEmployee(c api.Ctx, r byID) error {
	_, err := api.Update(c, "employee", r.ID, func(e *Employee) error {
		if e.isCaller(c) {
			return api.Conflict("You cannot take away your own account")
		}
		before := *e
		e.Status = "INACTIVE"
		if e.LeavingDate == nil {
			today := c.Today()
			e.LeavingDate = &today
		}
		_, err := openAccount(c, e, nil, &before)
		return err
	})
	return err
}

// normalize checks what tags cannot, and fills in what follows from the rest.
func (e *Employee) normalize(c api.Ctx) error {
	if e.EmployeeType == "ADMIN" && e.Email == "" {
		return api.InvalidField("email", "email is required: administrators sign in with it")
	}
	if e.JoiningDate != nil && e.LeavingDate != nil && e.LeavingDate.Before(*e.JoiningDate) {
		return api.InvalidField("leavingDate", "leavingDate must not be before joiningDate")
	}
	if e.EmployeeCode == "" {
		codes, err := EmployeeCodes(c, 1)
		if err != nil {
			return err
		}
		e.EmployeeCode = codes[0]
	}
	e.SearchText = api.Fold(e.FirstName, e.LastName, e.EmployeeCode, string(e.Phone), e.Email)
	return nil
}

func (e *Employee) isCaller(c api.Ctx) bool { return e.UserID != nil && *e.UserID == c.User.ID }

// Name is how an employee is called in a sentence.
func (e *Employee) Name() string { return FullName(e.FirstName, e.LastName) }

// IsActiveTeacher reports whether an employee can be given lessons.
func (e *Employee) IsActiveTeacher() bool { return e.EmployeeType == "TEACHER" && e.Status == "ACTIVE" }

// FullName is how people are called in a sentence.
func FullName(first, last string) string {
	if last == "" {
		return first
	}
	return first + " " + last
}

// CallingEmployee is the employee whose account the caller uses; the zero id: they are none.
// A teacher's account may be older than the employee's record.
func CallingEmployee(c api.Ctx) (uuid.UUID, error) {
	var e Employee
	err := c.DB.Select("id").Where("user_id = ?", c.User.ID).Take(&e).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return uuid.Nil, nil
	}
	return e.ID, err
}

func employeeDetail(c api.Ctx, e Employee) (EmployeeDetail, error) {
	d := EmployeeDetail{Employee: e, Assignments: []Assignment{}}
	if e.UserID == nil {
		return d, nil
	}
	var role struct {
		RoleID   *uuid.UUID
		RoleName string
	}
	err := c.DB.Raw(`select u.role_id, r.name as role_name from app_user u join role r on r.id = u.role_id where u.id = ?`,
		*e.UserID).Scan(&role).Error
	if err != nil {
		return d, fmt.Errorf("reading an employee's role: %w", err)
	}
	d.RoleID, d.RoleName = role.RoleID, role.RoleName
	year, err := activeYearID(c)
	if err != nil {
		return d, err
	}
	d.Assignments, err = assignmentsOf(c, *e.UserID, year)
	return d, err
}
