package timetable

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
)

// Substitution says that someone else holds a lesson on one day.
type Substitution struct {
	ID uuid.UUID `json:"id" gorm:"primaryKey"`
	SubstitutionFields
	CreatedBy *uuid.UUID `json:"createdBy,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
}

// SubstitutionFields are what an administrator says of a substitution.
type SubstitutionFields struct {
	SlotID              uuid.UUID `json:"slotId" validate:"required"`
	Date                api.Date  `json:"date" validate:"required"`
	SubstituteTeacherID uuid.UUID `json:"substituteTeacherId" validate:"required"`
	Note                string    `json:"note" validate:"max=300"`
}

var substitutionListing = api.Listing{
	Sorts:   map[string]string{"date": "date", "createdAt": "created_at"},
	Default: "-date",
	Filters: map[string]api.Filter{
		"from": api.ByDate("date", ">="), "to": api.ByDate("date", "<="),
		"slotId": api.ByID("slot_id"), "substituteTeacherId": api.ByID("substitute_teacher_id"),
	},
}

func listSubstitutions(c api.Ctx, l api.ListRequest) (api.Page[Substitution], error) {
	return api.Fetch[Substitution](c.DB.Model(&Substitution{}), l)
}

// substitute gives a lesson to someone else for a day. Said again for the same lesson
// and day, the last word holds.
func substitute(c api.Ctx, r SubstitutionFields) (Substitution, error) {
	if err := lockTimetable(c); err != nil {
		return Substitution{}, err
	}
	found, err := slots(c, "s.id = ?", r.SlotID)
	if err != nil {
		return Substitution{}, err
	}
	teachers, err := recordsByID(c, []uuid.UUID{r.SubstituteTeacherID}, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return Substitution{}, err
	}
	var bad []api.Detail
	teacher, there := teachers[r.SubstituteTeacherID]
	if !there || !teacher.IsActiveTeacher() {
		bad = append(bad, api.Detail{Field: "substituteTeacherId", Message: "substituteTeacherId names no active teacher"})
	}
	if len(found) == 0 {
		bad = append(bad, api.Detail{Field: "slotId", Message: "slotId names no lesson"})
		return Substitution{}, api.Invalid(bad...)
	}
	slot := found[0]
	if weekday(r.Date) != slot.DayOfWeek {
		bad = append(bad,
			api.Detail{Field: "date", Message: fmt.Sprintf("%s is a %s, the lesson is on %s", r.Date, dayNames[weekday(r.Date)],
				dayNames[slot.DayOfWeek])})
	}
	if slot.TeacherID != nil && *slot.TeacherID == r.SubstituteTeacherID {
		bad = append(bad, api.Detail{Field: "substituteTeacherId", Message: teacher.Name() + " holds this lesson anyway"})
	}
	if bad != nil {
		return Substitution{}, api.Invalid(bad...)
	}
	slot.TeacherID, slot.TeacherName = &teacher.ID, teacher.Name()
	if err := refuseBusy(c, slot, r.Date, "substituteTeacherId"); err != nil {
		return Substitution{}, err
	}
	s := Substitution{ID: api.NewID(), SubstitutionFields: r, CreatedBy: &c.User.ID, CreatedAt: c.Now}
	err = c.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "slot_id"}, {Name: "date"}},
		DoUpdates: clause.AssignmentColumns([]string{"substitute_teacher_id", "note", "created_by", "created_at"}),
	}, clause.Returning{Columns: []clause.Column{{Name: "id"}}}).Create(&s).Error
	if err != nil {
		return Substitution{}, fmt.Errorf("writing a substitution: %w", err)
	}
	c.Changed("create", "substitution", s.ID, nil, s)
	return s, nil
}

// deleteSubstitution gives the lesson back to its teacher, unless they have taken on
// another at that time meanwhile.
func deleteSubstitution(c api.Ctx, r byID) error {
	if err := lockTimetable(c); err != nil {
		return err
	}
	s, err := api.Find[Substitution](c, "substitution", c.DB, r.ID)
	if err != nil {
		return err
	}
	found, err := slots(c, "s.id = ?", s.SlotID)
	if err != nil {
		return err
	}
	if len(found) > 0 && found[0].TeacherID != nil {
		if err := refuseBusy(c, found[0], s.Date, "id"); err != nil {
			return err
		}
	}
	return api.Erase[Substitution](c, "substitution", s.ID)
}

// refuseBusy refuses a lesson on a day when its teacher has another then: one of their
// own that nobody else holds that day, or one they hold for somebody.
func refuseBusy(c api.Ctx, slot Slot, day api.Date, field string) error {
	held, err := slots(c, `s.id <> ? and s.day_of_week = ? and (
			exists (select 1 from substitution x where x.slot_id = s.id and x.date = ? and x.substitute_teacher_id = ?)
			or s.teacher_id = ? and not exists (select 1 from substitution x where x.slot_id = s.id and x.date = ?))`,
		slot.ID, slot.DayOfWeek, day, *slot.TeacherID, *slot.TeacherID, day)
	if err != nil {
		return err
	}
	var found []Clash
	for _, h := range held {
		if slot.sameTime(h) {
			found = append(found, Clash{Kind: "TEACHER", First: slot, Second: h})
		}
	}
	return refuseClashes(found, func(int) string { return field })
}
