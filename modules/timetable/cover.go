package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Why a lesson has no teacher, or a teacher is away.
const (
	onLeave   = "LEAVE"
	halfDay   = "HALF_DAY_LEAVE"
	absent    = "ABSENT"
	noTeacher = "NO_TEACHER"
)

// Cover is a day's lessons that need another teacher, and who could hold them.
type Cover struct {
	Date      api.Date      `json:"date"`
	DayOfWeek int           `json:"dayOfWeek" doc:"1 is Monday, 6 Saturday, 7 Sunday"`
	Away      []AwayTeacher `json:"away" doc:"Teachers on leave, and those who were said to be absent"`
	Lessons   []CoverLesson `json:"lessons" doc:"Without a teacher that day, in the order of the day"`
	Covered   []DaySlot     `json:"covered" doc:"That somebody else holds"`
}

// AwayTeacher is a teacher who is not there.
type AwayTeacher struct {
	TeacherID   uuid.UUID `json:"teacherId"`
	TeacherName string    `json:"teacherName"`
	Reason      string    `json:"reason" enum:"LEAVE,HALF_DAY_LEAVE,ABSENT"`
}

// CoverLesson is a lesson without a teacher.
type CoverLesson struct {
	DaySlot
	Reason string        `json:"reason" enum:"LEAVE,HALF_DAY_LEAVE,ABSENT,NO_TEACHER" doc:"Of who should hold it; which half of a day is off is not known"`
	Free   []FreeTeacher `json:"free" doc:"Those who teach the subject first, then those who know the students, then who has fewest lessons that day"`
}

// FreeTeacher is one who is there and has no lesson at that time.
type FreeTeacher struct {
	TeacherID       uuid.UUID `json:"teacherId"`
	TeacherName     string    `json:"teacherName"`
	TeachesSubject  bool      `json:"teachesSubject"`
	TeachesStudents bool      `json:"teachesStudents" doc:"Has lessons with a division of theirs"`
	Lessons         int       `json:"lessons" doc:"That day"`
}

type coverChange struct {
	Date             api.Date     `json:"date" validate:"required"`
	AbsentTeacherIDs *[]uuid.UUID `json:"absentTeacherIds" validate:"omitempty,max=1000,unique" doc:"Everybody who is absent without leave; as before unless given"`
	Substitutions    []coverInput `json:"substitutions" validate:"max=300,dive"`
}

type coverInput struct {
	SlotID              uuid.UUID `json:"slotId" validate:"required"`
	SubstituteTeacherID uuid.UUID `json:"substituteTeacherId" validate:"required"`
	Note                string    `json:"note" validate:"max=300"`
}

// TeacherAbsence is that a teacher is away without leave on a day.
type TeacherAbsence struct {
	EmployeeID uuid.UUID
	Date       api.Date
	CreatedBy  *uuid.UUID
	CreatedAt  time.Time
}

func (m *Module) getCover(c api.Ctx, r dayRequest) (Cover, error) {
	return m.coverOn(c, orToday(c, r.Date))
}

// putCover says who is absent on a day and who holds which lesson, all or nothing.
func (m *Module) putCover(c api.Ctx, r coverChange) (Cover, error) {
	if err := lockTimetable(c); err != nil {
		return Cover{}, err
	}
	if r.AbsentTeacherIDs != nil {
		if err := putAbsences(c, r.Date, *r.AbsentTeacherIDs); err != nil {
			return Cover{}, err
		}
	}
	list := make([]SubstitutionFields, len(r.Substitutions))
	for i, s := range r.Substitutions {
		list[i] = SubstitutionFields{SlotID: s.SlotID, Date: r.Date, SubstituteTeacherID: s.SubstituteTeacherID, Note: s.Note}
	}
	_, err := m.assign(c, r.Date, list, func(i int, field string) string { return fmt.Sprintf("substitutions[%d].%s", i, field) })
	if err != nil {
		return Cover{}, err
	}
	return m.coverOn(c, r.Date)
}

// putAbsences says who is absent on a day.
func putAbsences(c api.Ctx, day api.Date, ids []uuid.UUID) error {
	teachers, err := recordsByID(c, ids, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return err
	}
	var bad []api.Detail
	rows := make([]TeacherAbsence, len(ids))
	for i, id := range ids {
		if e, there := teachers[id]; !there || e.EmployeeType != "TEACHER" {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("absentTeacherIds[%d]", i), Message: "is no teacher"})
		}
		rows[i] = TeacherAbsence{EmployeeID: id, Date: day, CreatedBy: &c.User.ID, CreatedAt: c.Now}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	before := []uuid.UUID{}
	if err := c.DB.Model(&TeacherAbsence{}).Where("date = ?", day).Order("employee_id").Pluck("employee_id", &before).Error; err != nil {
		return fmt.Errorf("reading who is absent: %w", err)
	}
	after := slices.Clone(ids)
	slices.SortFunc(after, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if slices.Equal(before, after) {
		return nil
	}
	if err := c.DB.Where("date = ?", day).Delete(&TeacherAbsence{}).Error; err != nil {
		return fmt.Errorf("changing who is absent: %w", err)
	}
	if len(rows) > 0 {
		if err := c.DB.Create(&rows).Error; err != nil {
			return fmt.Errorf("changing who is absent: %w", err)
		}
	}
	c.Changed("update", "teacher absence", uuid.Nil, map[string]any{"date": day, "teacherIds": before},
		map[string]any{"date": day, "teacherIds": after})
	return nil
}

