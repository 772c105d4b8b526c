package timetable

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// standIn is a lesson somebody else holds on a day.
type standIn struct {
	DaySlot
	Date api.Date
}

// standIns are the lessons others hold between two days.
func standIns(c api.Ctx, from, until api.Date, where string, args ...any) ([]standIn, error) {
	var list []standIn
	err := c.DB.Raw(`select `+slotColumns+`, x.id as substitution_id, x.date, x.substitute_teacher_id,
		trim(z.first_name || ' ' || z.last_name) as substitute_teacher_name, x.note
		from `+slotTables+` join substitution x on x.slot_id = s.id join employee z on z.id = x.substitute_teacher_id
		where x.date between ? and ?
		and `+where+` order by x.date, p.start_time, s.id`, append([]any{from, until}, args...)...).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("reading substitutions: %w", err)
	}
	return list, nil
}

// refuseStandIns refuses a new week in which a teacher has a lesson while they stand
// in elsewhere on a day still to come, unless someone holds that lesson for them then.
func refuseStandIns(c api.Ctx, week []Slot) error {
	var own []uuid.UUID
	for _, s := range week {
		own = append(own, s.ID)
	}
	teachers := teachersOf(week)
	if len(teachers) == 0 {
		return nil
	}
	list, err := standIns(c, c.Today(), api.Date{Year: 9999, Month: time.December, Day: 31}, "(x.substitute_teacher_id in ? or s.id in ?)",
		teachers, own)
	if err != nil {
		return err
	}
	type heldOn struct {
		slot uuid.UUID
		day  api.Date
	}
	byOthers := map[heldOn]bool{}
	for _, x := range list {
		byOthers[heldOn{x.ID, x.Date}] = true
	}
	var found []Clash
	for i, s := range week {
		for _, x := range list {
			if s.TeacherID != nil && *s.TeacherID == *x.SubstituteTeacherID && s.ID != x.ID && s.sameTime(x.Slot) &&
				!byOthers[heldOn{s.ID, x.Date}] {
				found = append(found, Clash{Kind: "TEACHER", First: s, Second: x.Slot, index: i})
			}
		}
	}
	return refuseClashes(found, func(int) string { return "slots" })
}
