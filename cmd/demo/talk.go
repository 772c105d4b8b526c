package demo

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
)

// What moves with the days is done while there is some of it around today; in a folder that is used later, more is added.
const (
	daysOffDone  = `exists (select from holiday where name = '` + lastHoliday + `')`
	messagesDone = `exists (select from message)`

	lastHoliday      = "Term holidays"
	lastEvent        = "Annual concert"
	lastAnnouncement = "Staff meeting on Monday"
)

func eventsDone(today api.Date) string {
	return fmt.Sprintf(`exists (select from event where title = '%s') and exists (select from event where event_date >= '%s')`,
		lastEvent, today)
}

// leaveDone counts leave that is over for a week as being around: the office may have decided all that waited.
func leaveDone(today api.Date) string {
	return fmt.Sprintf(`exists (select from leave where to_date >= '%s')`, today.AddDays(-7))
}

// announcementsDone goes by the day one was meant for: what waited while nothing ran is published late, and is no news.
func announcementsDone(today api.Date) string {
	return fmt.Sprintf(`exists (select from announcement where title = '%s')
		and exists (select from announcement where coalesce(publish_at, published_at) >= '%s')`, lastAnnouncement, today.AddDays(-14))
}

// addDaysOff adds holidays to come: what was marked stays.
func (b *builder) addDaysOff(ctx context.Context) error {
	b.at(b.today, 8, 0, b.latest)
	for _, h := range []struct {
		name     string
		from, to int
	}{{"Founders' day", 16, 16}, {lastHoliday, 40, 49}} {
		if _, err := findOrMake(ctx, b, "/school-admin/attendance/holiday/", h.name, fields{"startDate": b.today.AddDays(h.from),
			"endDate": b.today.AddDays(h.to)}); err != nil {
			return err
		}
	}
	return nil
}

// schoolDay is the first day from a number of days after today on that is no weekend.
func (b *builder) schoolDay(days int) api.Date {
	day := b.today.AddDays(days)
	for slices.Contains(b.school.WeekendDays, int16(day.In(utc).Weekday())) {
		day = day.AddDays(1)
	}
	return day
}

// occasion is an event, by days from the day it is added.
type occasion struct {
	title, from, to, venue string
	days, capacity         int
}

// occasions are the first events, and further those that are added later, some at a time and again from the beginning.
var (
	occasions = []occasion{{"Science fair", "10:00", "15:00", "Laboratories", -12, 60},
		{"Sports day", "09:00", "13:00", "School ground", 6, 200}, {"Parents' meeting", "16:30", "18:00", "Main hall", 11, 0},
		{lastEvent, "17:00", "19:30", "Auditorium", 27, 400}}
	further = []occasion{{"Book fair", "10:00", "16:00", "Library", 5, 0}, {"Quiz evening", "17:00", "18:30", "Main hall", 12, 120},
		{"Art exhibition", "11:00", "15:00", "Art room", 26, 0}, {"Health camp", "09:00", "12:00", "Main hall", 5, 300},
		{"Tree planting", "08:30", "10:00", "School ground", 12, 80}, {"Talent show", "16:00", "18:30", "Auditorium", 26, 400}}
)

// eventsAtOnce is how many further events are added.
const eventsAtOnce = 3

// addEvents adds what is planned, and what was; later what is planned then.
func (b *builder) addEvents(ctx context.Context) error {
	type event struct{ Title string }
	there, err := list[event](ctx, b.office, "/school-admin/event/list", nil)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(occasions), func(o occasion) bool { return slices.Contains(there, event{o.title}) })
	if len(missing) == 0 {
		for i := range eventsAtOnce {
			missing = append(missing, further[(len(there)-len(occasions)+i)%len(further)])
		}
	}
	for _, e := range missing {
		b.at(b.today.AddDays(min(0, e.days)-14), 11, 0, b.latest)
		with := fields{"title": e.title, "eventDate": b.schoolDay(e.days), "startTime": e.from, "endTime": e.to, "venue": e.venue}
		if e.capacity > 0 {
			with["capacity"] = e.capacity
		}
		if err := b.post(ctx, "/school-admin/event/create", with, nil); err != nil {
			return err
		}
	}
	return nil
}

// guardian is a parent of the plan's, as the school has them.
type guardian struct {
	UserID, StudentID uuid.UUID
	Phone             string
}

// guardians finds those of some students.
func (b *builder) guardians(numbers ...string) ([]guardian, error) {
	var found []guardian
	err := b.db.Raw(`select g.user_id, s.id as student_id, g.phone from student s join student_guardian t on t.student_id = s.id
		join guardian g on g.id = t.guardian_id where t.is_primary and s.admission_number in ? order by s.admission_number`, numbers).
		Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("looking for guardians: %w", err)
	}
	return found, nil
}

