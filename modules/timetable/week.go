package timetable

import (
	"fmt"
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
	DayOfWeek int        `json:"dayOfWeek" validate:"min=1,max=7" doc:"1 is Monday"`
	PeriodID  uuid.UUID  `json:"periodId" validate:"required"`
	SubjectID uuid.UUID  `json:"subjectId" validate:"required"`
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
	Slots        []Slot    `json:"slots"`
}

// TeacherWeek is a teacher's week.
type TeacherWeek struct {
	TeacherID   uuid.UUID `json:"teacherId"`
	TeacherName string    `json:"teacherName"`
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
	list, err := slots(c, "s.division_id = ?", d.ID)
	return DivisionWeek{DivisionID: d.ID, ClassName: class.Name, DivisionName: d.Name, Slots: list}, err
}

func getTeacherWeek(c api.Ctx, r ofEmployee) (TeacherWeek, error) {
	e, err := api.Find[roster.Employee](c, "employee", c.DB, r.EmployeeID)
	if err != nil {
		return TeacherWeek{}, err
	}
	list, err := slots(c, "s.teacher_id = ?", e.ID)
	return TeacherWeek{TeacherID: e.ID, TeacherName: e.Name(), Slots: list}, err
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
	fresh, err := namedSlots(c, before, r.Slots)
	if err != nil {
		return DivisionWeek{}, err
	}
	others, err := competingSlots(c, d.ID, fresh)
	if err != nil {
		return DivisionWeek{}, err
	}
	if err := refuseClashes(clashes(fresh, others), func(i int) string { return fmt.Sprintf("slots[%d]", i) }); err != nil {
		return DivisionWeek{}, err
	}
	if err := writeWeek(c, before, fresh); err != nil {
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
	return after, nil
}

// namedSlots gives what was sent the names that refusals speak in, and refuses what
// names nothing.
func namedSlots(c api.Ctx, week DivisionWeek, list []slotInput) ([]Slot, error) {
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
			fail("periodId", "periodId names no period")
		} else if period.IsBreak {
			fail("periodId", period.Name+" is a break")
		}
		subject, there := subjects[s.SubjectID]
		if !there {
			fail("subjectId", "subjectId names no subject")
		}
		slot := Slot{DivisionID: week.DivisionID, ClassName: week.ClassName, DivisionName: week.DivisionName, DayOfWeek: s.DayOfWeek,
			PeriodID: s.PeriodID, PeriodName: period.Name, StartTime: period.StartTime, EndTime: period.EndTime,
			SubjectID: s.SubjectID, SubjectName: subject.Name, TeacherID: s.TeacherID, Room: strings.TrimSpace(s.Room)}
		if s.TeacherID != nil {
			teacher, there := teachers[*s.TeacherID]
			if !there || !teacher.IsActiveTeacher() {
				fail("teacherId", "teacherId names no active teacher")
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

// competingSlots are other divisions' lessons that want one of the same teachers or rooms.
func competingSlots(c api.Ctx, division uuid.UUID, fresh []Slot) ([]Slot, error) {
	rooms := []string{""}
	for _, s := range fresh {
		rooms = append(rooms, strings.ToLower(s.Room))
	}
	return slots(c, "s.division_id <> ? and (s.teacher_id in ? or (s.room <> '' and lower(s.room) in ?))", division,
		append(teachersOf(fresh), uuid.Nil), rooms)
}

// writeWeek lays the new week over the old one.
func writeWeek(c api.Ctx, before DivisionWeek, fresh []Slot) error {
	type when struct {
		day    int
		period uuid.UUID
	}
	kept := map[when]bool{}
	rows := make([]TimetableSlot, 0, len(fresh))
	for _, s := range fresh {
		kept[when{s.DayOfWeek, s.PeriodID}] = true
		rows = append(rows, TimetableSlot{ID: api.NewID(), DivisionID: before.DivisionID, DayOfWeek: s.DayOfWeek, PeriodID: s.PeriodID,
			SubjectID: s.SubjectID, TeacherID: s.TeacherID, Room: s.Room, CreatedBy: &c.User.ID, CreatedAt: c.Now})
	}
	var gone []uuid.UUID
	for _, s := range before.Slots {
		if !kept[when{s.DayOfWeek, s.PeriodID}] {
			gone = append(gone, s.ID)
		}
	}
	if len(gone) > 0 {
		if err := c.DB.Where("id in ?", gone).Delete(&TimetableSlot{}).Error; err != nil {
			return fmt.Errorf("clearing a timetable: %w", err)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := c.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "division_id"}, {Name: "day_of_week"}, {Name: "period_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"subject_id", "teacher_id", "room"}),
	}).Create(&rows).Error
	if err != nil {
		return fmt.Errorf("writing a timetable: %w", err)
	}
	return nil
}
