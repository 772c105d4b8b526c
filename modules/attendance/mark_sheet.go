package attendance

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// markSheet is a division on a day, as those who mark it find it.
type markSheet struct {
	frame
	of       string                 // whose roster it is, as Class 5 A
	off      string                 // what keeps the division at home that day
	students map[uuid.UUID]seat     // who is on the roster
	marks    map[uuid.UUID]Mark     // of those named who have one
	leaves   map[uuid.UUID]leaveDay // of those named, whose approved leave covers the day, and which
}

// frame is what is asked of a division before anything of it is marked or shown.
type frame struct {
	DivisionID   uuid.UUID `json:"divisionId"`
	DivisionName string    `json:"divisionName"`
	ClassID      uuid.UUID `json:"classId"`
	ClassName    string    `json:"className"`
	AttendanceBy string    `json:"attendanceBy" enum:"DAY,PERIOD" doc:"PERIOD where lessons have registers of their own"`
	YearStart    *api.Date `json:"-"`
	YearEnd      *api.Date `json:"-"`
	Delay        int       `json:"-"` // minutes a notice waits
	// Teachers may mark a day until the cut-off, or the end, of the day this many days later.
	TeacherDays int          `json:"-"`
	CutOff      roster.Clock `json:"-"`
}

// leaveDay is a student's approved leave of the day.
type leaveDay struct {
	ID, StudentID uuid.UUID
	HalfDay       bool
}

// seat is a student on the roster, and where they sit.
type seat struct {
	ID         uuid.UUID
	DivisionID uuid.UUID
	FirstName  string
	LastName   string
}

const selectFrame = `select d.id as division_id, d.name as division_name, d.class_id, k.name as class_name,
		y.start_date as year_start, y.end_date as year_end, s.attendance_notice_delay_minutes as delay,
		s.attendance_by, s.attendance_teacher_days as teacher_days, coalesce(to_char(s.attendance_cut_off, 'HH24:MI'), '') as cut_off
	from division d join class k on k.id = d.class_id cross join school_setting s left join academic_year y on y.active
	where d.id = any($1) order by d.id`

// onRoster holds for the enrolment e of the student s in the divisions $1 on the day $2; one who
// has been removed since is on the rosters of days past ($3).
const onRoster = `e.division_id = any($1) and ` + onRosterThen

// onRosterOfOne is onRoster where $1 is a single division: a list that Postgres does not know it takes for ten divisions, for
// whom it reads all students of the school.
const onRosterOfOne = `e.division_id = ($1::uuid[])[1] and ` + onRosterThen

const onRosterThen = `e.start_date <= $2 and (e.end_date is null or e.end_date >= $2) and (s.deleted_at is null or $3)`

const markColumns = `a.id, a.student_id, a.division_id, a.date, a.status, a.late_minutes, a.remark, a.source, a.leave_id, a.half_day,
	a.marked_by, a.marked_at, a.version`

// lockSheet reads a division's day and locks it, of these students.
func lockSheet(c api.Ctx, r MarkFields) (*markSheet, error) {
	ids := make([]uuid.UUID, len(r.Records))
	for i, record := range r.Records {
		ids[i] = record.StudentID
	}
	return lockDivisions(c, []uuid.UUID{r.DivisionID}, r.Date, ids)
}

// lockDivisions reads the day of divisions and locks it: a division's row lets one marker in
// at a time without being in the way of anybody who only refers to it.
func lockDivisions(c api.Ctx, divisions []uuid.UUID, day api.Date, ids []uuid.UUID) (*markSheet, error) {
	s := &markSheet{students: make(map[uuid.UUID]seat, len(ids)), marks: make(map[uuid.UUID]Mark), leaves: make(map[uuid.UUID]leaveDay)}
	var frames []frame
	var leaves []leaveDay
	calendar, holidays := reading(c, day, day)
	holidays.ForceGenericPlan = true // as the others around it
	seated := onRoster
	if len(divisions) == 1 {
		seated = onRosterOfOne
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectFrame + ` for no key update of d`, Args: []any{divisions}, Scan: tenancy.Collect(&frames),
			ForceGenericPlan: true},
		holidays,
		tenancy.Query{SQL: `select s.id, e.division_id, s.first_name, s.last_name
			from enrolment e join student s on s.id = e.student_id where ` + seated,
			Args: []any{divisions, day, day.Before(c.Today())}, Scan: s.seat, ForceGenericPlan: true},
		tenancy.Query{SQL: `select ` + markColumns + ` from attendance a where a.student_id = any($1) and a.date = $2`, Args: []any{ids, day},
			Scan: s.mark, ForceGenericPlan: true},
		// Asked anew each time: the day may have been a day off when the leave was approved.
		tenancy.Query{SQL: `select id, student_id, half_day from leave where student_id = any($1) and status = 'APPROVED'
			and $2 between from_date and to_date`,
			Args: []any{ids, day}, Scan: tenancy.Collect(&leaves), ForceGenericPlan: true},
	)
	if err != nil {
		return nil, fmt.Errorf("reading a division's day: %w", err)
	}
	if len(frames) == 0 {
		return nil, api.NotFound("division")
	}
	s.frame, s.off = frames[0], calendar.off(frames[0].ClassID, frames[0].DivisionID, day)
	s.of = s.ClassName + " " + s.DivisionName
	for _, l := range leaves {
		s.leaves[l.StudentID] = l
	}
	return s, nil
}

// seat reads who is on the roster.
func (s *markSheet) seat(rows pgx.Rows) error {
	for rows.Next() {
		var one seat
		if err := rows.Scan(&one.ID, &one.DivisionID, &one.FirstName, &one.LastName); err != nil {
			return err
		}
		s.students[one.ID] = one
	}
	return rows.Err()
}

