package importing

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
)

func (p *employeePlan) Write(c api.Ctx, progress func(float64)) error {
	if err := p.number(c); err != nil {
		return err
	}
	return imports.WriteParts(c, progress, p.writeUsers, p.writeEmployees, p.audit, p.openAccounts)
}

// number gives codes to those who have none; the codes of the file's other rows are theirs.
func (p *employeePlan) number(c api.Ctx) error {
	var unnumbered []*employeeStep
	var given []string
	for _, s := range p.steps {
		if code := s.fields[colCode]; code == "" {
			unnumbered = append(unnumbered, s)
		} else {
			given = append(given, strings.ToLower(code))
		}
	}
	if len(unnumbered) == 0 {
		return nil
	}
	codes, err := roster.EmployeeCodes(c, len(unnumbered), given...)
	if err != nil {
		return err
	}
	for i, s := range unnumbered {
		s.fields[colCode] = codes[i]
	}
	return nil
}

// writeUsers opens the accounts of those whose type has one, and keeps the others' in step.
func (p *employeePlan) writeUsers(c api.Ctx) error {
	var ids []uuid.UUID
	var types, firsts, lasts, phones []string
	for _, s := range p.steps {
		if s.opens {
			id := api.NewID()
			s.user = &id
		}
		if s.user == nil {
			continue
		}
		role, _ := roster.AccountRole(s.fields[colEmpType])
		ids, types = append(ids, *s.user), append(types, string(role))
		firsts, lasts, phones = append(firsts, s.fields[colEmpFirst]), append(lasts, s.fields[colEmpLast]), append(phones, s.fields[colEmpPhone])
	}
	if len(ids) == 0 {
		return nil
	}
	publishUsersChanged(c, ids)
	err := exec(c.DB, `insert into app_user (id, role_id, first_name, last_name, phone, created_at, updated_at)
		select v.id, r.id, v.first_name, v.last_name, v.phone, $1, $1
		from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as v(id, type, first_name, last_name, phone)
		join role r on r.type = v.type and r.system
		on conflict (id) do update
		set first_name = excluded.first_name, last_name = excluded.last_name, phone = excluded.phone, version = app_user.version + 1,
			updated_at = $1
		where (app_user.first_name, app_user.last_name, app_user.phone)
			is distinct from (excluded.first_name, excluded.last_name, excluded.phone)`,
		c.Now, ids, types, firsts, lasts, phones)
	if err != nil {
		return fmt.Errorf("adding employees' accounts: %w", err)
	}
	return nil
}

func (s *employeeStep) searchText() string {
	f := s.fields
	return api.Fold(f[colEmpFirst], f[colEmpLast], f[colCode], f[colEmpPhone], f[colEmpEmail])
}

var employeeColumns = []recordColumn[*employeeStep]{
	{name: "user_id", cast: "uuid", text: (*employeeStep).userText},
	{name: "search_text", text: (*employeeStep).searchText},
	{name: "custom_fields", cast: "jsonb", text: func(s *employeeStep) string { return s.custom }},
	{name: "employee_code", col: colCode},
	{name: "first_name", col: colEmpFirst},
	{name: "last_name", col: colEmpLast},
	{name: "employee_type", col: colEmpType},
	{name: "phone", col: colEmpPhone},
	{name: "email", col: colEmpEmail},
	{name: "designation", col: colDesignation},
	{name: "department", col: colDepartment},
	{name: "qualification", col: colQualification},
	{name: "joining_date", cast: "date", col: colJoining},
	{name: "licence_number", col: colLicence},
	{name: "licence_expiry_date", cast: "date", col: colLicenceExpiry},
}

func (s *employeeStep) userText() string {
	if s.user == nil {
		return ""
	}
	return s.user.String()
}

func (p *employeePlan) writeEmployees(c api.Ctx) error {
	var created, changed []*employeeStep
	for _, s := range p.steps {
		if s.old == nil {
			created = append(created, s)
		} else {
			changed = append(changed, s)
		}
	}
	if err := insertRecords(c, "employee", employeeColumns, created); err != nil {
		return err
	}
	return updateRecords(c, "employee", employeeColumns, changed)
}

func (p *employeePlan) audit(c api.Ctx) error {
	return c.ChangedMany("import", "employee", len(p.steps), func(i int) (uuid.UUID, any, any) {
		s := p.steps[i]
		if s.old == nil {
			_, is := s.audited(employeeSheet, nil)
			auditCustom("", s.custom, nil, is)
			return s.id, nil, is
		}
		was, is := s.audited(employeeSheet, s.old.Fields)
		auditCustom(s.old.Custom, s.custom, was, is)
		return s.id, was, is
	})
}

// openAccounts writes the directory, last of all. New administrators never come by file: they
// are added one by one, with an e-mail.
func (p *employeePlan) openAccounts(c api.Ctx) error {
	for _, kind := range []string{"TEACHER", "DRIVER"} {
		var users []uuid.UUID
		var phones []string
		for _, s := range p.steps {
			if s.user != nil && s.fields[colEmpType] == kind {
				users, phones = append(users, *s.user), append(phones, s.fields[colEmpPhone])
			}
		}
		if len(users) == 0 {
			continue
		}
		role, _ := roster.AccountRole(kind)
		if err := p.people.EnterMany(c, c.School.ID, role, users, phones); err != nil {
			return err
		}
	}
	for _, s := range p.steps {
		if s.user != nil && s.fields[colEmpType] == "ADMIN" && s.fields[colEmpPhone] != s.old.Fields[colEmpPhone] {
			if err := p.people.Enter(c, c.School.ID, *s.user, api.SchoolAdmin, s.fields[colEmpPhone], s.fields[colEmpEmail]); err != nil {
				return err
			}
		}
	}
	return nil
}
