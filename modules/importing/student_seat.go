package importing

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// writeSeats places students as move does: days that are past stay as they were.
// Those who change numbers among themselves first give theirs up.
func (p *studentPlan) writeSeats(c api.Ctx) error {
	var changed, moved []*studentStep // in place, or ended yesterday and opened today
	var opened []*studentStep
	for _, ch := range p.changes {
		switch {
		case ch.seat == nil:
		case ch.seat.old == nil:
			opened = append(opened, ch)
		case ch.seat.old.divisionID == ch.seat.division.id || !ch.seat.old.started:
			changed = append(changed, ch)
		default:
			moved = append(moved, ch)
		}
	}
	if err := releaseRolls(c, changed); err != nil {
		return err
	}
	if err := p.moveSeats(c, moved); err != nil {
		return err
	}
	if err := changeSeats(c, changed); err != nil {
		return err
	}
	return p.openSeats(c, opened)
}

func seatLists(changes []*studentStep) (ids, classes, divisions, made []uuid.UUID, rolls []string) {
	for _, ch := range changes {
		ids, made = append(ids, ch.seat.old.id), append(made, api.NewID())
		classes, divisions = append(classes, ch.seat.division.classID), append(divisions, ch.seat.division.id)
		rolls = append(rolls, ch.seat.roll)
	}
	return ids, classes, divisions, made, rolls
}

func releaseRolls(c api.Ctx, changed []*studentStep) error {
	if len(changed) == 0 {
		return nil
	}
	ids, _, _, _, _ := seatLists(changed)
	if err := exec(c.DB, `update enrolment set roll_number = null where id = any($1) and roll_number is not null`, ids); err != nil {
		return fmt.Errorf("freeing roll numbers: %w", err)
	}
	return nil
}

func changeSeats(c api.Ctx, changed []*studentStep) error {
	if len(changed) == 0 {
		return nil
	}
	ids, classes, divisions, _, rolls := seatLists(changed)
	err := exec(c.DB, `update enrolment e set class_id = v.class_id, division_id = v.division_id, roll_number = nullif(v.roll, '')::int,
			version = e.version + 1, updated_at = $1, updated_by = $2
		from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[]) as v(id, class_id, division_id, roll) where e.id = v.id`,
		c.Now, c.User.ID, ids, classes, divisions, rolls)
	if err != nil {
		return fmt.Errorf("changing enrolments: %w", err)
	}
	return nil
}

// moveSeats ends enrolments yesterday and opens others today. What was settled for the
// end of the year still is.
func (p *studentPlan) moveSeats(c api.Ctx, moved []*studentStep) error {
	if len(moved) == 0 {
		return nil
	}
	ids, classes, divisions, made, rolls := seatLists(moved)
	type settled struct {
		ID, Student, Year uuid.UUID
		End, Outcome      *string
		Promotion         *uuid.UUID
	}
	olds, err := readAll[settled](c.DB, `select id, student_id, academic_year_id, end_date::text, outcome, promotion_id from enrolment
		where id = any($1)`, ids)
	if err != nil {
		return fmt.Errorf("reading enrolments: %w", err)
	}
	byID := map[uuid.UUID]settled{}
	for _, o := range olds {
		byID[o.ID] = o
	}
	err = exec(c.DB, `update enrolment set end_date = $3, outcome = 'MOVED', promotion_id = null, version = version + 1, updated_at = $1,
		updated_by = $2 where id = any($4)`,
		c.Now, c.User.ID, c.Today().AddDays(-1).String(), ids)
	if err != nil {
		return fmt.Errorf("ending enrolments: %w", err)
	}
	columns := append([]string{"id", "student_id", "academic_year_id", "class_id", "division_id", "roll_number", "start_date", "end_date",
		"outcome", "promotion_id"}, stamps...)
	err = tenancy.Copy(c.DB, "enrolment", columns, len(moved), func(i int) ([]any, error) {
		o := byID[ids[i]]
		return stamped(c, made[i], o.Student, o.Year, classes[i], divisions[i], rollOrNull(rolls[i]), c.Today().String(), o.End, o.Outcome,
			o.Promotion), nil
	})
	if err != nil {
		return fmt.Errorf("moving students: %w", err)
	}
	return nil
}

// openSeats opens first enrolments.
func (p *studentPlan) openSeats(c api.Ctx, opened []*studentStep) error {
	columns := append([]string{"id", "student_id", "academic_year_id", "class_id", "division_id", "roll_number", "start_date"}, stamps...)
	err := tenancy.Copy(c.DB, "enrolment", columns, len(opened), func(i int) ([]any, error) {
		ch := opened[i]
		return stamped(c, api.NewID(), ch.id, p.frame.year.ID, ch.seat.division.classID, ch.seat.division.id, rollOrNull(ch.seat.roll),
			ch.seat.from), nil
	})
	if err != nil {
		return fmt.Errorf("placing students: %w", err)
	}
	return nil
}

// sitsFrom is the first day of what a row says of a student's place.
func (ch *studentStep) sitsFrom(c api.Ctx) string {
	if ch.seat == nil {
		return c.Today().String()
	}
	return ch.seat.from
}

func rollOrNull(roll string) any {
	if roll == "" {
		return nil
	}
	return roll
}