// mark reads the marks of those named who have one.
func (s *markSheet) mark(rows pgx.Rows) error {
	for rows.Next() {
		var m Mark
		if err := rows.Scan(&m.ID, &m.StudentID, &m.DivisionID, &m.Date, &m.Status, &m.LateMinutes, &m.Remark, &m.Source, &m.LeaveID, &m.HalfDay,
			&m.MarkedBy, &m.MarkedAt, &m.Version); err != nil {
			return err
		}
		s.marks[m.StudentID] = m
	}
	return rows.Err()
}

// check names everything that is wrong with the marks.
func (s *markSheet) check(c api.Ctx, r MarkFields) []api.Detail {
	var bad []api.Detail
	fail := func(field, format string, args ...any) {
		bad = append(bad, api.Wrong(field, format, args...))
	}
	switch {
	case c.Today().Before(r.Date):
		fail("date", "%s is in the future", r.Date)
	case s.YearStart == nil:
		fail("date", "no academic year is active")
	case r.Date.Before(*s.YearStart) || s.YearEnd.Before(r.Date):
		fail("date", "%s is not in the active academic year, %s to %s", r.Date, s.YearStart, s.YearEnd)
	case s.off != "" && (len(r.Records) == 0 || r.Records[0].Status != holidayStatus):
		fail("date", "%s is a day off: %s", r.Date, s.off)
	}
	off := 0
	seen := make(map[uuid.UUID]bool, len(r.Records))
	for i, record := range r.Records {
		wrong := func(field, format string, args ...any) {
			fail(fmt.Sprintf("records[%d].%s", i, field), format, args...)
		}
		if _, there := s.students[record.StudentID]; !there {
			wrong("studentId", "is not on the roster of %s on %s", s.of, r.Date)
		}
		if seen[record.StudentID] {
			wrong("studentId", "is named twice")
		}
		seen[record.StudentID] = true
		if record.Status == holidayStatus {
			off++
		}
		if record.LateMinutes != nil && record.Status != "LATE" {
			wrong("lateMinutes", "lateMinutes goes with LATE only")
		}
	}
	if off > 0 && (off < len(r.Records) || off < len(s.students)) {
		fail("records", "HOLIDAY is for the whole division: mark all %d students with it, or none", len(s.students))
	}
	return bad
}

// tooLate says why a teacher cannot mark a day any more; nothing while they can.
func (f frame) tooLate(c api.Ctx, day api.Date) []api.Detail {
	last := day.AddDays(f.TeacherDays)
	switch {
	case last.Before(c.Today()):
		return []api.Detail{api.Wrong("date", "date must be today or one of the %d days before; the office can correct older days",
			f.TeacherDays)}
	case last == c.Today() && f.CutOff != "" && !c.Now.Before(f.CutOff.On(last, c.School.Location())):
		return []api.Detail{api.Wrong("date", "teachers could mark %s until %s on %s; the office still can", day, f.CutOff, last)}
	}
	return nil
}

// refuseStale refuses marks that were made in sight of another mark than there is now,
// naming each, so that nobody overwrites what they have not seen.
func (s *markSheet) refuseStale(r MarkFields) error {
	var stale []api.Detail
	for i, record := range r.Records {
		if now := s.marks[record.StudentID]; record.Version != nil && *record.Version != now.Version {
			at := fmt.Sprintf("records[%d].version", i)
			if now.Status == "" {
				stale = append(stale, api.Wrong(at, "somebody took the mark back meanwhile"))
			} else {
				stale = append(stale, api.Wrong(at, "somebody marked %s meanwhile", now.Status))
			}
		}
	}
	if stale == nil {
		return nil
	}
	refusal := api.Conflict("Somebody else marked %d of these students meanwhile; nothing was saved", len(stale))
	refusal.Details = stale
	return refusal
}

// apply is a student's mark after a record, and whether the record changed it. The
// absence that an approved leave is about is that leave, marked or not; one who came
// anyway is marked as they came.
func (s *markSheet) apply(c api.Ctx, r MarkFields, record MarkRecord, source string) (change, bool) {
	one := s.students[record.StudentID]
	m := Mark{
		ID: api.NewID(), StudentID: record.StudentID, DivisionID: one.DivisionID, Date: r.Date, Status: record.Status,
		LateMinutes: record.LateMinutes,
		Remark:      record.Remark, Source: source, MarkedBy: c.User.ID, MarkedAt: c.Now, Version: 1,
	}
	name := roster.FullName(one.FirstName, one.LastName)
	was, there := s.marks[record.StudentID]
	if leave, away := s.leaves[record.StudentID]; away && (m.Status == "ABSENT" || m.Status == "LEAVE") {
		m.Status, m.Source, m.LeaveID, m.HalfDay = "LEAVE", "LEAVE", &leave.ID, leave.HalfDay
	}
	if !there {
		return change{Mark: m, name: name}, true
	}
	if was.says(m) || was.Source == "LEAVE" && record.Status == "ABSENT" {
		return change{Mark: was, was: &was, name: name}, false
	}
	m.ID, m.Version = was.ID, was.Version+1
	return change{Mark: m, was: &was, name: name}, true
}

// says reports whether two marks say the same, no matter who made them.
func (m Mark) says(o Mark) bool {
	same := m.Status == o.Status && m.Remark == o.Remark && (m.LateMinutes == nil) == (o.LateMinutes == nil)
	return same && (m.LateMinutes == nil || *m.LateMinutes == *o.LateMinutes)
}
