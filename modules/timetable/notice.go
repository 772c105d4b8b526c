package timetable

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/notice"
)

// tellTaken tells teachers that they need not hold lessons any more.
func tellTaken(c api.Ctx, list []Substitution, lessons []Slot) error {
	byID := map[uuid.UUID]Slot{}
	for _, s := range lessons {
		byID[s.ID] = s
	}
	return tellSubstitutes(c, "substitution.taken", list, byID)
}

// tellSubstitutes tells teachers of lessons that they hold for others, or hold no longer. Past days send nothing.
func tellSubstitutes(c api.Ctx, text string, list []Substitution, lessons map[uuid.UUID]Slot) error {
	var ids []uuid.UUID
	for _, s := range list {
		ids = append(ids, s.SubstituteTeacherID)
	}
	teachers, err := recordsByID(c, ids, func(e roster.Employee) uuid.UUID { return e.ID })
	if err != nil {
		return err
	}
	for _, s := range list {
		user := teachers[s.SubstituteTeacherID].UserID
		if user == nil || s.Date.Before(c.Today()) {
			continue
		}
		l := lessons[s.SlotID]
		until := s.Date.AddDays(1).In(c.School.Location())
		notice.Send(c, notice.Notice{
			Until: &until,
			Type:  notice.Timetable, Key: fmt.Sprintf("%s %s %s %d", text, s.ID, s.SubstituteTeacherID, c.Now.UnixNano()), RecordID: s.ID, UserID: user,
			Text: notice.Text{Name: text, Values: notice.Values{"subject": l.SubjectName, "whose": l.whose(), "date": notice.On(s.Date),
				"period": l.PeriodName, "from": l.StartTime, "to": l.EndTime, "note": s.Note}},
		})
	}
	return nil
}
