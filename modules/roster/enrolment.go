package roster

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/tenancy"
)

// enrol opens an enrolment in a year from a day on, or from the year's start if that is later.
func enrol(c api.Ctx, student uuid.UUID, year AcademicYear, d Division, roll *int, from api.Date) error {
	if from.Before(year.StartDate) {
		from = year.StartDate
	}
	return api.Insert(c, "enrolment", &Enrolment{
		StudentID: student, AcademicYearID: year.ID, ClassID: d.ClassID, DivisionID: d.ID, RollNumber: roll, StartDate: from,
	})
}

// holds refuses a day that is not in the year.
func (y AcademicYear) holds(field string, day api.Date) error {
	if day.Before(y.StartDate) || y.EndDate.Before(day) {
		return api.InvalidField(field, "%s must be in the academic year, %s to %s", field, y.StartDate, y.EndDate)
	}
	return nil
}

// moveFirstDay lets an enrolment begin on another day of its year. A later one is refused
// while marks or results stand on the days that would no longer be the student's.
func moveFirstDay(c api.Ctx, e Enrolment, first api.Date) error {
	if e.StartDate == first {
		return nil
	}
	year, err := api.Find[AcademicYear](c, "academic year", c.DB, e.AcademicYearID)
	if err != nil {
		return err
	}
	if err := year.holds("enrolledFrom", first); err != nil {
		return err
	}
	if e.EndDate != nil && e.EndDate.Before(first) {
		return api.InvalidField("enrolledFrom", "enrolledFrom must not be after the enrolment's last day, %s", e.EndDate)
	}
	var found []struct{ Marked, Examined *api.Date }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select
			(select min(a.date) from attendance a where a.student_id = $1 and a.date >= $2 and a.date < $3) as marked,
			(select min(p.exam_date) from exam_result r join exam_paper p on p.id = r.paper_id
				where r.student_id = $1 and p.class_id = $4 and p.exam_date >= $2 and p.exam_date < $3) as examined`,
		Args: []any{e.StudentID, e.StartDate, first, e.ClassID}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return fmt.Errorf("reading the records before an enrolment: %w", err)
	}
	switch f := found[0]; {
	case f.Marked != nil:
		return api.Conflict("The student was marked on %s: the enrolment cannot begin after it", f.Marked)
	case f.Examined != nil:
		return api.Conflict("The student has a result of %s: the enrolment cannot begin after it", f.Examined)
	}
	return changeEnrolment(c, e, func(e *Enrolment) { e.StartDate = first })
}

// currentEnrolment is the one in force today, or the next to begin; nil if neither.
func currentEnrolment(c api.Ctx, student uuid.UUID) (*Enrolment, error) {
	var found []Enrolment
	err := c.DB.Clauses(clause.Locking{Strength: "UPDATE"}).Where("student_id = ? and (end_date is null or end_date >= ?)", student,
		c.Today()).
		Order("start_date").Limit(1).Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("reading a student's enrolment: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// DivisionOn is where a student sits on a day; the zero id is nowhere.
func DivisionOn(db *gorm.DB, student uuid.UUID, day api.Date) (uuid.UUID, error) {
	var ids []uuid.UUID
	err := db.Table("enrolment").Where("student_id = ? and start_date <= ? and (end_date is null or end_date >= ?)", student, day,
		day).Pluck("division_id", &ids).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("looking for a student's division: %w", err)
	}
	if len(ids) == 0 {
		return uuid.Nil, nil
	}
	return ids[0], nil
}

// lastSeats are the last days of students in classes of a year that they sit in no longer.
func lastSeats(c api.Ctx, year uuid.UUID, students []uuid.UUID) (map[uuid.UUID]api.Date, error) {
	var rows []struct {
		StudentID uuid.UUID
		Last      api.Date
	}
	err := c.DB.Raw(`select student_id, max(end_date) as last from enrolment where academic_year_id = ? and student_id in ? and end_date < ?
		group by 1`, year, students, c.Today()).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("reading where students sat: %w", err)
	}
	out := map[uuid.UUID]api.Date{}
	for _, r := range rows {
		out[r.StudentID] = r.Last
	}
	return out, nil
}

// place seats a student who sits nowhere: as a new one, unless they were taken out of a class
// of this year, which they cannot sit beside.
func place(c api.Ctx, s *Student, d Division, roll *int, said *api.Date) error {
	year, err := ActiveYear(c)
	if err != nil {
		return err
	}
	from, err := firstDay(year, said, s.AdmissionDate)
	if err != nil {
		return err
	}
	before, err := lastSeats(c, year.ID, []uuid.UUID{s.ID})
	if err != nil {
		return err
	}
	switch last, left := before[s.ID]; {
	case left && isZero(said):
		from = later(c.Today(), from)
	case left && !last.Before(from):
		return api.InvalidField("enrolledFrom", "enrolledFrom must be after the student's last day in another division, %s", last)
	}
	return enrol(c, s.ID, year, d, roll, from)
}

func later(a, b api.Date) api.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// move seats a student in a division from today on, or where they sit nowhere since said. The
// days before stay as they were; an enrolment that began today, or has yet to begin, was a
// mistake and is mended.
func move(c api.Ctx, s *Student, now *Enrolment, d Division, roll *int, said *api.Date) error {
	switch {
	case now == nil:
		return place(c, s, d, roll, said)
	case now.DivisionID == d.ID && sameNumber(now.RollNumber, roll):
		return nil
	case !now.StartDate.Before(c.Today()):
		return changeEnrolment(c, *now, func(e *Enrolment) { e.ClassID, e.DivisionID, e.RollNumber = d.ClassID, d.ID, roll })
	}
	next := Enrolment{
		StudentID: s.ID, AcademicYearID: now.AcademicYearID, ClassID: d.ClassID, DivisionID: d.ID, RollNumber: roll,
		// What was settled for the end of the year still is.
		StartDate: c.Today(), EndDate: now.EndDate, Outcome: now.Outcome, PromotionID: now.PromotionID,
	}
	if err := endEnrolment(c, *now, c.Today().AddDays(-1), "MOVED"); err != nil {
		return err
	}
	return api.Insert(c, "enrolment", &next)
}

// unseat takes a student out of their division from today on.
func unseat(c api.Ctx, now Enrolment, outcome string) error {
	if now.StartDate.Before(c.Today()) {
		return endEnrolment(c, now, c.Today().AddDays(-1), outcome)
	}
	return api.Erase[Enrolment](c, "enrolment", now.ID)
}

func endEnrolment(c api.Ctx, e Enrolment, last api.Date, outcome string) error {
	return changeEnrolment(c, e, func(e *Enrolment) { e.EndDate, e.Outcome = &last, &outcome })
}

// changeEnrolment changes one that is locked. It is not api.Update: the version a
// caller sends is the student's.
func changeEnrolment(c api.Ctx, before Enrolment, change func(*Enrolment)) error {
	e := before
	change(&e)
	e.UpdatedAt, e.UpdatedBy, e.Version = c.Now, &c.User.ID, e.Version+1
	err := c.DB.Select("class_id", "division_id", "roll_number", "start_date", "end_date", "outcome", "updated_at", "updated_by", "version").
		Where("id = ?", e.ID).Updates(&e).Error
	if err != nil {
		return fmt.Errorf("changing an enrolment: %w", err)
	}
	c.Changed("update", "enrolment", e.ID, before, e)
	return nil
}

func sameNumber(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
