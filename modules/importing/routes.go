// Package importing takes students and employees in from CSV files, and writes lists of them
// as files that it can take in again. A file is checked as a whole first and then taken in one
// transaction or not at all; a dry run says what it would do. It keeps no people of its own:
// what it writes are the roster's tables.
package importing

import (
	"context"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/sheet"
)

// People gives many people accounts to sign in with by phone; phones are in the order of
// users. See roster.People.
type People interface {
	EnterMany(ctx context.Context, school uuid.UUID, role api.RoleType, users []uuid.UUID, phones []string) error
}

// Module serves imports and exports.
type Module struct {
	People People
	// GroupsAtOneTime are the pairs of groups, each in both orders, that nobody can be in both of; nil: there are no lessons.
	GroupsAtOneTime func(api.Ctx) (map[[2]uuid.UUID]bool, error)
}

// Describe is everything about the module. Its rows go by the roster's permissions.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "importing",
		Rows:     m.routes(),
		Personal: personal(),
		Examples: examples(),
	}
}

// routes are the endpoints of imports and exports.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Upload("/school-admin/student/import", "student", "Import students with guardians and enrolments from a CSV file", m.importStudents,
			api.Columns(sheet.Document(officeSheet)...),
			api.Silent, api.Says("Import read")),
		api.Get("/school-admin/student/import/:id", "student", "How far an import of students is, or how it ended", getImport("STUDENT")),
		api.Export("/school-admin/student/export", "student", "The students of a list as a CSV file that can be imported", roster.StudentListing,
			exportStudents, api.Fresh),
		api.Upload("/school-admin/employee/import", "employee", "Import teachers, drivers and support staff from a CSV file", m.importEmployees,
			api.Columns(sheet.Document(employeeSheet)...),
			api.Silent, api.Says("Import read"), api.SometimesFresh("Giving or changing an administrator's account")),
		api.Get("/school-admin/employee/import/:id", "employee", "How far an import of employees is, or how it ended", getImport("EMPLOYEE")),
		api.Export("/school-admin/employee/export", "employee", "The employees of a list as a CSV file that can be imported",
			roster.EmployeeListing, exportEmployees, api.Fresh),
	)
}
