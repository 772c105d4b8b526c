// Package privacy answers two requests people may make of a school: to have all that is
// kept of them, and to have it erased. Where that is, each module declares of its own
// tables; this package knows none but the three records of people. It refuses to touch
// what accounts must keep, and people who are still here.
package privacy

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Module serves the two requests.
type Module struct {
	Cluster *tenancy.Cluster
	// Leave tells every instance that a user who has no address any more is not in the directory.
	Leave func(ctx context.Context, school, user uuid.UUID) error

	school, platform plan
}

// New builds everything that is read and erased from what the modules declare.
func New(tables []api.PersonalTable, cluster *tenancy.Cluster, leave func(ctx context.Context, school, user uuid.UUID) error) *Module {
	var school, platform []api.PersonalTable
	for _, t := range tables {
		if t.Platform {
			platform = append(platform, t)
		} else {
			school = append(school, t)
		}
	}
	return &Module{Cluster: cluster, Leave: leave, school: newPlan(school), platform: newPlan(platform)}
}

// patience is how long reading or erasing may take: names are looked for in every text
// the school keeps.
const patience = 2 * time.Minute

// patiently lets a transaction's statements take that long.
var patiently = tenancy.Query{SQL: fmt.Sprintf(`select set_config('statement_timeout', '%d', true)`, patience.Milliseconds())}

// Describe is everything about the module.
func (m *Module) Describe() api.Module {
	return api.Module{
		Name:     "privacy",
		Rows:     m.routes(),
		Listen:   m.listen,
		Personal: api.NoTables,
	}
}

// routes are the endpoints. They ask for the right to read or delete permissions: they
// show and take every part of a person's data, as somebody who gives out rights could.
func (m *Module) routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/student/:id/personal-data", "permission", "Everything that is kept of a student, as one JSON file",
			m.exportOf(student), api.Gives("application/json"), api.MayTake(patience), api.Fresh),
		api.Get("/school-admin/guardian/:id/personal-data", "permission", "Everything that is kept of a guardian, as one JSON file",
			m.exportOf(guardian), api.Gives("application/json"), api.MayTake(patience), api.Fresh),
		api.Get("/school-admin/employee/:id/personal-data", "permission", "Everything that is kept of an employee, as one JSON file",
			m.exportOf(employee), api.Gives("application/json"), api.MayTake(patience), api.Fresh),
		api.Post("/school-admin/student/:id/erase", "permission", "Erase a student who has left, for good; accounts and counts stay",
			m.eraseStudent, api.Needs(api.Delete), api.Says("Erased"), api.MayTake(patience), api.Fresh),
		api.Post("/school-admin/guardian/:id/erase", "permission", "Erase a guardian of nobody who is here, for good", m.eraseGuardian,
			api.Needs(api.Delete), api.Says("Erased"), api.MayTake(patience), api.Fresh),
		api.Post("/school-admin/employee/:id/erase", "permission", "Erase an employee who has left, for good", m.eraseEmployee,
			api.Needs(api.Delete), api.Says("Erased"), api.MayTake(patience), api.Fresh),
	)
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// kind is what somebody is to the school.
type kind struct {
	table string
	find  string // id, user, names, number, phone, e-mail; $1 is the record's id
}

var (
	student = kind{"student", `select id, null::uuid as user_id, first_name, last_name, admission_number as number, phone, email, status,
		erased_at from student where id = $1`}
	guardian = kind{"guardian", `select id, user_id, first_name, last_name, phone as number, phone, email, '' as status, erased_at
		from guardian where id = $1`}
	employee = kind{"employee", `select id, user_id, first_name, last_name, employee_code as number, phone, email, status, erased_at
		from employee where id = $1`}
)
