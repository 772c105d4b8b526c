package attendance

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

// tellHolidaysAhead is how many days before a holiday its notice is sent: for a year's holidays, entered at once, they are
// sent one after another.
const tellHolidaysAhead = 14

// HolidayNear is the fact that it is time to tell people of a holiday. Its data is holidayNear.
const HolidayNear = "holiday.near"

// holidayNear is a holiday as it was when the fact was written: one that was changed since has a fact of its own.
type holidayNear struct {
	HolidayID uuid.UUID `json:"holidayId"`
	StartDate api.Date  `json:"startDate"`
	EndDate   api.Date  `json:"endDate"`
}

// selectConcerned are those a holiday from $1 to $2 is about: of the school ($3), the classes $4 or the divisions $5 the students
// on one of these days, and the teachers: all of them, or those who hold lessons there.
var selectConcerned = notice.SelectConcerned(notice.ConcernedStudents+`($3 or exists (select from enrolment n where n.student_id = s.id
		and n.start_date <= $2 and (n.end_date is null or n.end_date >= $1) and (n.class_id = any($4::uuid[])
			or n.division_id = any($5::uuid[]))))`,
	notice.ConcernedTeachers+`($3 or exists (select from timetable_slot l left join student_group_division y on y.group_id = l.group_id
		join division d on d.id = coalesce(l.division_id, y.division_id)
		where l.teacher_id = e.id and (d.class_id = any($4) or d.id = any($5))))`)

func (h *Holiday) concerned(db *gorm.DB) ([]notice.Concerned, error) {
	var people []notice.Concerned
	err := tenancy.Pipeline(db,
		tenancy.Query{SQL: selectConcerned, Args: []any{h.StartDate, h.EndDate, h.AllClasses, h.ClassIDs, h.DivisionIDs},
			Scan: tenancy.Collect(&people)})
	if err != nil {
		return nil, fmt.Errorf("reading whom a holiday concerns: %w", err)
	}
	return people, nil
}

// isNear reports whether people are to know of the holiday on a day.
func (h *Holiday) isNear(today api.Date) bool {
	return !today.AddDays(tellHolidaysAhead).Before(h.StartDate)
}

// notices tell people of a holiday, as it is and as it was. One that begins soon closes the school: they are told by the rule
// for what is urgent.
func (h *Holiday) notices(text string, people []notice.Concerned, before *Holiday, school *tenancy.School, now time.Time) []notice.Notice {
	day := h.EndDate
	if day.Before(before.EndDate) {
		day = before.EndDate
	}
	begins := notice.Earlier(h.StartDate.In(school.Location()), before.StartDate.In(school.Location()))
	return notice.ToEach(people, notice.Notice{
		Type: notice.Event, Key: fmt.Sprintf("%s:%s:%d", text, h.ID, now.UnixNano()), RecordID: h.ID, Day: day,
		Begins: begins, Alarm: notice.IsSoon(now, begins),
		Text: notice.Text{Name: text, Values: notice.Values{"name": h.Name, "days": h.days(), "before": before.days(),
			"who": notice.Text{Name: "who.staff"}}},
	})
}

func (h *Holiday) days() notice.Text {
	return notice.Days(notice.On(h.StartDate), notice.On(h.EndDate))
}

// tellHoliday tells those concerned that a holiday was declared, changed or taken back; nil: there was, or is, none. For one that is
// far ahead the notice is sent when it is near.
func tellHoliday(c api.Ctx, before, after *Holiday) error {
	var was, is []notice.Concerned
	var err error
	if before != nil && before.isNear(c.Today()) {
		if was, err = before.concerned(c.DB); err != nil {
			return err
		}
	}
	switch {
	case after == nil:
	case after.isNear(c.Today()):
		if is, err = after.concerned(c.DB); err != nil {
			return err
		}
	default:
		c.Tell(events.Fact{Kind: HolidayNear, Data: holidayNear{after.ID, after.StartDate, after.EndDate}, DueAt: after.nearAt(c.School)})
	}
	joined, stayed, left := notice.Compare(was, is)
	if after != nil {
		notice.Send(c, after.notices("holiday.declared", joined, after, c.School, c.Now)...)
		if before != nil && (before.StartDate != after.StartDate || before.EndDate != after.EndDate) {
			notice.Send(c, after.notices("holiday.moved", stayed, before, c.School, c.Now)...)
		}
	}
	if before != nil {
		notice.Send(c, before.notices("holiday.withdrawn", left, before, c.School, c.Now)...)
	}
	return nil
}

func (h *Holiday) nearAt(school *tenancy.School) time.Time {
	return h.StartDate.AddDays(-tellHolidaysAhead).In(school.Location())
}

// listen tells people of a holiday that was entered long before.
func (m *Module) listen(bus *events.Bus) {
	bus.On(HolidayNear, "attendance", func(ctx context.Context, heard events.Heard) error {
		var near holidayNear
		if err := heard.Read(&near); err != nil {
			return err
		}
		return api.InSchool(ctx, m.Schools, heard.SchoolID, func(db *gorm.DB, school *tenancy.School) error {
			return near.tell(db, school, heard.IsSilent())
		})
	})
}

// tell tells of the holiday, unless it was moved since: then it has a fact of its own.
func (n holidayNear) tell(db *gorm.DB, school *tenancy.School, silent bool) error {
	found := []Holiday{}
	if err := db.Where("id = ? and start_date = ? and end_date = ?", n.HolidayID, n.StartDate, n.EndDate).Find(&found).Error; err != nil {
		return fmt.Errorf("reading a holiday: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	if err := nameClasses(db, found); err != nil {
		return err
	}
	h := &found[0]
	people, err := h.concerned(db)
	if err != nil {
		return err
	}
	return notice.SendIn(db, school, h.nearAt(school), silent,
		h.notices("holiday.declared", people, h, school, h.nearAt(school))...)
}
