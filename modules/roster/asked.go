package roster

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
)

// What other modules ask of the roster, besides Linked.

// Collect reads a query's rows into a list of structs, by the columns' names.
func Collect[T any](into *[]T) func(pgx.Rows) error { return collect(into) }

// MayView refuses a student who is not linked to the guardian, or whose data the
// guardian may not see, as one who is not there.
func MayView(db *gorm.DB, user, student uuid.UUID) error { return mayView(db, user, student) }

// NoStudent is one who is not there, or not the caller's.
func NoStudent() error { return noStudent }

// DivisionOn is where a student sits on a day; the zero id is nowhere.
func DivisionOn(db *gorm.DB, student uuid.UUID, day api.Date) (uuid.UUID, error) {
	return divisionOn(db, student, day)
}

// Myself is the employee the caller is; the zero id is none.
func Myself(c api.Ctx) (uuid.UUID, error) { return myself(c) }

// FullName is how people are called in a sentence.
func FullName(first, last string) string { return fullName(first, last) }

// PlainCell keeps a spreadsheet from running a cell as a formula.
func PlainCell(text string) string { return guard(text) }

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
