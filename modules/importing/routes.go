// Package importing takes students and employees in from files, in the frame of package imports, and writes lists of them
// as files that it can take in again. It keeps no people of its own: what it writes are the roster's tables.
package importing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
)

// People gives people accounts to sign in with, and many of them by phone; phones are in the order of
// users. See roster.People.
type People interface {
	Enter(ctx context.Context, school, user uuid.UUID, role api.RoleType, phone, email string) error
	EnterMany(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error
}

// Module serves imports and exports.
type Module struct {
	People People
	Photos Photos
	// GroupsAtOneTime are the pairs of groups, each in both orders, that nobody can be in both of; nil: there are no lessons.
	GroupsAtOneTime func(api.Ctx) (map[[2]uuid.UUID]bool, error)
}

// Describe is everything about the module. Its rows go by the roster's permissions.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "importing",
		Rows:     m.routes(),
		Personal: personal(),
		Examples: []api.Example{m.students().Example(), m.employees().Example(), m.guardians().Example(), subjects().Example(),
			assignments().Example(), m.rosters().Example(), m.photos().Example()},
		Scheduled: []api.Scheduled{{Name: "clear-imports", Every: 24 * time.Hour, School: imports.Clear}},
	}
}

// routes are the endpoints of imports and exports.
func (m *Module) routes() []api.Row {
	return api.Rows(
		m.students().Rows(),
		api.Export("/school-admin/student/export", "student", "The students of a list as a CSV file that can be imported", roster.StudentListing,
			exportStudents, api.Fresh),
		m.employees().Rows(),
		m.guardians().Rows(),
		subjects().Rows(),
		assignments().Rows(),
		m.rosters().Rows(),
		m.photos().Rows(),
		api.Export("/school-admin/employee/export", "employee", "The employees of a list as a CSV file that can be imported",
			roster.EmployeeListing, exportEmployees, api.Fresh),
	)
}
