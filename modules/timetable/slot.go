package timetable

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// TimetableSlot is one lesson of a division's week. Its id outlives a new timetable
// that still has a lesson then: substitutions hang on it.
type TimetableSlot struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	DivisionID uuid.UUID
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
	DivisionID   uuid.UUID    `json:"divisionId"`
	ClassID      uuid.UUID    `json:"-"`
	ClassName    string       `json:"className"`
	DivisionName string       `json:"divisionName"`
	DayOfWeek    int          `json:"dayOfWeek" doc:"1 is Monday"`
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

const slotColumns = `s.id, s.division_id, d.class_id, k.name as class_name, d.name as division_name, s.day_of_week, s.period_id, p.name as period_name, p.start_time, p.end_time,
	s.subject_id, j.name as subject_name, s.teacher_id,
	coalesce(nullif(trim(e.first_name || ' ' || e.last_name), ''), '') as teacher_name, s.room`

const slotTables = `timetable_slot s join division d on d.id = s.division_id join class k on k.id = d.class_id
	join period p on p.id = s.period_id
	join subject j on j.id = s.subject_id left join employee e on e.id = s.teacher_id`

// slots reads lessons in the order of the week.
func slots(c api.Ctx, where string, args ...any) ([]Slot, error) {
	list := []Slot{}
	err := c.DB.Raw(`select `+slotColumns+` from `+slotTables+` where `+where+`
		order by s.day_of_week, p.start_time, k.level, k.name, d.name, s.id`, args...).Scan(&list).Error
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

func (s Slot) group() string { return s.ClassName + " " + s.DivisionName }

// String names the lesson so that an administrator finds it.
func (s Slot) String() string {
	return fmt.Sprintf("%s %s, %s %s (%s–%s)", s.group(), s.SubjectName, dayNames[s.DayOfWeek], s.PeriodName, s.StartTime, s.EndTime)
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
