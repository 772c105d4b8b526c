package timetable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
)

type weekChange struct {
	DivisionID uuid.UUID   `path:"divisionId"`
	Slots      []slotInput `json:"slots" validate:"required,max=300,dive"`
}

type slotInput struct {
	SubjectID uuid.UUID `json:"subjectId" validate:"required"`
	hourInput
}

// hourInput is when and by whom a lesson is held.
type hourInput struct {
	DayOfWeek int        `json:"dayOfWeek" validate:"min=1,max=7" doc:"1 is Monday, 6 Saturday, 7 Sunday"`
	PeriodID  uuid.UUID  `json:"periodId" validate:"required"`
	TeacherID *uuid.UUID `json:"teacherId" doc:"The employee who teaches it"`
	Room      string     `json:"room" validate:"max=30"`
}

type ofDivision struct {
	DivisionID uuid.UUID `path:"divisionId"`
}

type ofEmployee struct {
	EmployeeID uuid.UUID `path:"employeeId"`
}

// DivisionWeek is a division's week.
type DivisionWeek struct {
	DivisionID   uuid.UUID `json:"divisionId"`
	ClassName    string    `json:"className"`
	DivisionName string    `json:"divisionName"`
	Slots        []Slot    `json:"slots" doc:"Of the whole division"`
	Days         []int     `json:"days" doc:"The school's week in its order and other days with lessons: 1 is Monday, 6 Saturday, 7 Sunday"`
	GroupSlots   []Slot    `json:"groupSlots" doc:"Of groups with students of the division; each is set by its group"`
}

// TeacherWeek is a teacher's week.
type TeacherWeek struct {
	TeacherID   uuid.UUID `json:"teacherId"`
	TeacherName string    `json:"teacherName"`
	Days        []int     `json:"days" doc:"The school's week in its order and other days with lessons: 1 is Monday, 6 Saturday, 7 Sunday"`
	Slots       []Slot    `json:"slots"`
}

func getDivisionWeek(c api.Ctx, r ofDivision) (DivisionWeek, error) {
	d, err := api.Find[roster.Division](c, "division", c.DB, r.DivisionID)
	if err != nil {
		return DivisionWeek{}, err
	}
	return divisionWeek(c, d)
}

func divisionWeek(c api.Ctx, d roster.Division) (DivisionWeek, error) {
	class, err := api.Find[roster.Class](c, "class", c.DB, d.ClassID)
	if err != nil {
		return DivisionWeek{}, err
	}
	w := DivisionWeek{DivisionID: d.ID, ClassName: class.Name, DivisionName: d.Name}
	if w.Slots, err = slots(c, "s.division_id = ?", d.ID); err != nil {
		return w, err
	}
	w.GroupSlots, err = slots(c, "s.group_id in (select y.group_id from student_group_division y where y.division_id = ?)", d.ID)
	w.Days = weekDays(c, w.Slots, w.GroupSlots)
	return w, err
}

func getTeacherWeek(c api.Ctx, r ofEmployee) (TeacherWeek, error) {
	e, err := api.Find[roster.Employee](c, "employee", c.DB, r.EmployeeID)
	if err != nil {
		return TeacherWeek{}, err
	}
	list, err := slots(c, "s.teacher_id = ?", e.ID)
	return TeacherWeek{TeacherID: e.ID, TeacherName: e.Name(), Days: weekDays(c, list), Slots: list}, err
}

// weekDays are the days of the school's week, from the one after the weekend on, and days off that have lessons.
func weekDays(c api.Ctx, lists ...[]Slot) []int {
	isOff := func(day int) bool { return slices.Contains(c.School.WeekendDays, int16(day%7)) } // there 0 is Sunday
	held := map[int]bool{}
	for _, s := range slices.Concat(lists...) {
		held[s.DayOfWeek] = true
	}
	first := 1
	for _, day := range []int{1, 7, 6, 2, 3, 4, 5} {
		if !isOff(day) && isOff((day+5)%7+1) {
			first = day
			break
		}
	}
	days := []int{}
	for i := range 7 {
		if day := (first-1+i)%7 + 1; !isOff(day) || held[day] {
			days = append(days, day)
		}
	}
	return days
}

