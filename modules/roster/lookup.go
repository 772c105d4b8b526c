package roster

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
)

// NoStudent is the answer about a student who is not there, or not the caller's.
func NoStudent() error { return noStudent }

// MayView refuses, as if there were none, a student whose data the calling parent may not see.
func MayView(c api.Ctx, student uuid.UUID) error { return mayView(c.DB, c.User.ID, student) }

// Collect reads the rows of a query that travels with others; none is an empty list.
func Collect[T any](into *[]T) func(pgx.Rows) error { return collect(into) }

// ActiveYear is the year everything new belongs to; having none is a conflict.
func ActiveYear(c api.Ctx) (AcademicYear, error) { return enrolmentYear(c) }

// Present says which of the ids name a row of the table.
func Present(c api.Ctx, table string, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	return present(c, table, ids)
}

// TaughtSQL is the divisions of the classes a user teaches, with the subject taught
// there; no subject is every one. Its argument is the user. Assignments count as they do
// for rights: those of the active year, and those of no year.
const TaughtSQL = `select d.id as division_id, d.class_id, a.subject_id
	from teacher_assignment a
	left join academic_year y on y.id = a.academic_year_id
	join division d on d.id = a.division_id or (a.division_id is null and d.class_id = a.class_id)
	where a.user_id = ? and (a.academic_year_id is null or y.active)`
