package roster

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

func (p *employeePlan) write(c api.Ctx, progress func(float64)) error {
	if err := p.number(c); err != nil {
		return err
	}
	for i, step := range []func(api.Ctx) error{p.writeUsers, p.writeEmployees, p.updateEmployees, p.audit, p.openAccounts} {
		if err := step(c); err != nil {
			return err
		}
		progress(float64(i+1) / 5)
	}
	return nil
}

// number gives codes to those who have none, as nextEmployeeCode does to one.
func (p *employeePlan) number(c api.Ctx) error {
	var unnumbered []*employeeStep
	for _, s := range p.steps {
		if s.fields[colCode] == "" {
			unnumbered = append(unnumbered, s)
		}
	}
	if len(unnumbered) == 0 {
		return nil
	}
	next, err := lockSeries(c, "employee")
	if err != nil {
		return err
	}
	var given []string // by the file's other rows
	for _, s := range p.steps {
		if s.fields[colCode] != "" {
			given = append(given, lower(s.fields[colCode]))
		}
	}
	type free struct {
		N    int64
		Code string
	}
	codes, err := readAll[free](c.DB, `select n, code from generate_series($1::bigint, $1 + $2 + cardinality($3::text[]) + (select count(*) from employee)) n,
			lateral (select 'E' || lpad(n::text, greatest(4, length(n::text)), '0') as code) as formed
		where not exists (select from employee e where lower(e.employee_code) = lower(formed.code)) and lower(code) <> all($3::text[])
		order by n limit $2`, next, int64(len(unnumbered)), append([]string{}, given...))
	if err != nil {
		return fmt.Errorf("numbering employees: %w", err)
	}
	for i, s := range unnumbered {
		s.fields[colCode] = codes[i].Code
	}
	if err := c.DB.Exec(`update number_series set next = ? where name = 'employee'`, codes[len(codes)-1].N+1).Error; err != nil {
		return fmt.Errorf("numbering employees: %w", err)
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
		ids, types = append(ids, *s.user), append(types, string(roleTypes[s.fields[colEmpType]]))
		firsts, lasts, phones = append(firsts, s.fields[colEmpFirst]), append(lasts, s.fields[colEmpLast]), append(phones, s.fields[colEmpPhone])
	}
	if len(ids) == 0 {
		return nil
	}
	tellUsers(c, ids)
	err := exec(c.DB, `insert into app_user (id, role_id, first_name, last_name, phone, created_at, updated_at)
		select v.id, r.id, v.first_name, v.last_name, v.phone, $1, $1
		from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as v(id, type, first_name, last_name, phone) join role r on r.type = v.type and r.system
		on conflict (id) do update set first_name = excluded.first_name, last_name = excluded.last_name, phone = excluded.phone, version = app_user.version + 1, updated_at = $1`,
		c.Now, ids, types, firsts, lasts, phones)
	if err != nil {
		return fmt.Errorf("adding employees' accounts: %w", err)
	}
	return nil
}

func employeeDate(col int) bool { return col == colJoining || col == colLicenceExpiry }

func (s *employeeStep) searchText() string {
	f := s.fields
	return api.Fold(f[colEmpFirst], f[colEmpLast], f[colCode], f[colEmpPhone], f[colEmpEmail])
}

func (p *employeePlan) writeEmployees(c api.Ctx) error {
	var made []*employeeStep
	for _, s := range p.steps {
		if s.old == nil {
			made = append(made, s)
		}
	}
	columns := append(append([]string{"id", "user_id", "search_text"}, employeeText...), stamps...)
	err := tenancy.Copy(c.DB, "employee", columns, len(made), func(i int) ([]any, error) {
		s := made[i]
		values := []any{s.id, s.user, s.searchText()}
		for col, text := range s.fields {
			if employeeDate(col) {
				values = append(values, dateOrNull(text))
			} else {
				values = append(values, text)
			}
		}
		return stamped(c, values...), nil
	})
	if err != nil {
		return fmt.Errorf("adding employees: %w", err)
	}
	return nil
}

func (p *employeePlan) updateEmployees(c api.Ctx) error {
	var ids []uuid.UUID
	var search []string
	texts := make([][]string, employeeWidth)
	for _, s := range p.steps {
		if s.old == nil {
			continue
		}
		ids, search = append(ids, s.id), append(search, s.searchText())
		for col, text := range s.fields {
			texts[col] = append(texts[col], text)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	args := []any{c.Now, c.User.ID, ids, search}
	var set, arrays []string
	for col, name := range employeeText {
		args = append(args, texts[col])
		arrays = append(arrays, fmt.Sprintf("$%d::text[]", len(args)))
		if employeeDate(col) {
			set = append(set, fmt.Sprintf("%s = nullif(v.%s, '')::date", name, name))
		} else {
			set = append(set, fmt.Sprintf("%s = v.%s", name, name))
		}
	}
	err := exec(c.DB, `update employee e set search_text = v.search_text, `+strings.Join(set, ", ")+`, version = e.version + 1, updated_at = $1, updated_by = $2
		from unnest($3::uuid[], $4::text[], `+strings.Join(arrays, ", ")+`) as v(id, search_text, `+strings.Join(employeeText, ", ")+`) where e.id = v.id`, args...)
	if err != nil {
		return fmt.Errorf("changing employees: %w", err)
	}
	return nil
}

func (p *employeePlan) audit(c api.Ctx) error {
	return c.ChangedMany("import", "employee", len(p.steps), func(i int) (uuid.UUID, any, any) {
		s := p.steps[i]
		was, is := map[string]any{}, map[string]any{"row": s.row}
		for col, text := range s.fields {
			if s.old == nil && text != "" {
				is[employeeSheet[col].name] = text
			} else if s.old != nil && text != s.old.Fields[col] {
				was[employeeSheet[col].name], is[employeeSheet[col].name] = s.old.Fields[col], text
			}
		}
		if s.old == nil {
			return s.id, nil, is
		}
		return s.id, was, is
	})
}

// openAccounts writes the directory, last of all. Administrators never come by file:
// their e-mail must be entered one by one.
func (p *employeePlan) openAccounts(c api.Ctx) error {
	for kind, role := range roleTypes {
		var users []uuid.UUID
		var phones []string
		for _, s := range p.steps {
			if s.user != nil && s.fields[colEmpType] == kind && kind != "ADMIN" {
				users, phones = append(users, *s.user), append(phones, s.fields[colEmpPhone])
			}
		}
		if len(users) == 0 {
			continue
		}
		if err := p.module.People.EnterMany(c, c.School.ID, role, users, phones); err != nil {
			return err
		}
	}
	return nil
}
