package timetable

import (
	"fmt"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
)

// calendar writes a feed: every lesson of the week, repeated until the year ends, without
// the holidays, and the days on which someone else holds it.
func (m *Module) calendar(c api.Ctx, feed CalendarFeed) ([]byte, error) {
	from, until, err := calendarSpan(c)
	if err != nil {
		return nil, err
	}
	b := calendarWriter{place: c.School.Location(), from: from, until: until, now: c.Now, cal: ics.NewCalendarFor("homeroom")}
	b.closed = func(uuid.UUID, uuid.UUID, api.Date) string { return "" }
	if m.Closed != nil {
		if b.closed, err = m.Closed(c.DB, from, until); err != nil {
			return nil, err
		}
	}
	b.cal.SetMethod(ics.MethodPublish)
	b.cal.SetName(c.School.Name + " timetable")
	b.cal.SetXWRCalName(c.School.Name + " timetable")
	b.cal.SetXWRTimezone(b.place.String())
	b.cal.SetXPublishedTTL("PT1H")
	b.timezone()
	if feed.StudentID != nil {
		err = b.child(c, *feed.StudentID)
	} else {
		err = b.teacher(c)
	}
	return []byte(b.cal.Serialize()), err
}

// calendarSpan is the active year; before there is one, or if it has no sensible end, a year from this week.
func calendarSpan(c api.Ctx) (from, until api.Date, err error) {
	var years []roster.AcademicYear
	if err := c.DB.Where("active").Find(&years).Error; err != nil {
		return from, until, fmt.Errorf("looking for the active year: %w", err)
	}
	if len(years) == 1 && !years[0].StartDate.AddDays(roster.LongestYear).Before(years[0].EndDate) {
		return years[0].StartDate, years[0].EndDate, nil
	}
	from = c.Today().AddDays(1 - weekday(c.Today()))
	return from, from.AddDays(365), nil
}

type calendarWriter struct {
	cal         *ics.Calendar
	place       *time.Location
	from, until api.Date
	now         time.Time
	closed      func(class, division uuid.UUID, day api.Date) string
}

const localTime = "20060102T150405"

// teacher writes a teacher's lessons without the days others hold them, and the days
// they hold others'.
func (b *calendarWriter) teacher(c api.Ctx) error {
	e, err := roster.CallingEmployee(c)
	if err != nil {
		return err
	}
	own, err := slots(c, "s.teacher_id = ?", e)
	if err != nil {
		return err
	}
	changes, err := standIns(c, b.from, b.until, "(s.teacher_id = ? or x.substitute_teacher_id = ?)", e, e)
	if err != nil {
		return err
	}
	away := map[uuid.UUID][]standIn{}
	for _, x := range changes {
		if b.isOff(x.Slot, x.Date) {
			continue
		}
		if *x.SubstituteTeacherID == e {
			event := b.event(fmt.Sprintf("%s-%s", x.ID, x.Date), x.Slot, x.Date)
			event.SetDescription("In place of " + x.TeacherName)
			continue
		}
		away[x.ID] = append(away[x.ID], x)
	}
	for _, s := range own {
		if event := b.weekly(s); event != nil {
			for _, x := range away[s.ID] {
				b.except(event, s, x.Date)
			}
		}
	}
	return nil
}

// child writes the lessons of the division the student sits in now, and of their groups. A day on which
// someone else teaches says so.
func (b *calendarWriter) child(c api.Ctx, student uuid.UUID) error {
	if err := roster.MayView(c, student); err != nil {
		return err
	}
	division, err := roster.DivisionOn(c.DB, student, c.Today())
	if err != nil {
		return err
	}
	list, err := slots(c, ofStudentOn, division, student, division, c.Today(), c.Today())
	if err != nil {
		return err
	}
	changes, err := standIns(c, b.from, b.until, ofStudentOn, division, student, division, c.Today(), c.Today())
	if err != nil {
		return err
	}
	for _, s := range list {
		if event := b.weekly(s); event != nil && s.TeacherName != "" {
			event.SetDescription(s.TeacherName)
		}
	}
	for _, x := range changes {
		if b.isOff(x.Slot, x.Date) {
			continue
		}
		event := b.event(x.ID.String(), x.Slot, x.Date)
		event.AddProperty(ics.ComponentPropertyRecurrenceId, x.StartTime.On(x.Date, b.place).Format(localTime), ics.WithTZID(b.place.String()))
		event.SetDescription(x.SubstituteTeacherName + " in place of " + x.TeacherName)
	}
	return nil
}

