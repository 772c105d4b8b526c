package rbac

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// SystemRoles are made with the school, one of each type, and stay.
var SystemRoles = []struct {
	Type api.RoleType
	Name string
}{
	{api.SchoolAdmin, "School administrator"},
	{api.Teacher, "Teacher"},
	{api.Parent, "Parent"},
	{api.Driver, "Driver"},
}

// defaults are the rights a new school begins with: r, w and d by module.
var defaults = map[api.RoleType]map[string]string{
	api.Teacher: merge("r", "class division subject student timetable exam library file",
		"rw", "attendance result leave announcement event message notification"),
	api.Parent: merge("r", "student attendance exam result fee announcement timetable event transport",
		"rw", "leave message notification"),
	api.Driver: merge("r", "student", "rw", "transport notification"),
}

func merge(readRights, read, writeRights, write string) map[string]string {
	out := map[string]string{}
	for _, m := range strings.Fields(read) {
		out[m] = readRights
	}
	for _, m := range strings.Fields(write) {
		out[m] = writeRights
	}
	return out
}

// rightsOf is what a role may do with a module by default.
func rightsOf(role api.RoleType, module string) string {
	if role == api.SchoolAdmin {
		return "rwd"
	}
	return defaults[role][module]
}

// GrantedByDefault says whether a role has a right in a new school, for the document.
func GrantedByDefault(role api.RoleType, module string, action api.Action) bool {
	return strings.Contains(rightsOf(role, module), string(action)[:1])
}

// Seed gives a school its modules, system roles and default permissions. Running
// it again changes nothing: ids follow from the school's, and what an
// administrator has changed since stays.
func Seed(ctx context.Context, db api.Databases, s *tenancy.School) error {
	school, err := db.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	var modules, roles, permissions seeds
	for _, m := range api.Modules {
		modules.add(moduleID(s, m.Name), m.Name, m.DisplayName)
	}
	for _, r := range SystemRoles {
		roles.add(RoleID(s.ID, r.Type), r.Name, string(r.Type))
		for _, m := range api.Modules {
			id := uuid.NewSHA1(s.ID, []byte("permission "+string(r.Type)+" "+m.Name))
			permissions.add(id, string(r.Type), m.Name, rightsOf(r.Type, m.Name))
		}
	}
	// One statement a table: a school waits for these while it is made.
	err = tenancy.Together(school,
		tenancy.Query{SQL: `insert into module (id, name, display_name) select * from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
			Args: modules.columns()},
		tenancy.Query{SQL: `insert into role (id, name, type, system) select *, true from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
			Args: roles.columns()},
		tenancy.Query{SQL: `insert into permission (id, role_id, module_id, can_read, can_write, can_delete)
			select p.id, r.id, m.id, p.rights like '%r%', p.rights like '%w%', p.rights like '%d%'
			from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as p (id, role, module, rights)
			join role r on r.type = p.role and r.system join module m on m.name = p.module on conflict do nothing`,
			Args: permissions.columns()},
	)
	if err != nil {
		return fmt.Errorf("seeding roles and permissions: %w", err)
	}
	return nil
}

// seeds are the rows of one table, column by column.
type seeds struct {
	ids   []uuid.UUID
	texts [][]string
}

func (s *seeds) add(id uuid.UUID, texts ...string) {
	if s.texts == nil {
		s.texts = make([][]string, len(texts))
	}
	s.ids = append(s.ids, id)
	for i, t := range texts {
		s.texts[i] = append(s.texts[i], t)
	}
}

func (s *seeds) columns() []any {
	out := []any{s.ids}
	for _, column := range s.texts {
		out = append(out, column)
	}
	return out
}

// RoleID is the id of a school's system role.
func RoleID(school uuid.UUID, t api.RoleType) uuid.UUID {
	return uuid.NewSHA1(school, []byte("role "+string(t)))
}

func moduleID(s *tenancy.School, name string) uuid.UUID {
	return uuid.NewSHA1(s.ID, []byte("module "+name))
}
