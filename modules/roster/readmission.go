package roster

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// readmission is what the office says of a student who comes back.
type readmission struct {
	ID     uuid.UUID  `path:"id"`
	Date   *api.Date  `json:"date" doc:"Their first day; today unless given, and after the one they left on"`
	Class  *uuid.UUID `json:"classId" doc:"Where they are admitted to; the division's class, if one is given"`
	Reason string     `json:"reason" validate:"max=500" example:"The family has moved back"`
	SeatFields
}

// readmitStudent takes a student back who has left. What was stays: the enrolments, the
// day of admission, the number, and the certificate they left with.
func readmitStudent(c api.Ctx, r readmission) (StudentDetail, error) {
	s, err := lockStudent(c, r.ID)
	if err != nil {
		return StudentDetail{}, err
	}
	if s.Status == "ACTIVE" {
		return StudentDetail{}, api.Conflict("This student is at the school")
	}
	first, err := r.firstDay(c, s)
	if err != nil {
		return StudentDetail{}, err
	}
	class := r.Class
	var division *Division
	switch {
	case r.DivisionID != nil:
		d, err := divisionOf(c, *r.DivisionID, r.Class)
		if err != nil {
			return StudentDetail{}, err
		}
		division, class = &d, &d.ClassID
	case r.RollNumber != nil:
		return StudentDetail{}, errRollAlone
	case r.Class == nil:
		return StudentDetail{}, api.Invalid(api.Detail{Field: "divisionId", Message: "divisionId or classId is required"},
			api.Detail{Field: "classId", Message: "divisionId or classId is required"})
	}
	if _, err := api.Update(c, "student", r.ID, func(s *Student) error {
		s.Status, s.ClassID, s.LeavingDate, s.LeavingReason, s.LeavingStatus = "ACTIVE", class, nil, "", nil
		return nil
	}); err != nil {
		return StudentDetail{}, err
	}
	if division != nil {
		year, err := ActiveYear(c)
		if err != nil {
			return StudentDetail{}, err
		}
		if err := enrol(c, s.ID, year, *division, r.RollNumber, first); err != nil {
			return StudentDetail{}, err
		}
	}
	c.Changed("readmit", "student", r.ID, nil, map[string]any{"date": first, "reason": r.Reason})
	return studentDetail(c, r.ID)
}

// firstDay is the day the student is back: after they had left, and not beyond the year.
func (r readmission) firstDay(c api.Ctx, s Student) (api.Date, error) {
	first := c.Today()
	if s.LeavingDate != nil && !s.LeavingDate.Before(first) {
		first = s.LeavingDate.AddDays(1)
	}
	if r.Date != nil && !r.Date.IsZero() {
		first = *r.Date
	}
	if s.LeavingDate != nil && !s.LeavingDate.Before(first) {
		return first, api.InvalidField("date", "date must be after the student left, on %s", s.LeavingDate)
	}
	if r.DivisionID == nil {
		return first, nil
	}
	year, err := ActiveYear(c)
	if err != nil {
		return first, fmt.Errorf("readmitting: %w", err)
	}
	if year.EndDate.Before(first) || first.Before(year.StartDate) {
		return first, api.InvalidField("date", "date must be in the active academic year, from %s to %s", year.StartDate, year.EndDate)
	}
	return first, nil
}
