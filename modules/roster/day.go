package roster

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
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
	e, err := myself(c)
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
	if err := mayView(c.DB, c.User.ID, r.StudentID); err != nil {
		return Day{}, err
	}
	day := orToday(c, r.Date)
	division, err := divisionOn(c.DB, r.StudentID, day)
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
	err := c.DB.Raw(`select `+slotColumns+`, x.substitute_teacher_id, coalesce(trim(z.first_name || ' ' || z.last_name), '') as substitute_teacher_name, coalesce(x.note, '') as note
		from `+slotTables+` left join substitution x on x.slot_id = s.id and x.date = ? left join employee z on z.id = x.substitute_teacher_id
		where s.day_of_week = ? and `+where+` order by p.start_time, s.id`, append([]any{day, weekday(day)}, args...)...).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading a day's lessons: %w", err)
	}
	return list, nil
}

// myself is the employee the caller is. A teacher whom nobody has entered as an
// employee has no lessons.
func myself(c api.Ctx) (uuid.UUID, error) {
	var e Employee
	err := c.DB.Select("id").Where("user_id = ?", c.User.ID).Take(&e).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return uuid.Nil, nil
	}
	return e.ID, err
}

// mayView refuses a student who is not linked to the guardian, or whose data the
// guardian may not see.
func mayView(db *gorm.DB, user, student uuid.UUID) error {
	if err := tenancy.Pipeline(db, viewing(user, student)); err != nil {
		return fmt.Errorf("looking for a guardian's student: %w", err)
	}
	return nil
}

// viewing is mayView as a query that travels with what the guardian wants to see.
func viewing(user, student uuid.UUID) tenancy.Query {
	return tenancy.Query{SQL: `select from student_guardian sg join guardian g on g.id = sg.guardian_id join student s on s.id = sg.student_id
		where g.user_id = $1 and sg.student_id = $2 and sg.can_view_data and s.deleted_at is null limit 1`,
		Args: []any{user, student}, Scan: func(rows pgx.Rows) error {
			if !rows.Next() && rows.Err() == nil {
				return noStudent
			}
			return nil
		}}
}

// divisionOn is where a student sits on a day; the zero id is nowhere.
func divisionOn(db *gorm.DB, student uuid.UUID, day api.Date) (uuid.UUID, error) {
	var ids []uuid.UUID
	err := db.Table("enrolment").Where("student_id = ? and start_date <= ? and (end_date is null or end_date >= ?)", student, day, day).Pluck("division_id", &ids).Error
	if err != nil {
		return uuid.Nil, fmt.Errorf("looking for a student's division: %w", err)
	}
	if len(ids) == 0 {
		return uuid.Nil, nil
	}
	return ids[0], nil
}
