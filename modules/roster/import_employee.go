package roster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
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
	employeeWidth
)

var employeeSheet = []column{
	colCode:          {"employeeCode", []string{"code", "employeeNo"}, anyText(40)},
	colEmpFirst:      {"firstName", []string{"name"}, anyText(100)},
	colEmpLast:       {"lastName", []string{"surname"}, anyText(100)},
	colEmpType:       {"employeeType", []string{"type"}, oneOf(nil, "TEACHER", "DRIVER", "ADMIN", "SUPPORT")},
	colEmpPhone:      {"phone", []string{"mobile"}, phoneCell},
	colEmpEmail:      {"email", nil, emailCell},
	colDesignation:   {"designation", nil, anyText(100)},
	colDepartment:    {"department", nil, anyText(100)},
	colQualification: {"qualification", nil, anyText(200)},
	colJoining:       {"joiningDate", nil, dateCell},
	colLicence:       {"licenceNumber", []string{"licence", "licenseNumber"}, anyText(40)},
	colLicenceExpiry: {"licenceExpiryDate", []string{"licenseExpiryDate"}, dateCell},
}

// employeeText are the table's names of the file's columns.
var employeeText = []string{"employee_code", "first_name", "last_name", "employee_type", "phone", "email", "designation", "department", "qualification", "joining_date", "licence_number", "licence_expiry_date"}

type employeeLine struct {
	row   int
	cells []string
}

func (m *Module) importEmployees(c api.Ctx, r importRequest, file *api.Incoming) (ImportResult, error) {
	var lines []employeeLine
	codes, people := map[string]int{}, map[string]int{}
	take := func(row int, cells []string, found *problems) {
		key, in, says := lower(cells[colCode]), codes, "is the code of row %d, too"
		if key == "" {
			key, in, says = api.Fold(cells[colEmpFirst], cells[colEmpLast])+cells[colEmpPhone], people, "is needed: row %d says the same of an employee"
		}
		if first, twice := in[key]; twice {
			found.addf(row, "employeeCode", says, first)
		}
		in[key] = row
		lines = append(lines, employeeLine{row, cells})
	}
	return runImport(c, r, file, importer{kind: "EMPLOYEE", columns: employeeSheet, take: take,
		plan: func(c api.Ctx, found *problems) (importPlan, error) { return planEmployees(c, m, lines, found) }})
}

// knownEmployee is one the school has.
type knownEmployee struct {
	ID      uuid.UUID
	UserID  *uuid.UUID
	RoleID  *uuid.UUID
	Version int
	Active  bool
	Fields  []string
}

// employeeStep is what one row does to one employee.
type employeeStep struct {
	row    int
	id     uuid.UUID
	user   *uuid.UUID
	old    *knownEmployee
	fields []string
	opens  bool // a new account
}

type employeePlan struct {
	module *Module
	found  *problems
	steps  []*employeeStep // what changes something
	totals ImportResult
	sum    hash.Hash

	refusals map[uuid.UUID]string // why the caller may not change accounts of a role; empty: they may
}

func (p *employeePlan) result() ImportResult { return p.totals }
func (p *employeePlan) problems() *problems  { return p.found }
func (p *employeePlan) hash() string         { return hex.EncodeToString(p.sum.Sum(nil)) }

// planEmployees compares the rows with the employees there are. A school has some
// hundred of them, so all are read.
func planEmployees(c api.Ctx, m *Module, lines []employeeLine, found *problems) (importPlan, error) {
	p := &employeePlan{module: m, found: found, sum: sha256.New(), refusals: map[uuid.UUID]string{}}
	known, err := readAll[knownEmployee](c.DB, `select e.id, e.user_id, u.role_id, e.version, e.status = 'ACTIVE', array[employee_code, e.first_name, e.last_name, employee_type, e.phone, e.email,
		designation, department, qualification, coalesce(joining_date::text, ''), licence_number, coalesce(licence_expiry_date::text, '')]
		from employee e left join app_user u on u.id = e.user_id order by e.id`)
	if err != nil {
		return nil, fmt.Errorf("reading employees: %w", err)
	}
	byCode, byPerson, byPhone := map[string]*knownEmployee{}, map[string]*knownEmployee{}, map[string]string{}
	for i := range known {
		k := &known[i]
		byCode[lower(k.Fields[colCode])] = k
		if k.Active {
			byPerson[api.Fold(k.Fields[colEmpFirst], k.Fields[colEmpLast])+k.Fields[colEmpPhone]] = k
			byPhone[k.Fields[colEmpType]+k.Fields[colEmpPhone]] = k.ID.String()
		}
	}
	for _, l := range lines {
		if found.bad(l.row) {
			fmt.Fprintf(p.sum, "%d bad\n", l.row)
			continue
		}
		old := byCode[lower(l.cells[colCode])]
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
	if old == nil || old.RoleID == nil || phone == "" || phone == clean(old.Fields[colEmpPhone]) {
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
		p.found.add(l.row, employeeSheet[colEmpPhone].name, refusal)
	}
	return nil
}

func (p *employeePlan) line(l employeeLine, old *knownEmployee, byPhone map[string]string) {
	s := &employeeStep{row: l.row, old: old, fields: slices.Clone(l.cells)}
	changed := old == nil
	if old != nil {
		s.id, s.user, s.fields = old.ID, old.UserID, slices.Clone(old.Fields)
		for i, cell := range l.cells {
			if cell != "" && i != colCode && cell != clean(old.Fields[i]) {
				s.fields[i], changed = cell, true
			}
		}
		if !old.Active {
			p.found.add(l.row, "employeeCode", "belongs to an employee who has left")
		} else if s.fields[colEmpType] != old.Fields[colEmpType] {
			p.found.add(l.row, "employeeType", "cannot be changed by a file: an account hangs on it")
		} else if changed && old.UserID != nil && (s.fields[colEmpPhone] != old.Fields[colEmpPhone] || s.fields[colEmpEmail] != old.Fields[colEmpEmail]) && s.fields[colEmpType] == "ADMIN" {
			p.found.add(l.row, "email", "an administrator's phone and e-mail are changed by themselves, not by a file")
		}
	} else {
		s.id = api.NewID()
		for _, col := range []int{colEmpFirst, colEmpType, colEmpPhone} {
			if s.fields[col] == "" {
				p.found.add(l.row, employeeSheet[col].name, "is required")
			}
		}
		if s.fields[colEmpType] == "ADMIN" {
			p.found.add(l.row, "employeeType", "administrators are added by themselves: they are sent an invitation")
		}
		s.opens = s.fields[colEmpType] != "SUPPORT"
	}
	key := s.fields[colEmpType] + s.fields[colEmpPhone]
	if holder, is := byPhone[key]; is && holder != s.id.String() && s.fields[colEmpPhone] != "" {
		p.found.add(l.row, "phone", "another "+strings.ToLower(s.fields[colEmpType])+" has this phone")
	}
	if p.found.bad(l.row) {
		fmt.Fprintf(p.sum, "%d bad\n", l.row)
		return
	}
	byPhone[key] = s.id.String()
	switch {
	case old == nil:
		p.totals.Creates++
		fmt.Fprintf(p.sum, "%d create\n", l.row)
	case changed:
		p.totals.Updates++
		fmt.Fprintf(p.sum, "%d %s %d\n", l.row, s.id, old.Version)
	default:
		p.totals.Unchanged++
		fmt.Fprintf(p.sum, "%d %s same\n", l.row, s.id)
		return
	}
	p.steps = append(p.steps, s)
}
