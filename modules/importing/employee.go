package importing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/sheet"
)

// The columns of an employees' file, in the order an export writes them.
const (
	colCode = iota
	colEmpFirst
	colEmpLast
	colEmpType
	colEmpPhone
	colEmpEmail
	colDesignation
	colDepartment
	colQualification
	colJoining
	colLicence
	colLicenceExpiry
)

var employeeSheet = []sheet.Column{
	colCode: {Name: "employeeCode", Also: []string{"code", "employeeNo", "employeeId", "empCode", "empId", "staffId", "staffNo",
		"कर्मचारी संख्या", "رقم الموظف", "namba ya mfanyakazi"}, Check: sheet.Text(40)},
	colEmpFirst: {Name: "firstName", Also: []string{"name", "employeeName", "staffName", "teacherName", "नाम", "الاسم", "jina"},
		Check: sheet.Text(100)},
	colEmpLast: {Name: "lastName", Also: []string{"surname", "familyName", "उपनाम", "اسم العائلة", "jina la ukoo"},
		Check: sheet.Text(100)},
	colEmpType: {Name: "employeeType", Also: []string{"type", "staffType", "role"},
		Check: sheet.OneOf(map[string]string{"TEACHING": "TEACHER", "शिक्षक": "TEACHER", "MWALIMU": "TEACHER", "DEREVA": "DRIVER",
			"चालक": "DRIVER", "ड्राइवर": "DRIVER", "معلم": "TEACHER", "سائق": "DRIVER"}, "TEACHER", "DRIVER", "ADMIN", "SUPPORT")},
	colEmpPhone: {Name: "phone", Also: []string{"mobile", "mobileNo", "mobileNumber", "phoneNo", "phoneNumber", "contactNo",
		"contactNumber", "मोबाइल", "फ़ोन", "الهاتف", "رقم الهاتف", "الجوال", "simu"}, Phone: true},
	colEmpEmail: {Name: "email", Also: []string{"emailId", "emailAddress", "ईमेल", "البريد الإلكتروني", "barua pepe"},
		Check: sheet.Email},
	colDesignation:   {Name: "designation", Check: sheet.Text(100)},
	colDepartment:    {Name: "department", Check: sheet.Text(100)},
	colQualification: {Name: "qualification", Check: sheet.Text(200)},
	colJoining:       {Name: "joiningDate", Also: []string{"dateOfJoining", "doj", "joined"}, Date: true},
	colLicence:       {Name: "licenceNumber", Also: []string{"licence", "licenseNumber"}, Check: sheet.Text(40)},
	colLicenceExpiry: {Name: "licenceExpiryDate", Also: []string{"licenseExpiryDate"}, Date: true},
}

type employeeLine struct {
	row    int
	cells  []string
	custom []string // of the school's own fields
}

// employees are files of employees.
func (m *Module) employees() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "EMPLOYEE", Path: "/school-admin/employee/import", Permission: "employee", Columns: employeeSheet,
		Summary: "Import teachers, drivers and support staff from a CSV file or workbook", Begin: m.beginEmployees,
		Tables:  []string{"app_user", "employee"},
		Options: []api.Option{api.SometimesFresh("Giving or changing an administrator's account")},
	}
}

func (m *Module) beginEmployees(c api.Ctx, _ imports.Request) (imports.Reading, error) {
	custom, err := readCustomFields(c, roster.OfEmployees)
	if err != nil {
		return imports.Reading{}, err
	}
	var lines []employeeLine
	codes, people := map[string]int{}, map[string]int{}
	take := func(row int, cells []string, _ map[int]bool, found *sheet.Problems) {
		key, in, says := strings.ToLower(cells[colCode]), codes, "is the code of row %d, too"
		if key == "" {
			key, in, says = api.Fold(cells[colEmpFirst], cells[colEmpLast])+cells[colEmpPhone], people,
				"is needed: row %d says the same of an employee"
		}
		if first, twice := in[key]; twice {
			found.Addf(row, "employeeCode", says, first)
		}
		in[key] = row
		lines = append(lines, employeeLine{row, cells[:len(employeeSheet):len(employeeSheet)], cells[len(employeeSheet):]})
	}
	return imports.Reading{Columns: custom.columns(employeeSheet), Take: take,
		Plan: func(c api.Ctx, found *sheet.Problems) (imports.Plan, error) {
			return planEmployees(c, m, lines, custom, found)
		}}, nil
}

// knownEmployee is one the school has.
type knownEmployee struct {
	ID      uuid.UUID
	UserID  *uuid.UUID
	RoleID  *uuid.UUID
	Version int
	Active  bool
	Fields  []string
	Custom  string // the values of the school's own fields, as JSON
}

// employeeStep is what one row does to one employee.
type employeeStep struct {
	step
	user   *uuid.UUID
	old    *knownEmployee // nil for a new one
	opens  bool           // a new account
	custom string         // the values of the school's own fields, as JSON
}

type employeePlan struct {
	imports.PlanBase
	people People
	custom customFields
	steps  []*employeeStep // what changes something

	refusals map[uuid.UUID]string // why the caller may not change accounts of a role; empty: they may
}

