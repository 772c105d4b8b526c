package timetable

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// TimetableSlot is one lesson of a division's week, or of a group's. Its id outlives a new
// timetable that still has a lesson then: substitutions hang on it.
type TimetableSlot struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	DivisionID *uuid.UUID
	GroupID    *uuid.UUID
	DayOfWeek  int
	PeriodID   uuid.UUID
	SubjectID  uuid.UUID
	TeacherID  *uuid.UUID
	Room       string
	CreatedBy  *uuid.UUID
	CreatedAt  time.Time
}

// Slot is a lesson with the names people know it by.
type Slot struct {
	ID           uuid.UUID    `json:"id"`
	DivisionID   *uuid.UUID   `json:"divisionId" doc:"None for a lesson of a group"`
	GroupID      *uuid.UUID   `json:"groupId" doc:"None for a lesson of a whole division"`
	Places       []Place      `json:"-" gorm:"serializer:json"`
	ClassName    string       `json:"className" doc:"Of a group, all its classes"`
	DivisionName string       `json:"divisionName"`
	GroupName    string       `json:"groupName"`
	DayOfWeek    int          `json:"dayOfWeek" doc:"1 is Monday, 6 Saturday, 7 Sunday"`
	PeriodID     uuid.UUID    `json:"periodId"`
	PeriodName   string       `json:"periodName"`
	StartTime    roster.Clock `json:"startTime"`
	EndTime      roster.Clock `json:"endTime"`
	SubjectID    uuid.UUID    `json:"subjectId"`
	SubjectName  string       `json:"subjectName"`
	TeacherID    *uuid.UUID   `json:"teacherId" doc:"The employee who teaches it"`
	TeacherName  string       `json:"teacherName"`
	Room         string       `json:"room"`
}

// Place is a division whose students have a lesson, all or some of them.
type Place struct {
	ClassID    uuid.UUID `json:"classId"`
	DivisionID uuid.UUID `json:"divisionId"`
}

// groupDivisions are the divisions gd of a lesson's group.
const groupDivisions = `from student_group_division y join division gd on gd.id = y.division_id join class gk on gk.id = gd.class_id
	where y.group_id = s.group_id`

const slotColumns = `s.id, s.division_id, s.group_id, case when s.group_id is null
		then jsonb_build_array(jsonb_build_object('classId', d.class_id, 'divisionId', d.id))
		else (select jsonb_agg(jsonb_build_object('classId', gd.class_id, 'divisionId', gd.id)) ` + groupDivisions + `) end as places,
	coalesce(k.name, (select string_agg(distinct gk.name, ', ') ` + groupDivisions + `), '') as class_name,
	coalesce(d.name, '') as division_name, coalesce(g.name, '') as group_name, s.day_of_week,
	s.period_id, p.name as period_name, to_char(p.start_time, 'HH24:MI') as start_time, to_char(p.end_time, 'HH24:MI') as end_time,
	j.id as subject_id, j.name as subject_name, s.teacher_id,
	coalesce(nullif(trim(e.first_name || ' ' || e.last_name), ''), '') as teacher_name, s.room`

const slotTables = `timetable_slot s ` + slotDetails

// slotDetails are the tables with the names of a lesson s.
const slotDetails = `left join division d on d.id = s.division_id left join class k on k.id = d.class_id
	left join student_group g on g.id = s.group_id join period p on p.id = s.period_id
	join subject j on j.id = coalesce(g.subject_id, s.subject_id) left join employee e on e.id = s.teacher_id`

const weekOrder = `s.day_of_week, p.start_time, k.level, k.name, d.name, g.name, s.id`

// slots reads lessons in the order of the week.
func slots(c api.Ctx, where string, args ...any) ([]Slot, error) {
	list := []Slot{}
	err := c.DB.Raw(`select `+slotColumns+` from `+slotTables+` where `+where+` order by `+weekOrder, args...).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading the timetable: %w", err)
	}
	return list, nil
}

var dayNames = [...]string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// weekday is a day's number as ISO has it: Sunday is the seventh.
func weekday(d api.Date) int {
	if w := d.In(time.UTC).Weekday(); w != time.Sunday {
		return int(w)
	}
	return 7
}

// whose names the students of the lesson: a division or a group.
func (s Slot) whose() string {
	if s.GroupID != nil {
		return s.GroupName
	}
	return s.ClassName + " " + s.DivisionName
}

// String names the lesson so that an administrator finds it. A group says what it learns.
func (s Slot) String() string {
	name := s.whose()
	if s.GroupID == nil {
		name += " " + s.SubjectName
	}
	return fmt.Sprintf("%s, %s %s (%s–%s)", name, dayNames[s.DayOfWeek], s.PeriodName, s.StartTime, s.EndTime)
}

// sameStudents reports whether the two lessons are of one division or one group.
func (s Slot) sameStudents(o Slot) bool {
	same := func(a, b *uuid.UUID) bool { return a != nil && b != nil && *a == *b }
	return same(s.DivisionID, o.DivisionID) || same(s.GroupID, o.GroupID)
}

// groupsOf are the groups of lessons that are a group's.
func groupsOf(list []Slot) []uuid.UUID {
	var ids []uuid.UUID
	for _, s := range list {
		if s.GroupID != nil {
			ids = append(ids, *s.GroupID)
		}
	}
	return ids
}

// teachersOf are the teachers of lessons that have one.
func teachersOf(list []Slot) []uuid.UUID {
	var ids []uuid.UUID
	for _, s := range list {
		if s.TeacherID != nil {
			ids = append(ids, *s.TeacherID)
		}
	}
	return ids
}

// sameTime reports whether the two lessons overlap; their periods may have other names.
func (s Slot) sameTime(o Slot) bool {
	return s.DayOfWeek == o.DayOfWeek && s.StartTime < o.EndTime && o.StartTime < s.EndTime
}

// lockTimetable lets one change of the school's timetable happen at a time: periods
// that overlap are beyond what a unique index can see.
func lockTimetable(c api.Ctx) error {
	err := c.DB.Exec(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' timetable', 0))`).Error
	if err != nil {
		return fmt.Errorf("locking the timetable: %w", err)
	}
	return nil
}
