package roster

import (
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
)

// StudentsMove is a request to seat several students in one division: from today on, or as new
// ones if they sat nowhere this year.
type StudentsMove struct {
	DivisionID uuid.UUID   `json:"divisionId" validate:"required"`
	StudentIDs []uuid.UUID `json:"studentIds" validate:"required,min=1,max=500,unique"`
	DryRun     bool        `json:"dryRun" doc:"Say what would be done, and do nothing"`
}

// StudentsMoved says what a StudentsMove did, or would do.
type StudentsMoved struct {
	DryRun       bool `json:"dryRun"`
	Moved        int  `json:"moved"`
	AlreadyThere int  `json:"alreadyThere"`
	RollNumbers  int  `json:"rollNumbers" doc:"How many of the moved lose the roll number of their old division"`
}

// moveStudents moves all or nobody. Who cannot be placed is named, each with the reason.
func moveStudents(c api.Ctx, r StudentsMove) (StudentsMoved, error) {
	out := StudentsMoved{DryRun: r.DryRun}
	d, err := divisionOf(c, r.DivisionID, nil)
	if err != nil {
		return out, err
	}
	students, err := lockStudents(c, r.StudentIDs)
	if err != nil {
		return out, err
	}
	seats, err := currentEnrolments(c, r.StudentIDs)
	if err != nil {
		return out, err
	}
	m := mover{Ctx: c, to: d, students: r.StudentIDs}
	for i, id := range r.StudentIDs {
		s, ok := students[id]
		switch now := seats[id]; {
		case !ok:
			m.refuse(i, "A selected student no longer exists")
		case s.Status != "ACTIVE":
			m.refuse(i, fmt.Sprintf("%s %s is %s and cannot be placed in a division", s.FirstName, s.LastName, s.Status))
		case now != nil && now.DivisionID == d.ID:
			out.AlreadyThere++
		default:
			out.Moved++
			if now != nil && now.RollNumber != nil {
				out.RollNumbers++
			}
			if err := m.plan(s, now); err != nil {
				return out, err
			}
		}
	}
	if len(m.refused) > 0 {
		return out, api.Invalid(m.refused...)
	}
	if r.DryRun {
		return out, nil
	}
	return out, m.write()
}

// lockStudents reads students and keeps others from changing them, in one order, so that two moves cannot block each other.
func lockStudents(c api.Ctx, ids []uuid.UUID) (map[uuid.UUID]Student, error) {
	var found []Student
	if err := c.DB.Raw(`select `+studentColumns+`, student.search_text from student where id in ? and deleted_at is null
		order by id for update`, ids).Scan(&found).Error; err != nil {
		return nil, fmt.Errorf("reading students: %w", err)
	}
	byID := make(map[uuid.UUID]Student, len(found))
	for _, s := range found {
		byID[s.ID] = s
	}
	return byID, nil
}

// currentEnrolments is currentEnrolment of several students.
func currentEnrolments(c api.Ctx, students []uuid.UUID) (map[uuid.UUID]*Enrolment, error) {
	var found []Enrolment
	err := c.DB.Clauses(clause.Locking{Strength: "UPDATE"}).Where("student_id in ? and (end_date is null or end_date >= ?)", students,
		c.Today()).Order("student_id, start_date").Find(&found).Error
	if err != nil {
		return nil, fmt.Errorf("reading students' enrolments: %w", err)
	}
	first := map[uuid.UUID]*Enrolment{}
	for i, e := range found {
		if first[e.StudentID] == nil {
			first[e.StudentID] = &found[i]
		}
	}
	return first, nil
}

// mover collects what a move changes, to write it in a few statements.
type mover struct {
	api.Ctx
	to       Division
	students []uuid.UUID
	year     *AcademicYear // the active one, read for the first who sits nowhere
	sat      map[uuid.UUID]api.Date
	refused  []api.Detail
	begun    []Enrolment // from today on, or since the year began
	ended    []Enrolment // yesterday
	mended   []Enrolment // began today, or will
	placed   []Student   // whose class becomes another
}

func (m *mover) refuse(i int, why string) {
	m.refused = append(m.refused, api.Detail{Field: fmt.Sprintf("studentIds[%d]", i), Message: why})
}

