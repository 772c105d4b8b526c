// Package privacy answers two requests people may make of a school: to have all that is
// kept of them, and to have it erased. It reads and erases over all of the school's
// tables; it refuses to touch what accounts must keep, and people who are still here.
package privacy

import (
	"github.com/google/uuid"

	"homeroom/api"
)

// Routes are the endpoints. They ask for the right to read or delete permissions: they
// show and take every part of a person's data, as whoever gives out rights could.
func Routes() []api.Row {
	return api.Rows(
		api.Get("/school-admin/student/:id/personal-data", "permission", "Everything that is kept of a student, as one JSON file", exportOf(student), api.Gives("application/json"), api.Fresh),
		api.Get("/school-admin/guardian/:id/personal-data", "permission", "Everything that is kept of a guardian, as one JSON file", exportOf(guardian), api.Gives("application/json"), api.Fresh),
		api.Get("/school-admin/employee/:id/personal-data", "permission", "Everything that is kept of an employee, as one JSON file", exportOf(employee), api.Gives("application/json"), api.Fresh),
		api.Post("/school-admin/student/:id/erase", "permission", "Erase a student who has left, for good; accounts and counts stay", eraseStudent, api.Needs(api.Delete), api.Says("Erased"), api.Fresh),
		api.Post("/school-admin/guardian/:id/erase", "permission", "Erase a guardian of nobody who is here, for good", eraseGuardian, api.Needs(api.Delete), api.Says("Erased"), api.Fresh),
		api.Post("/school-admin/employee/:id/erase", "permission", "Erase an employee who has left, for good", eraseEmployee, api.Needs(api.Delete), api.Says("Erased"), api.Fresh),
	)
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

// kind is what somebody is to the school.
type kind struct {
	table string
	find  string // id, user, name, number, phone, e-mail; $1 is the record's id
}

var (
	student  = kind{"student", `select id, null::uuid as user_id, trim(first_name || ' ' || last_name) as name, admission_number as number, phone, email, status, erased_at from student where id = $1`}
	guardian = kind{"guardian", `select id, user_id, trim(first_name || ' ' || last_name) as name, phone as number, phone, email, '' as status, erased_at from guardian where id = $1`}
	employee = kind{"employee", `select id, user_id, trim(first_name || ' ' || last_name) as name, employee_code as number, phone, email, status, erased_at from employee where id = $1`}
)