// putDivisionWeek sets a division's whole week, all or nothing. A lesson that stays at
// its day and period keeps its id, and so its substitutions.
func putDivisionWeek(c api.Ctx, r weekChange) (DivisionWeek, error) {
	if err := lockTimetable(c); err != nil {
		return DivisionWeek{}, err
	}
	d, err := api.Find[roster.Division](c, "division", c.DB, r.DivisionID)
	if err != nil {
		return DivisionWeek{}, err
	}
	before, err := divisionWeek(c, d)
	if err != nil {
		return DivisionWeek{}, err
	}
	owner := weekOwner{column: "division_id", like: Slot{DivisionID: &d.ID, ClassName: before.ClassName, DivisionName: d.Name,
		Places: []Place{{d.ClassID, d.ID}}}}
	if err := owner.set(c, before.Slots, r.Slots); err != nil {
		return DivisionWeek{}, err
	}
	after, err := divisionWeek(c, d)
	if err != nil {
		return DivisionWeek{}, err
	}
	if err := refuseStandIns(c, after.Slots); err != nil {
		return DivisionWeek{}, err
	}
	c.Changed("update", "timetable", d.ID, before.Slots, after.Slots)
	return after, tellWeek(c, d.ID, changedLessons(before.Slots, after.Slots))
}

// weekOwner is a division or a group whose week is set.
type weekOwner struct {
	column string // that names it in a lesson
	like   Slot   // what all its lessons have in common
}

func (w weekOwner) id() uuid.UUID {
	if w.like.GroupID != nil {
		return *w.like.GroupID
	}
	return *w.like.DivisionID
}

// set replaces the lessons of a week, unless some clash.
func (w weekOwner) set(c api.Ctx, before []Slot, list []slotInput) error {
	fresh, err := w.namedSlots(c, list)
	if err != nil {
		return err
	}
	others, err := w.competingSlots(c, fresh)
	if err != nil {
		return err
	}
	shared, err := sharedMembers(c, groupsOf(fresh))
	if err != nil {
		return err
	}
	if err := refuseClashes(clashes(fresh, others, shared), func(i int) string { return fmt.Sprintf("slots[%d]", i) }); err != nil {
		return err
	}
	return w.write(c, before, fresh)
}

// namedSlots gives what was sent the names that refusals speak in, and refuses what
// names nothing.
func (w weekOwner) namedSlots(c api.Ctx, list []slotInput) ([]Slot, error) {
	var periodIDs, subjectIDs, teacherIDs []uuid.UUID
	for _, s := range list {
		periodIDs, subjectIDs = append(periodIDs, s.PeriodID), append(subjectIDs, s.SubjectID)
		if s.TeacherID != nil {
			teacherIDs = append(teacherIDs, *s.TeacherID)
		}
	}
	periods, err := recordsByID(c, periodIDs, func(p Period) uuid.UUID { return p.ID })
	if err != nil {
		return nil, err
	}
	subjects, err := recordsByID(c, subjectIDs, func(s roster.Subject) uuid.UUID { return s.ID })
	if err != nil {
		return nil, err
	}
	teachers, err := recordsByID(c, teacherIDs, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return nil, err
	}
	fresh := make([]Slot, 0, len(list))
	var bad []api.Detail
	for i, s := range list {
		fail := func(field, message string) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("slots[%d].%s", i, field), Message: message})
		}
		period, there := periods[s.PeriodID]
		if !there {
			fail("periodId", "periodId does not exist")
		} else if period.IsBreak {
			fail("periodId", period.Name+" is a break")
		}
		subject, there := subjects[s.SubjectID]
		if !there {
			fail("subjectId", "subjectId does not exist")
		}
		slot := w.like
		slot.DayOfWeek, slot.TeacherID, slot.Room = s.DayOfWeek, s.TeacherID, strings.TrimSpace(s.Room)
		slot.PeriodID, slot.PeriodName, slot.StartTime, slot.EndTime = s.PeriodID, period.Name, period.StartTime, period.EndTime
		slot.SubjectID, slot.SubjectName = s.SubjectID, subject.Name
		if s.TeacherID != nil {
			teacher, there := teachers[*s.TeacherID]
			if !there || !teacher.IsActiveTeacher() {
				fail("teacherId", "teacherId is no active teacher")
			}
			slot.TeacherName = teacher.Name()
		}
		fresh = append(fresh, slot)
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	return fresh, nil
}