// askLeave has parents and a teacher ask for leave, most of which waits to be decided.
func (b *builder) askLeave(ctx context.Context) error {
	var asked int
	if err := b.db.Raw(`select count(*) from leave`).Scan(&asked).Error; err != nil {
		return fmt.Errorf("looking for leave: %w", err)
	}
	families, _ := b.plan.people()
	var numbers []string
	for i := 7 + asked*5; len(numbers) < 5; i += len(families) / 6 { // later it is others
		numbers = append(numbers, families[i%len(families)].children[0].number)
	}
	parents, err := b.guardians(numbers...)
	if err != nil {
		return err
	}
	leaves := []struct {
		kind     string
		from, to int
		reason   string
	}{{"SICK", 1, 3, "Viral fever. The doctor advised rest for three days."}, {"CASUAL", 4, 5, "A cousin's wedding"},
		{"CASUAL", 8, 8, "A family function"}, {"EMERGENCY", 1, 1, "We have to travel to see a grandparent"},
		{"SICK", 2, 2, "A dentist's appointment"}}
	b.at(b.today, 8, 20, b.latest)
	for i, l := range leaves[:min(len(leaves), len(parents))] {
		var made struct{ ID uuid.UUID }
		if err := b.call(ctx, b.as(parents[i].UserID, api.Parent), "POST", "/parent/leave/apply", fields{"studentId": parents[i].StudentID,
			"leaveType": l.kind, "fromDate": b.schoolDay(l.from), "toDate": b.schoolDay(max(l.to, l.from)), "reason": l.reason},
			&made); refused(err) || answered(err, http.StatusConflict) {
			continue // they are away already, or nobody is there: holidays
		} else if err != nil {
			return err
		}
		if i == 2 {
			if err := b.post(ctx, "/school-admin/leave/decide", fields{"leaveId": made.ID, "status": "APPROVED", "note": "Enjoy"},
				nil); err != nil {
				return err
			}
		}
	}
	if t := b.staff[b.plan.classTeacher(1)]; t != nil && t.UserID != nil {
		err := b.call(ctx, b.as(*t.UserID, api.Teacher), "POST", "/teacher/leave/apply", fields{"leaveType": "CASUAL",
			"fromDate": b.schoolDay(5), "toDate": b.schoolDay(5), "reason": "Moving house"}, nil)
		if err != nil && !refused(err) && !answered(err, http.StatusConflict) {
			return err
		}
	}
	return nil
}

// writeMessages has the parent who can sign in write with the class teacher, and others with the office.
func (b *builder) writeMessages(ctx context.Context) error {
	families, _ := b.plan.people()
	at := slices.IndexFunc(families, func(f *family) bool { return f.phone == b.plan.parentPhone() })
	numbers := []string{families[at].children[0].number, families[at].children[1].number}
	for i := 3; i < len(families); i += len(families) / 4 {
		numbers = append(numbers, families[i].children[0].number)
	}
	parents, err := b.guardians(numbers...)
	if err != nil || len(parents) == 0 {
		return err
	}
	class, division := b.plan.teachersSeat()
	teacher := b.staff[b.plan.classTeacher(class*len(b.plan.divisions)+division)]
	own := b.students[families[at].children[0].number]
	for _, p := range parents {
		switch {
		case p.Phone == b.plan.parentPhone() && own != nil && p.StudentID == own.ID && teacher != nil && teacher.UserID != nil:
			b.at(b.today.AddDays(-1), 17, 10, b.latest)
			var first struct{ ThreadID uuid.UUID }
			if err := b.call(ctx, b.as(p.UserID, api.Parent), "POST", "/parent/message/send", fields{"recipientIds": []uuid.UUID{*teacher.UserID},
				"studentId": p.StudentID, "subject": "The trip to the museum", "body": "At what time does the bus leave on Thursday?"},
				&first); err != nil {
				return err
			}
			b.at(b.today.AddDays(-1), 18, 5, b.latest)
			if err := b.call(ctx, b.as(*teacher.UserID, api.Teacher), "POST", "/teacher/message/send", fields{"threadId": first.ThreadID,
				"body": "At eight, from the main gate. Please send a water bottle along."}, nil); err != nil {
				return err
			}
		case p.Phone != b.plan.parentPhone():
			b.at(b.today.AddDays(-2), 12, 30, b.latest)
			if err := b.call(ctx, b.as(p.UserID, api.Parent), "POST", "/parent/message/send", fields{"toOffice": true, "studentId": p.StudentID,
				"subject": "Fee receipt", "body": "Could you send us the receipt of the first term once more? Thank you."}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// saying is an announcement.
type saying struct {
	title, body, audience string
	days                  int // before the day it is added; below zero it is to come
	draft                 bool
}

// sayings are the first announcements, and news those that are added later, one at a time and again from the beginning.
var (
	sayings = []saying{
		{"Half-yearly results are out", "Report cards are in the app, under Results.", "PARENTS", 9, false},
		{"School closes at noon on Friday", "There is an inspection of the building. Buses leave at 12:15.", "PARENTS", 1, false},
		{"Sports day", "Bring water and a hat. Gates open at half past eight.", "ALL", -3, false},
		{lastAnnouncement, "At four, in the library.", "TEACHERS", 0, true},
	}
	news = []saying{
		{"New books in the library", "Forty new titles have come. Children may borrow two at a time.", "PARENTS", 1, false},
		{"Winter timetable", "From Monday on, school begins at nine.", "ALL", 2, false},
		{"The canteen has a new menu", "It hangs at the gate, and is on the notice board.", "PARENTS", 1, false},
	}
)

// announce publishes announcements, has one published later, and leaves a draft; later it publishes what is new then.
func (b *builder) announce(ctx context.Context) error {
	type announcement struct{ Title string }
	there, err := list[announcement](ctx, b.office, "/school-admin/announcement/list", nil)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(sayings), func(s saying) bool { return slices.Contains(there, announcement{s.title}) })
	if len(missing) == 0 {
		missing = append(missing, news[(len(there)-len(sayings))%len(news)])
	}
	for _, a := range missing {
		b.at(b.today.AddDays(-max(0, a.days)), 13, 0, b.latest)
		with := fields{"title": a.title, "body": a.body, "targetAudience": a.audience}
		if a.days < 0 {
			with["publishAt"] = b.latest.AddDate(0, 0, -a.days)
		}
		var made struct{ ID uuid.UUID }
		if err := b.post(ctx, "/school-admin/announcement/create", with, &made); err != nil {
			return err
		}
		if a.days >= 0 && !a.draft {
			if err := b.post(ctx, "/school-admin/announcement/"+made.ID.String()+"/publish", nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
