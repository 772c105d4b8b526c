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
	var queries []tenancy.Query
	add := func(sql string, args ...any) { queries = append(queries, tenancy.Query{SQL: sql, Args: args}) }
	for _, m := range api.Modules {
		add(`insert into module (id, name, display_name) values ($1, $2, $3) on conflict do nothing`, moduleID(s, m.Name), m.Name, m.DisplayName)
	}
	for _, r := range SystemRoles {
		add(`insert into role (id, name, type, system) values ($1, $2, $3, true) on conflict do nothing`, RoleID(s.ID, r.Type), r.Name, string(r.Type))
		for _, m := range api.Modules {
			rights := rightsOf(r.Type, m.Name)
			add(`insert into permission (id, role_id, module_id, can_read, can_write, can_delete) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
				uuid.NewSHA1(s.ID, []byte("permission "+string(r.Type)+" "+m.Name)), RoleID(s.ID, r.Type), moduleID(s, m.Name),
				strings.Contains(rights, "r"), strings.Contains(rights, "w"), strings.Contains(rights, "d"))
		}
	}
	if err := tenancy.Together(school, queries...); err != nil {
		return fmt.Errorf("seeding roles and permissions: %w", err)
	}
	return nil
}

// RoleID is the id of a school's system role.
func RoleID(school uuid.UUID, t api.RoleType) uuid.UUID {
	return uuid.NewSHA1(school, []byte("role "+string(t)))
}

func moduleID(s *tenancy.School, name string) uuid.UUID {
	return uuid.NewSHA1(s.ID, []byte("module "+name))
}
