package roster

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// What other modules ask of the roster, besides Linked.

// NoStudent is the answer about a student who is not there, or not the caller's.
func NoStudent() error { return noStudent }

// MayView refuses, as if there were none, a student whose data the calling parent may not see.
func MayView(c api.Ctx, student uuid.UUID) error { return mayView(c.DB, c.User.ID, student) }

// Viewing is MayView as a query that travels with what the parent wants to see. It goes
// first: who may not see the student is told so, whatever comes after it.
func Viewing(c api.Ctx, student uuid.UUID) tenancy.Query { return viewing(c.User.ID, student) }

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

// DivisionOn is where a student sits on a day; the zero id is nowhere.
func DivisionOn(db *gorm.DB, student uuid.UUID, day api.Date) (uuid.UUID, error) {
	return divisionOn(db, student, day)
}

// Myself is the employee the caller is; the zero id is none.
func Myself(c api.Ctx) (uuid.UUID, error) { return myself(c) }

// FullName is how people are called in a sentence.
func FullName(first, last string) string { return fullName(first, last) }

// ClassTeacher is the user who leads a division this year, or nil. Someone who has
// left leads none.
func ClassTeacher(db *gorm.DB, division uuid.UUID) (*uuid.UUID, error) {
	var users []uuid.UUID
	err := db.Raw(`select a.user_id from teacher_assignment a join employee e on e.user_id = a.user_id
		where a.division_id = ? and e.status = 'ACTIVE' and `+LeadsNow+` limit 1`, division).Scan(&users).Error
	if err != nil {
		return nil, fmt.Errorf("looking for a class teacher: %w", err)
	}
	if len(users) == 0 {
		return nil, nil
	}
	return &users[0], nil
}

// LeadsNow holds for the assignments a of class teachers that count: those of the
// active year, and those of no year.
const LeadsNow = `a.is_class_teacher and (a.academic_year_id is null or exists (select from academic_year y where y.id = a.academic_year_id and y.active))`

// DisableChildless takes the way in from guardians who have no child at the school any more.
func DisableChildless(c api.Ctx, guardians []uuid.UUID) error { return disableChildless(c, guardians) }

// RefreshSearch makes students found by what they and their guardians are called now.
func RefreshSearch(c api.Ctx, students []uuid.UUID) error { return refreshSearch(c, students) }