// planEmployees compares the rows with the employees there are. A school has some
// hundred of them, so all are read.
func planEmployees(c api.Ctx, m *Module, lines []employeeLine, custom customFields, found *sheet.Problems) (imports.Plan, error) {
	p := &employeePlan{PlanBase: imports.NewPlanBase(found), people: m.People, custom: custom,
		refusals: map[uuid.UUID]string{}}
	cells := fileCells(employeeColumns, len(employeeSheet), "e")
	known, err := readAll[knownEmployee](c.DB, `select e.id, e.user_id, u.role_id, e.version, e.status = 'ACTIVE', `+cells+`,
		e.custom_fields::text
		from employee e left join app_user u on u.id = e.user_id order by e.id`)
	if err != nil {
		return nil, fmt.Errorf("reading employees: %w", err)
	}
	byCode, byPerson, byPhone := map[string]*knownEmployee{}, map[string]*knownEmployee{}, map[string]string{}
	for i := range known {
		k := &known[i]
		byCode[strings.ToLower(k.Fields[colCode])] = k
		if k.Active {
			byPerson[api.Fold(k.Fields[colEmpFirst], k.Fields[colEmpLast])+k.Fields[colEmpPhone]] = k
			byPhone[k.Fields[colEmpType]+k.Fields[colEmpPhone]] = k.ID.String()
		}
	}
	for _, l := range lines {
		if found.IsBad(l.row) {
			p.Skip(l.row)
			continue
		}
		old := byCode[strings.ToLower(l.cells[colCode])]
		if l.cells[colCode] == "" {
			old = byPerson[api.Fold(l.cells[colEmpFirst], l.cells[colEmpLast])+l.cells[colEmpPhone]]
		}
		if err := p.checkAccount(c, l, old); err != nil {
			return nil, err
		}
		p.line(l, old, byPhone)
	}
	return p, nil
}

// checkAccount finds rows that change what somebody signs in with whose role the caller may not
// give. New accounts hold the system's own role of a teacher or driver, which comes with being one.
func (p *employeePlan) checkAccount(c api.Ctx, l employeeLine, old *knownEmployee) error {
	phone := l.cells[colEmpPhone]
	if old == nil || old.RoleID == nil || phone == "" || phone == sheet.Clean(old.Fields[colEmpPhone]) {
		return nil
	}
	refusal, known := p.refusals[*old.RoleID]
	if !known {
		if err := c.CheckGrant(*old.RoleID); err != nil {
			var refused *api.Error
			if errors.Is(err, api.ErrNotFresh) || !errors.As(err, &refused) {
				return err // the caller proves who they are and sends the file again
			}
			refusal = refused.Message
		}
		p.refusals[*old.RoleID] = refusal
	}
	if refusal != "" {
		p.Found.Add(l.row, employeeSheet[colEmpPhone].Name, refusal)
	}
	return nil
}

func (p *employeePlan) line(l employeeLine, old *knownEmployee, byPhone map[string]string) {
	s := &employeeStep{step: step{row: l.row, fields: slices.Clone(l.cells)}, old: old}
	changed := old == nil
	if old != nil {
		s.id, s.user, s.fields = old.ID, old.UserID, slices.Clone(old.Fields)
		for i, cell := range l.cells {
			if cell != "" && i != colCode && cell != sheet.Clean(old.Fields[i]) {
				s.fields[i], changed = cell, true
			}
		}
		var other bool
		s.custom, other = p.custom.lay(l.row, l.custom, old.Custom, p.Found)
		changed = changed || other
		if !old.Active {
			p.Found.Add(l.row, "employeeCode", "belongs to an employee who has left")
		} else if s.fields[colEmpType] != old.Fields[colEmpType] {
			p.Found.Add(l.row, "employeeType", "cannot be changed by a file: an account hangs on it")
		} else if old.UserID != nil && s.fields[colEmpType] == "ADMIN" && !strings.EqualFold(s.fields[colEmpEmail], old.Fields[colEmpEmail]) {
			p.Found.Add(l.row, "email", "an administrator's e-mail is changed by itself, not by a file: they are sent an invitation")
		}
	} else {
		s.id = api.NewID()
		s.custom, _ = p.custom.lay(l.row, l.custom, "", p.Found)
		for _, col := range []int{colEmpFirst, colEmpType, colEmpPhone} {
			if s.fields[col] == "" {
				p.Found.Add(l.row, employeeSheet[col].Name, "is required")
			}
		}
		if s.fields[colEmpType] == "ADMIN" {
			p.Found.Add(l.row, "employeeType", "administrators are added by themselves: they are sent an invitation")
		}
		s.opens = s.fields[colEmpType] != "SUPPORT"
	}
	key := s.fields[colEmpType] + s.fields[colEmpPhone]
	if holder, is := byPhone[key]; is && holder != s.id.String() && s.fields[colEmpPhone] != "" {
		p.Found.Add(l.row, "phone", "another "+strings.ToLower(s.fields[colEmpType])+" has this phone")
	}
	if p.Found.IsBad(l.row) {
		p.Skip(l.row)
		return
	}
	byPhone[key] = s.id.String()
	switch {
	case old == nil:
		p.Totals.Creates++
		p.Hash("%d create", l.row)
	case changed:
		p.Totals.Updates++
		p.Hash("%d %s %d", l.row, s.id, old.Version)
	default:
		p.Totals.Unchanged++
		p.Hash("%d %s same", l.row, s.id)
		return
	}
	p.steps = append(p.steps, s)
}