// recordsByID reads records, by their ids.
func recordsByID[M any](c api.Ctx, ids []uuid.UUID, id func(M) uuid.UUID) (map[uuid.UUID]M, error) {
	out := map[uuid.UUID]M{}
	if len(ids) == 0 {
		return out, nil
	}
	var found []M
	if err := c.DB.Where("id in ?", ids).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("reading what a list names: %w", err)
	}
	for _, m := range found {
		out[id(m)] = m
	}
	return out, nil
}

// competingSlots are others' lessons that want one of the same teachers, rooms or students.
func (w weekOwner) competingSlots(c api.Ctx, fresh []Slot) ([]Slot, error) {
	rooms := []string{""}
	for _, s := range fresh {
		rooms = append(rooms, strings.ToLower(s.Room))
	}
	var divisions []uuid.UUID
	for _, p := range w.like.Places {
		divisions = append(divisions, p.DivisionID)
	}
	return slots(c, "s."+w.column+` is distinct from ? and (s.teacher_id in ? or (s.room <> '' and lower(s.room) in ?) or s.division_id in ?
		or s.group_id in (select y.group_id from student_group_division y where y.division_id in ?))`, w.id(),
		append(teachersOf(fresh), uuid.Nil), rooms, divisions, divisions)
}

// write lays the new week over the old one.
func (w weekOwner) write(c api.Ctx, before, fresh []Slot) error {
	type when struct {
		day    int
		period uuid.UUID
	}
	kept := map[when]bool{}
	rows := make([]TimetableSlot, 0, len(fresh))
	for _, s := range fresh {
		kept[when{s.DayOfWeek, s.PeriodID}] = true
		rows = append(rows, TimetableSlot{ID: api.NewID(), DivisionID: s.DivisionID, GroupID: s.GroupID, DayOfWeek: s.DayOfWeek,
			PeriodID: s.PeriodID, SubjectID: s.SubjectID, TeacherID: s.TeacherID, Room: s.Room, CreatedBy: &c.User.ID, CreatedAt: c.Now})
	}
	var gone []uuid.UUID
	for _, s := range before {
		if !kept[when{s.DayOfWeek, s.PeriodID}] {
			gone = append(gone, s.ID)
		}
	}
	if len(gone) > 0 {
		var ended []Substitution
		if err := c.DB.Where("slot_id in ? and date >= ?", gone, c.Today()).Find(&ended).Error; err != nil {
			return fmt.Errorf("reading the substitutions of a timetable: %w", err)
		}
		if err := tellTaken(c, ended, before); err != nil {
			return err
		}
		if err := c.DB.Where("id in ?", gone).Delete(&TimetableSlot{}).Error; err != nil {
			return fmt.Errorf("clearing a timetable: %w", err)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	over := clause.OnConflict{
		Columns:   []clause.Column{{Name: w.column}, {Name: "day_of_week"}, {Name: "period_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"subject_id", "teacher_id", "room"}),
	}
	if w.like.GroupID != nil { // the index has no lessons of divisions
		over.TargetWhere = clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "group_id is not null"}}}
	}
	err := c.DB.Clauses(over).Create(&rows).Error
	if err != nil {
		return fmt.Errorf("writing a timetable: %w", err)
	}
	return nil
}