// isOff reports whether nobody of a lesson has school on a day.
func (b *calendarWriter) isOff(s Slot, day api.Date) bool { return isOff(b.closed, s, day) }

// isOff reports whether all divisions of a lesson have the day off.
func isOff(closed func(class, division uuid.UUID, day api.Date) string, s Slot, day api.Date) bool {
	for _, p := range s.Places {
		if closed(p.ClassID, p.DivisionID, day) == "" {
			return false
		}
	}
	return true
}

// except takes a day out of a lesson's weeks.
func (b *calendarWriter) except(event *ics.VEvent, s Slot, day api.Date) {
	event.AddExdate(s.StartTime.On(day, b.place).Format(localTime), ics.WithTZID(b.place.String()))
}

// weekly adds a lesson on its first day and every week after, holidays excepted; nil if
// it has no day.
func (b *calendarWriter) weekly(s Slot) *ics.VEvent {
	first := b.from.AddDays((s.DayOfWeek - weekday(b.from) + 7) % 7)
	if b.until.Before(first) {
		return nil
	}
	event := b.event(s.ID.String(), s, first)
	end := b.until.AddDays(1).In(b.place).Add(-time.Second).UTC()
	event.AddRrule("FREQ=WEEKLY;UNTIL=" + end.Format(localTime) + "Z")
	for day := first; !b.until.Before(day); day = day.AddDays(7) {
		if b.isOff(s, day) {
			b.except(event, s, day)
		}
	}
	return event
}

func (b *calendarWriter) event(id string, s Slot, day api.Date) *ics.VEvent {
	event := b.cal.AddEvent(id + "@homeroom")
	event.SetDtStampTime(b.now)
	zone := ics.WithTZID(b.place.String())
	event.SetProperty(ics.ComponentPropertyDtStart, s.StartTime.On(day, b.place).Format(localTime), zone)
	event.SetProperty(ics.ComponentPropertyDtEnd, s.EndTime.On(day, b.place).Format(localTime), zone)
	event.SetSummary(s.SubjectName + " · " + s.whose())
	if s.Room != "" {
		event.SetLocation(s.Room)
	}
	return event
}

// timezone says how far the school's clocks are from UTC, and when that changes.
// Programs that do not know the zone by its name go by it.
func (b *calendarWriter) timezone() {
	zone := b.cal.AddTimezone(b.place.String())
	last := b.until.AddDays(1).In(b.place)
	for t := b.from.In(b.place); ; {
		start, end := t.ZoneBounds()
		name, offset := t.Zone()
		before, began := offset, time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
		if !start.IsZero() {
			_, before = start.Add(-time.Second).Zone()
			began = start.UTC().Add(time.Duration(before) * time.Second) // as the clocks showed before
		}
		var part ics.Component = &ics.Standard{}
		base := &part.(*ics.Standard).ComponentBase
		if t.IsDST() {
			daylight := &ics.Daylight{}
			part, base = daylight, &daylight.ComponentBase
		}
		base.SetProperty(ics.ComponentPropertyDtStart, began.Format(localTime))
		base.SetProperty(ics.ComponentProperty(ics.PropertyTzoffsetfrom), utcOffset(before))
		base.SetProperty(ics.ComponentProperty(ics.PropertyTzoffsetto), utcOffset(offset))
		base.SetProperty(ics.ComponentProperty(ics.PropertyTzname), name)
		zone.Components = append(zone.Components, part)
		if end.IsZero() || end.After(last) {
			return
		}
		t = end
	}
}

func utcOffset(seconds int) string {
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	return fmt.Sprintf("%c%02d%02d", sign, seconds/3600, seconds%3600/60)
}
