package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// Clearance is what is still open between a student and the school. It hinders nobody from
// leaving: the office sees it before it issues the certificate, and decides.
type Clearance struct {
	StudentID   uuid.UUID  `json:"studentId"`
	Outstanding int64      `json:"outstanding" doc:"What is owed, in minor units; below zero it is paid ahead"`
	Currency    string     `json:"currency"`
	Loans       []OpenLoan `json:"loans" doc:"Books that are not returned"`
}

// OpenLoan is a book a student has.
type OpenLoan struct {
	Title           string   `json:"title"`
	AccessionNumber string   `json:"accessionNumber"`
	DueOn           api.Date `json:"dueOn"`
}

type clearanceOf struct {
	ID uuid.UUID `path:"id"`
}

func (m *Module) getClearance(c api.Ctx, r clearanceOf) (Clearance, error) {
	if _, err := api.Find[Student](c, "student", c.DB.Where("deleted_at is null"), r.ID); err != nil {
		return Clearance{}, ErrNoStudent
	}
	return m.clearance(c, r.ID)
}

func (m *Module) clearance(c api.Ctx, student uuid.UUID) (out Clearance, err error) {
	out = Clearance{StudentID: student, Currency: c.School.Currency, Loans: []OpenLoan{}}
	if m.Owed != nil {
		if out.Outstanding, err = m.Owed(c, student); err != nil {
			return out, err
		}
	}
	if m.Loans != nil {
		if out.Loans, err = m.Loans(c, student); err != nil {
			return out, err
		}
	}
	return out, nil
}

// subjectsOn are the subjects, by name, that the student took in the class they sat in on a day, or last: of electives those of
// their groups.
func (s StudentDetail) subjectsOn(c api.Ctx, day api.Date) ([]string, error) {
	names := []string{}
	seat, sat := s.SatOn(day)
	if !sat {
		return names, nil
	}
	if seat.EndDate != nil && seat.EndDate.Before(day) {
		day = *seat.EndDate
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select u.name from class_subject k join subject u on u.id = k.subject_id
		where k.class_id = $1 and ` + TakesSubject("k.subject_id", "k.class_id", "$2", "$3", "$4") + ` order by u.name limit 50`,
		Args: []any{seat.ClassID, seat.DivisionID, s.ID, day}, Scan: tenancy.Values(&names)})
	if err != nil {
		return nil, fmt.Errorf("reading a student's subjects: %w", err)
	}
	return names, nil
}
