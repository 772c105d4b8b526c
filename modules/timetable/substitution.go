package timetable

import (
	"fmt"
	"maps"
	"slices"
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
func (m *Module) substitute(c api.Ctx, r SubstitutionFields) (Substitution, error) {
	if err := lockTimetable(c); err != nil {
		return Substitution{}, err
	}
	done, err := m.assign(c, r.Date, []SubstitutionFields{r}, func(_ int, field string) string { return field })
	if err != nil {
		return Substitution{}, err
	}
	return done[0], nil
}

// assign gives lessons of a day to others, all or nothing. field names a field of the nth.
func (m *Module) assign(c api.Ctx, day api.Date, list []SubstitutionFields, field func(int, string) string) ([]Substitution, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var slotIDs, teacherIDs []uuid.UUID
	for _, r := range list {
		slotIDs, teacherIDs = append(slotIDs, r.SlotID), append(teacherIDs, r.SubstituteTeacherID)
	}
	teachers, err := recordsByID(c, teacherIDs, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return nil, err
	}
	found, err := slots(c, "s.id in ?", slotIDs)
	if err != nil {
		return nil, err
	}
	away, err := m.away(c, day)
	if err != nil {
		return nil, err
	}
	byID := map[uuid.UUID]Slot{}
	for _, s := range found {
		byID[s.ID] = s
	}
	var bad []api.Detail
	for i, r := range list {
		fail := func(name, format string, args ...any) {
			bad = append(bad, api.Detail{Field: field(i, name), Message: fmt.Sprintf(format, args...)})
		}
		teacher, there := teachers[r.SubstituteTeacherID]
		slot, known := byID[r.SlotID]
		switch why := away[teacher.ID]; {
		case !there || !teacher.IsActiveTeacher():
			fail("substituteTeacherId", "substituteTeacherId is no active teacher")
		case why == onLeave:
			fail("substituteTeacherId", "%s is on leave on %s", teacher.Name(), day)
		case why == absent:
			fail("substituteTeacherId", "%s is absent on %s", teacher.Name(), day)
		}
		switch {
		case !known:
			fail("slotId", "slotId does not exist")
			continue
		case slices.Contains(slotIDs[:i], r.SlotID):
			fail("slotId", "the lesson is named twice")
			continue
		case weekday(day) != slot.DayOfWeek:
			fail("date", "%s is a %s, the lesson is on %s", day, dayNames[weekday(day)], dayNames[slot.DayOfWeek])
		}
		if slot.TeacherID != nil && *slot.TeacherID == r.SubstituteTeacherID {
			fail("substituteTeacherId", "%s holds this lesson anyway", teacher.Name())
		}
		slot.TeacherID, slot.TeacherName = &teacher.ID, teacher.Name()
		byID[r.SlotID] = slot
	}
	if bad != nil {
		return nil, api.Invalid(bad...)
	}
	if err := refuseTwiceHeld(c, day, list, byID, field); err != nil {
		return nil, err
	}
	return writeSubstitutions(c, list, byID)
}

// refuseTwiceHeld refuses lessons whose new teachers hold another one at that time of the day.
func refuseTwiceHeld(c api.Ctx, day api.Date, list []SubstitutionFields, given map[uuid.UUID]Slot, field func(int, string) string) error {
	lessons, err := daySlots(c, day, "true")
	if err != nil {
		return err
	}
	var found []Clash
	for i, r := range list {
		s := given[r.SlotID]
		for _, o := range lessons {
			other, changed := given[o.ID]
			if !changed {
				other = o.Slot
				if other.TeacherID = nil; o.holder() != uuid.Nil {
					holder := o.holder()
					other.TeacherID = &holder
				}
			}
			if o.ID != s.ID && other.TeacherID != nil && *other.TeacherID == *s.TeacherID && s.sameTime(other) {
				found = append(found, Clash{Kind: "TEACHER", First: s, Second: other, index: i})
			}
		}
	}
	return refuseClashes(found, func(i int) string { return field(i, "substituteTeacherId") })
}

// writeSubstitutions writes what was checked, and tells the teachers. One that is as it was leaves no trace.
func writeSubstitutions(c api.Ctx, list []SubstitutionFields, lessons map[uuid.UUID]Slot) ([]Substitution, error) {
	var before []Substitution
	if err := c.DB.Where("date = ? and slot_id in ?", list[0].Date, slices.Collect(maps.Keys(lessons))).Find(&before).Error; err != nil {
		return nil, fmt.Errorf("reading substitutions: %w", err)
	}
	was := map[uuid.UUID]Substitution{}
	for _, s := range before {
		was[s.SlotID] = s
	}
	out := make([]Substitution, len(list))
	var rows []Substitution
	for i, r := range list {
		old, there := was[r.SlotID]
		if there && old.SubstitutionFields == r {
			out[i] = old
			continue
		}
		out[i] = Substitution{ID: api.NewID(), SubstitutionFields: r, CreatedBy: &c.User.ID, CreatedAt: c.Now}
		if there {
			out[i].ID = old.ID
		}
		rows = append(rows, out[i])
	}
	if rows == nil {
		c.Unchanged()
		return out, nil
	}
	err := c.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "slot_id"}, {Name: "date"}},
		DoUpdates: clause.AssignmentColumns([]string{"substitute_teacher_id", "note", "created_by", "created_at"}),
	}).Create(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("writing substitutions: %w", err)
	}
	var given, taken []Substitution
	for _, s := range rows {
		old, there := was[s.SlotID]
		c.Changed("create", "substitution", s.ID, nil, s)
		if there && old.SubstituteTeacherID == s.SubstituteTeacherID {
			continue
		}
		if given = append(given, s); there {
			taken = append(taken, old)
		}
	}
	if err := tellSubstitutes(c, "substitution.given", given, lessons); err != nil {
		return nil, err
	}
	return out, tellSubstitutes(c, "substitution.taken", taken, lessons)
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
	if err := api.Erase[Substitution](c, "substitution", s.ID); err != nil {
		return err
	}
	return tellTaken(c, []Substitution{s}, found)
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