// away is why teachers are not there on a day.
func (m *Module) away(c api.Ctx, day api.Date) (map[uuid.UUID]string, error) {
	out := map[uuid.UUID]string{}
	if m.OnLeave != nil {
		leaves, err := m.OnLeave(c, day)
		if err != nil {
			return nil, err
		}
		for id, half := range leaves {
			out[id] = onLeave
			if half {
				out[id] = halfDay
			}
		}
	}
	var ids []uuid.UUID
	if err := c.DB.Model(&TeacherAbsence{}).Where("date = ?", day).Pluck("employee_id", &ids).Error; err != nil {
		return nil, fmt.Errorf("reading who is absent: %w", err)
	}
	for _, id := range ids {
		if out[id] != onLeave {
			out[id] = absent
		}
	}
	return out, nil
}

// teacherOnDuty is a teacher, and what they teach by the timetable and their assignments.
type teacherOnDuty struct {
	ID          uuid.UUID
	Name        string
	SubjectIDs  []uuid.UUID
	DivisionIDs []uuid.UUID
}

const teachersOnDuty = `select e.id, trim(e.first_name || ' ' || e.last_name) as name,
		array(select coalesce(g.subject_id, s.subject_id) from timetable_slot s left join student_group g on g.id = s.group_id
			where s.teacher_id = e.id
			union select a.subject_id from teacher_assignment a where a.user_id = e.user_id and a.subject_id is not null) as subject_ids,
		array(select coalesce(s.division_id, y.division_id) from timetable_slot s left join student_group_division y on y.group_id = s.group_id
			where s.teacher_id = e.id and coalesce(s.division_id, y.division_id) is not null) as division_ids
	from employee e where e.employee_type = 'TEACHER' and e.status = 'ACTIVE' order by name, e.id`

// coverOn is who is away on a day, and what that leaves without a teacher.
func (m *Module) coverOn(c api.Ctx, day api.Date) (Cover, error) {
	out := Cover{Date: day, DayOfWeek: weekday(day), Away: []AwayTeacher{}, Lessons: []CoverLesson{}, Covered: []DaySlot{}}
	away, err := m.away(c, day)
	if err != nil {
		return out, err
	}
	var teachers []teacherOnDuty
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: teachersOnDuty, Scan: tenancy.Collect(&teachers)}); err != nil {
		return out, fmt.Errorf("reading who teaches what: %w", err)
	}
	for _, t := range teachers {
		if why := away[t.ID]; why != "" {
			out.Away = append(out.Away, AwayTeacher{t.ID, t.Name, why})
		}
	}
	lessons, err := m.lessonsOn(c, day)
	if err != nil {
		return out, err
	}
	held := map[uuid.UUID][]Slot{}
	for _, s := range lessons {
		if h := s.holder(); h != uuid.Nil {
			held[h] = append(held[h], s.Slot)
		}
	}
	for _, s := range lessons {
		why := noTeacher
		if h := s.holder(); h != uuid.Nil {
			why = away[h]
		}
		if why != "" {
			out.Lessons = append(out.Lessons, CoverLesson{s, why, freeFor(s, teachers, away, held)})
		} else if s.SubstituteTeacherID != nil {
			out.Covered = append(out.Covered, s)
		}
	}
	return out, nil
}

// Uncovered is how many of the staff are away on a day, and how many lessons have no teacher then.
func (m *Module) Uncovered(c api.Ctx, day api.Date) (staff, lessons int, err error) {
	away, err := m.away(c, day)
	if err != nil {
		return 0, 0, err
	}
	list, err := m.lessonsOn(c, day)
	for _, s := range list {
		if h := s.holder(); h == uuid.Nil || away[h] != "" {
			lessons++
		}
	}
	return len(away), lessons, err
}

// lessonsOn are the lessons of a day on which their students have school.
func (m *Module) lessonsOn(c api.Ctx, day api.Date) ([]DaySlot, error) {
	list, err := daySlots(c, day, "true")
	if err != nil || m.Closed == nil {
		return list, err
	}
	closed, err := m.Closed(c.DB, day, day)
	return slices.DeleteFunc(list, func(s DaySlot) bool { return err == nil && isOff(closed, s.Slot, day) }), err
}

// holder is who is to hold the lesson that day; the zero id is nobody.
func (s DaySlot) holder() uuid.UUID {
	switch {
	case s.SubstituteTeacherID != nil:
		return *s.SubstituteTeacherID
	case s.TeacherID != nil:
		return *s.TeacherID
	}
	return uuid.Nil
}

// freeFor are the teachers who could hold a lesson, the most suitable first.
func freeFor(s DaySlot, teachers []teacherOnDuty, away map[uuid.UUID]string, held map[uuid.UUID][]Slot) []FreeTeacher {
	free := []FreeTeacher{}
	for _, t := range teachers {
		busy := away[t.ID] != "" || s.TeacherID != nil && *s.TeacherID == t.ID ||
			slices.ContainsFunc(held[t.ID], func(o Slot) bool { return o.ID != s.ID && s.sameTime(o) })
		if busy {
			continue
		}
		free = append(free, FreeTeacher{
			TeacherID: t.ID, TeacherName: t.Name, TeachesSubject: slices.Contains(t.SubjectIDs, s.SubjectID), Lessons: len(held[t.ID]),
			TeachesStudents: slices.ContainsFunc(s.Places, func(p Place) bool { return slices.Contains(t.DivisionIDs, p.DivisionID) }),
		})
	}
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(free, func(a, b FreeTeacher) int {
		return cmp.Or(first(a.TeachesSubject, b.TeachesSubject), first(a.TeachesStudents, b.TeachesStudents), cmp.Compare(a.Lessons, b.Lessons))
	})
	return free
}
