package timetable

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// DaySlot is a lesson as it is held on one day.
type DaySlot struct {
	Slot
	SubstitutionID        *uuid.UUID `json:"substitutionId"`
	SubstituteTeacherID   *uuid.UUID `json:"substituteTeacherId" doc:"Who holds it that day instead"`
	SubstituteTeacherName string     `json:"substituteTeacherName"`
	Note                  string     `json:"note"`
	Mine                  bool       `json:"mine" doc:"The caller holds it that day"`
}

// Day is a day's lessons, and the week they come from.
type Day struct {
	Date      api.Date  `json:"date"`
	DayOfWeek int       `json:"dayOfWeek" doc:"1 is Monday, 6 Saturday, 7 Sunday"`
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

// ofStudentOn holds for the lessons s of a student: of their division and of the groups they are in with it. Its
// arguments are the division they sit in on a day, the student, the division and twice the day.
const ofStudentOn = `(s.division_id = ? or s.group_id in (select m.group_id from student_group_member m
	join student_group_division y on y.group_id = m.group_id
	where m.student_id = ? and y.division_id = ? and m.from_date <= ? and (m.to_date is null or m.to_date >= ?)))`

// childLessons is the week of the student $1 in the division and the groups they sit in on the day $2, with who stands in for
// whom on that day. Lessons are found by their division and by their groups apart: for either of both, all would be read.
const childLessons = `with seat as materialized (select e.division_id from enrolment e where e.student_id = $1 and e.start_date <= $2
		and (e.end_date is null or e.end_date >= $2))
	select ` + daySlotColumns + ` from (
			select l.* from timetable_slot l where l.division_id = (select division_id from seat)
			union all
			select l.* from timetable_slot l where l.group_id in (select m.group_id from student_group_member m
				join student_group_division y on y.group_id = m.group_id
				where m.student_id = $1 and y.division_id = (select division_id from seat) and m.from_date <= $2
				and (m.to_date is null or m.to_date >= $2))) s ` + slotDetails + `
	left join substitution x on x.slot_id = s.id and x.date = $2 left join employee z on z.id = x.substitute_teacher_id
	order by ` + weekOrder

// childDay is a linked child's day, in the division and the groups they sit in on that date: the week's lessons of that
// day of the week.
func childDay(c api.Ctx, r childDayRequest) (Day, error) {
	day := orToday(c, r.Date)
	out := Day{Date: day, DayOfWeek: weekday(day), Slots: []DaySlot{}}
	var week []DaySlot
	err := tenancy.Pipeline(c.DB, roster.MayViewQuery(c, r.StudentID),
		tenancy.Query{SQL: childLessons, Args: []any{r.StudentID, day}, Scan: tenancy.Collect(&week)})
	if err != nil {
		return Day{}, fmt.Errorf("reading a child's lessons: %w", err)
	}
	out.Week = make([]Slot, len(week))
	for i, s := range week {
		out.Week[i] = s.Slot
		if s.DayOfWeek == out.DayOfWeek {
			out.Slots = append(out.Slots, s)
		}
	}
	slices.SortFunc(out.Slots, func(a, b DaySlot) int {
		return cmp.Or(cmp.Compare(a.StartTime, b.StartTime), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return out, nil
}

func orToday(c api.Ctx, d api.Date) api.Date {
	if d.IsZero() {
		return c.Today()
	}
	return d
}

// daySlotColumns are a DaySlot's, of a lesson s with its substitution x by z.
const daySlotColumns = slotColumns + `, x.id as substitution_id, x.substitute_teacher_id,
	coalesce(trim(z.first_name || ' ' || z.last_name), '') as substitute_teacher_name, coalesce(x.note, '') as note`

// daySlots are the lessons of a day, with who stands in for whom.
func daySlots(c api.Ctx, day api.Date, where string, args ...any) ([]DaySlot, error) {
	list := []DaySlot{}
	err := c.DB.Raw(`select `+daySlotColumns+`
		from `+slotTables+` left join substitution x on x.slot_id = s.id and x.date = ? left join employee z on z.id = x.substitute_teacher_id
		where s.day_of_week = ? and `+where+` order by p.start_time, s.id`, append([]any{day, weekday(day)}, args...)...).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading a day's lessons: %w", err)
	}
	return list, nil
}
