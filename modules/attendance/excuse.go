package attendance

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// SchoolDays counts the days from one to another on which the school is open: for a
// student, those on which they sit in a division whose class has school; for the zero
// id, those of the whole school.
func (m *Module) SchoolDays(c api.Ctx, student uuid.UUID, from, to api.Date) (int, error) {
	calendar, holidays := reading(c, from, to)
	if student == uuid.Nil {
		if err := tenancy.Pipeline(c.DB, holidays); err != nil {
			return 0, fmt.Errorf("reading the calendar: %w", err)
		}
		return calendar.openDays(uuid.Nil, uuid.Nil, from, to), nil
	}
	days, err := schoolDays(c, calendar, holidays, student, from, to)
	return len(days), err
}

// daySeat is a student's day at school.
type daySeat struct {
	Date                api.Date
	DivisionID, ClassID uuid.UUID
	FirstName, LastName string
}

func schoolDays(c api.Ctx, calendar *calendar, holidays tenancy.Query, student uuid.UUID, from, to api.Date) ([]daySeat, error) {
	var found, open []daySeat
	err := tenancy.Pipeline(c.DB, holidays, tenancy.Query{SQL: `select day::date as date, e.division_id, e.class_id, s.first_name, s.last_name
		from generate_series($2::date::timestamp, $3::date::timestamp, '1 day') as day
		join enrolment e on e.student_id = $1 and e.start_date <= day and (e.end_date is null or e.end_date >= day)
		join student s on s.id = e.student_id order by day`, Args: []any{student, from, to}, Scan: tenancy.Collect(&found)})
	if err != nil {
		return nil, fmt.Errorf("reading a student's school days: %w", err)
	}
	for _, d := range found {
		if calendar.off(d.ClassID, d.DivisionID, d.Date) == "" {
			open = append(open, d)
		}
	}
	return open, nil
}

// Excuse shows an approved leave: LEAVE on the student's school days from one to
// another. Someone who was seen at school stays as they were marked; an absence turns
// into the leave it was.
func (m *Module) Excuse(c api.Ctx, leave, student uuid.UUID, from, to api.Date, halfDay bool) error {
	// Markers of the divisions wait, as they do for each other.
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select d.id from division d where d.id in (
			select e.division_id from enrolment e where e.student_id = $1 and e.start_date <= $3 and (e.end_date is null or e.end_date >= $2))
		order by d.id for no key update`, Args: []any{student, from, to}})
	if err != nil {
		return fmt.Errorf("holding a student's divisions: %w", err)
	}
	calendar, holidays := reading(c, from, to)
	days, err := schoolDays(c, calendar, holidays, student, from, to)
	if err != nil {
		return err
	}
	var marks []Mark
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select ` + markColumns +
		` from attendance a where a.student_id = $1 and a.date between $2 and $3 order by a.date`,
		Args: []any{student, from, to}, Scan: tenancy.Collect(&marks)})
	if err != nil {
		return fmt.Errorf("reading a student's marks: %w", err)
	}
	known := make(map[api.Date]*Mark, len(marks))
	for i := range marks {
		known[marks[i].Date] = &marks[i]
	}
	var changes []change
	for _, d := range days {
		ch := change{was: known[d.Date], name: roster.FullName(d.FirstName, d.LastName), Mark: Mark{
			ID: api.NewID(), StudentID: student, DivisionID: d.DivisionID, Date: d.Date, Status: "LEAVE", Source: "LEAVE", LeaveID: &leave,
			HalfDay:  halfDay,
			MarkedBy: c.User.ID, MarkedAt: c.Now, Version: 1,
		}}
		if ch.was != nil {
			if ch.was.Status != "ABSENT" {
				continue
			}
			ch.ID, ch.Version, ch.Remark = ch.was.ID, ch.was.Version+1, ch.was.Remark
		}
		changes = append(changes, ch)
	}
	if len(changes) == 0 {
		return nil
	}
	write(c, changes, "")
	if err := tellParents(c, changes, 0); err != nil {
		return err
	}
	excused := make([]api.Date, len(changes))
	for i, ch := range changes {
		excused[i] = ch.Date
	}
	c.Changed("excuse", "attendance", student, nil, map[string]any{"leaveId": leave, "dates": excused})
	c.Tell(events.Fact{Kind: "attendance.excused", Data: map[string]any{"studentId": student, "leaveId": leave, "dates": excused}})
	return nil
}

// Unexcuse takes back what an approved leave wrote, and nothing that a person marked.
func (m *Module) Unexcuse(c api.Ctx, leave, student uuid.UUID) error {
	var dates []struct{ Date api.Date }
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `with gone as (
			delete from attendance where leave_id = $1 and source = 'LEAVE' returning *),
		kept as (
			insert into attendance_revision (attendance_id, version, student_id, date, status, late_minutes, remark, source, leave_id, half_day,
			reason, marked_by, marked_at, replaced_by, replaced_at)
			select id, version, student_id, date, status, late_minutes, remark, source, leave_id, half_day, reason, marked_by, marked_at, $2, $3
			from gone)
		select date from gone order by date`, Args: []any{leave, c.User.ID, c.Now}, Scan: tenancy.Collect(&dates)})
	if err != nil {
		return fmt.Errorf("taking a leave's days back: %w", err)
	}
	if len(dates) == 0 {
		return nil
	}
	days := make([]api.Date, len(dates))
	for i, d := range dates {
		days[i] = d.Date
	}
	c.Changed("unexcuse", "attendance", student, map[string]any{"leaveId": leave, "dates": days}, nil)
	c.Tell(events.Fact{Kind: "attendance.unexcused", Data: map[string]any{"studentId": student, "leaveId": leave, "dates": days}})
	return nil
}
