package rbac

import (
	"context"
	"fmt"

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

// Seed gives a school its permissions, its system roles and their default rights. A school
// that has some of them gets the rest: ids follow from the school's, and an administrator's
// changes stay. Several instances may do so at once.
func Seed(ctx context.Context, db api.Databases, s *tenancy.School, catalogue api.Catalogue) error {
	school, err := db.School(ctx, s, tenancy.ReadWrite)
	if err != nil {
		return err
	}
	var modules, roles, permissions seeds
	for _, p := range catalogue {
		modules.add(moduleID(s, p.Key), p.Key, p.Title)
	}
	for _, r := range SystemRoles {
		roles.add(RoleID(s.ID, r.Type), r.Name, string(r.Type))
		for _, p := range catalogue {
			id := uuid.NewSHA1(s.ID, []byte("permission "+string(r.Type)+" "+p.Key))
			permissions.add(id, string(r.Type), p.Key, p.Rights(r.Type))
		}
	}
	// One statement per table: onboarding waits for them.
	err = tenancy.Pipeline(school,
		tenancy.Query{SQL: `insert into module (id, name, display_name) select *
			from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
			Args: modules.columns()},
		tenancy.Query{SQL: `insert into role (id, name, type, system) select *, true
			from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing`,
			Args: roles.columns()},
		tenancy.Query{SQL: `insert into permission (id, role_id, module_id, can_read, can_write, can_delete)
			select p.id, r.id, m.id, p.rights like '%r%', p.rights like '%w%', p.rights like '%d%'
			from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as p (id, role, module, rights)
			join role r on r.type = p.role and r.system join module m on m.name = p.module on conflict do nothing`,
			Args: permissions.columns()},
		tenancy.Query{SQL: `update school_setting set policy_version = policy_version + 1`},
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
