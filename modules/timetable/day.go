package timetable

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// DaySlot is a lesson as it is held on one day.
type DaySlot struct {
	Slot
	SubstituteTeacherID   *uuid.UUID `json:"substituteTeacherId" doc:"Who holds it that day instead"`
	SubstituteTeacherName string     `json:"substituteTeacherName"`
	Note                  string     `json:"note"`
	Mine                  bool       `json:"mine" doc:"The caller holds it that day"`
}

// Day is a day's lessons, and the week they come from.
type Day struct {
	Date      api.Date  `json:"date"`
	DayOfWeek int       `json:"dayOfWeek" doc:"1 is Monday"`
	Slots     []DaySlot `json:"slots"`
	Week      []Slot    `json:"week"`
}

type dayRequest struct {
	Date api.Date `json:"date" doc:"Today unless given"`
}

type childDayRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Date      api.Date  `json:"date" doc:"Today unless given"`
}

// myDay is the calling teacher's day: their own lessons, those somebody else holds for
// them, and those they hold for others.
func myDay(c api.Ctx, r dayRequest) (Day, error) {
	e, err := roster.CallingEmployee(c)
	if err != nil {
		return Day{}, err
	}
	day := orToday(c, r.Date)
	list, err := daySlots(c, day, "(s.teacher_id = ? or x.substitute_teacher_id = ?)", e, e)
	if err != nil {
		return Day{}, err
	}
	for i, s := range list {
		held := s.TeacherID
		if s.SubstituteTeacherID != nil {
			held = s.SubstituteTeacherID
		}
		list[i].Mine = held != nil && *held == e
	}
	week, err := slots(c, "s.teacher_id = ?", e)
	return Day{Date: day, DayOfWeek: weekday(day), Slots: list, Week: week}, err
}

// childDay is a linked child's day, in the division they sit in on that date.
func childDay(c api.Ctx, r childDayRequest) (Day, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return Day{}, err
	}
	day := orToday(c, r.Date)
	division, err := roster.DivisionOn(c.DB, r.StudentID, day)
	if err != nil {
		return Day{}, err
	}
	list, err := daySlots(c, day, "s.division_id = ?", division)
	if err != nil {
		return Day{}, err
	}
	week, err := slots(c, "s.division_id = ?", division)
	return Day{Date: day, DayOfWeek: weekday(day), Slots: list, Week: week}, err
}

func orToday(c api.Ctx, d api.Date) api.Date {
	if d.IsZero() {
		return c.Today()
	}
	return d
}

// daySlots are the lessons of a day, with who stands in for whom.
func daySlots(c api.Ctx, day api.Date, where string, args ...any) ([]DaySlot, error) {
	list := []DaySlot{}
	err := c.DB.Raw(`select `+slotColumns+`, x.substitute_teacher_id,
		coalesce(trim(z.first_name || ' ' || z.last_name), '') as substitute_teacher_name, coalesce(x.note, '') as note
		from `+slotTables+` left join substitution x on x.slot_id = s.id and x.date = ? left join employee z on z.id = x.substitute_teacher_id
		where s.day_of_week = ? and `+where+` order by p.start_time, s.id`, append([]any{day, weekday(day)}, args...)...).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading a day's lessons: %w", err)
	}
	return list, nil
}
