package roster

import (
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// Seat is where a student sits today. One who is admitted but not placed has a class
// and no division.
type Seat struct {
	AcademicYearID *uuid.UUID `json:"academicYearId"`
	ClassID        *uuid.UUID `json:"classId"`
	ClassName      string     `json:"className"`
	DivisionID     *uuid.UUID `json:"divisionId"`
	DivisionName   string     `json:"divisionName"`
	RollNumber     *int       `json:"rollNumber"`
}

// SeatFields say where a student shall sit.
type SeatFields struct {
	DivisionID *uuid.UUID `json:"divisionId" doc:"With it the student is enrolled there in the active academic year; without it they are admitted and not yet placed"`
	RollNumber *int       `json:"rollNumber" validate:"omitempty,min=1,max=100000"`
}

// covers holds for the enrolment e that is in force on today.day; see StudentsToday.
const covers = `e.start_date <= today.day and (e.end_date is null or e.end_date >= today.day)`

// coversToday is the same in a list's filter.
const coversToday = `e.start_date <= @today and (e.end_date is null or e.end_date >= @today)`

// ScanNull reads the seat of a student who has neither a class nor a division.
func (s *Seat) ScanNull() error {
	*s = Seat{}
	return nil
}

// ScanIndex is where a column of a seat's record is read to; see seatColumn.
func (s *Seat) ScanIndex(i int) any {
	return [...]any{&s.AcademicYearID, &s.ClassID, &s.ClassName, &s.DivisionID, &s.DivisionName, &s.RollNumber}[i]
}

// seatOfEnrolment is the Seat of one of a student's enrolments e, as a record; which one follows.
const seatOfEnrolment = `select row(e.academic_year_id, e.class_id, k.name, e.division_id, d.name, e.roll_number)
	from enrolment e join class k on k.id = e.class_id join division d on d.id = e.division_id
	where e.student_id = student.id and `

// seatColumn is a student's Seat as a record of the fields in their order, null without a class: JSON costs Postgres and the
// service more than all the other columns. It is worked out for the rows of a page only, after they have been sorted and cut.
const seatColumn = `coalesce(
	(` + seatOfEnrolment + covers + `),
	(select row(null::uuid, k.id, k.name, null::uuid, ''::text, null::int) from class k where k.id = student.class_id
	and student.status = 'ACTIVE')) as seat`

// StudentsToday begins a query of the students the school has, beside today.day, which the
// conditions of StudentListing and covers name.
func StudentsToday(c api.Ctx) *gorm.DB {
	return c.DB.Table(`student, (select ?::date as day) as today`, c.Today()).Where("student.deleted_at is null")
}

// divisionOf finds the division a student shall sit in, and keeps it in its class until
// they do. classID, if given, must be that class.
func divisionOf(c api.Ctx, id uuid.UUID, classID *uuid.UUID) (Division, error) {
	d, err := api.Find[Division](c, "division", c.DB.Clauses(clause.Locking{Strength: "KEY SHARE"}), id)
	var refusal *api.Error
	switch {
	case errors.As(err, &refusal):
		return d, api.InvalidField("divisionId", "divisionId does not exist")
	case err != nil:
		return d, err
	case classID != nil && *classID != d.ClassID:
		return d, api.InvalidField("divisionId", "divisionId is not a division of this class")
	}
	return d, nil
}