// plan does for one student what move does.
func (m *mover) plan(s Student, now *Enrolment) error {
	if s.ClassID == nil || *s.ClassID != m.to.ClassID {
		m.placed = append(m.placed, s)
	}
	if now != nil && !now.StartDate.Before(m.Today()) {
		m.mended = append(m.mended, *now)
		return nil
	}
	next := Enrolment{Record: api.Record{ID: api.NewID(), CreatedAt: m.Now, UpdatedAt: m.Now, CreatedBy: &m.User.ID, UpdatedBy: &m.User.ID,
		Version: 1}, StudentID: s.ID, ClassID: m.to.ClassID, DivisionID: m.to.ID, StartDate: m.Today()}
	if now != nil {
		m.ended = append(m.ended, *now)
		next.AcademicYearID, next.EndDate, next.Outcome, next.PromotionID = now.AcademicYearID, now.EndDate, now.Outcome, now.PromotionID
	} else {
		if m.year == nil {
			year, err := ActiveYear(m.Ctx)
			if err != nil {
				return err
			}
			m.year = &year
			if m.sat, err = lastSeats(m.Ctx, year.ID, m.students); err != nil {
				return err
			}
		}
		next.AcademicYearID = m.year.ID
		first, err := firstDay(*m.year, nil, s.AdmissionDate)
		if err != nil {
			return err
		}
		if _, left := m.sat[s.ID]; left {
			first = later(m.Today(), first)
		}
		next.StartDate = first
	}
	m.begun = append(m.begun, next)
	return nil
}

func (m *mover) write() error {
	yesterday, moved := m.Today().AddDays(-1), "MOVED"
	ended := map[string]any{"end_date": yesterday, "outcome": moved}
	mended := map[string]any{"class_id": m.to.ClassID, "division_id": m.to.ID, "roll_number": nil}
	err := m.change(m.ended, ended, func(e *Enrolment) { e.EndDate, e.Outcome = &yesterday, &moved })
	if err == nil {
		err = m.change(m.mended, mended, func(e *Enrolment) { e.ClassID, e.DivisionID, e.RollNumber = m.to.ClassID, m.to.ID, nil })
	}
	if err != nil {
		return fmt.Errorf("moving students: %w", err)
	}
	if len(m.begun) > 0 {
		if err := m.DB.Create(&m.begun).Error; err != nil {
			return fmt.Errorf("moving students: %w", err)
		}
		err := m.ChangedMany("create", "enrolment", len(m.begun), func(i int) (uuid.UUID, any, any) { return m.begun[i].ID, nil, m.begun[i] })
		if err != nil {
			return err
		}
	}
	return m.place()
}

// change sets the columns of enrolments, and writes each change into the audit.
func (m *mover) change(list []Enrolment, columns map[string]any, apply func(*Enrolment)) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	columns["updated_at"], columns["updated_by"], columns["version"] = m.Now, m.User.ID, clause.Expr{SQL: "version + 1"}
	if err := m.DB.Model(&Enrolment{}).Where("id in ?", ids).UpdateColumns(columns).Error; err != nil {
		return err
	}
	return m.ChangedMany("update", "enrolment", len(list), func(i int) (uuid.UUID, any, any) {
		after := list[i]
		apply(&after)
		after.UpdatedAt, after.UpdatedBy, after.Version = m.Now, &m.User.ID, after.Version+1
		return after.ID, list[i], after
	})
}

// place writes the new class into the students' own records.
func (m *mover) place() error {
	if len(m.placed) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(m.placed))
	for i, s := range m.placed {
		ids[i] = s.ID
	}
	err := m.DB.Exec(`update student set class_id = ?, updated_at = ?, updated_by = ?, version = version + 1 where id in ?`,
		m.to.ClassID, m.Now, m.User.ID, ids).Error
	if err != nil {
		return fmt.Errorf("placing students: %w", err)
	}
	return m.ChangedMany("update", "student", len(m.placed), func(i int) (uuid.UUID, any, any) {
		after := m.placed[i]
		after.ClassID, after.UpdatedAt, after.UpdatedBy, after.Version = &m.to.ClassID, m.Now, &m.User.ID, after.Version+1
		return after.ID, m.placed[i], after
	})
}
