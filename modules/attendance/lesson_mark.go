package attendance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// LessonFields are the marks of one lesson.
type LessonFields struct {
	SlotID  uuid.UUID      `json:"slotId" validate:"required" doc:"The lesson's place in the timetable"`
	Date    api.Date       `json:"date" doc:"Today unless given"`
	Records []LessonRecord `json:"records" validate:"max=500,dive" doc:"The exceptions: everybody else on the roster is PRESENT, or LEAVE on an approved leave of the whole day"`
	Version *int           `json:"version" validate:"omitempty,min=0" doc:"As the register showed it, 0 for none: refused when somebody marked meanwhile. The last word counts unless given"`
}

// LessonRecord is one student's mark of a lesson.
type LessonRecord struct {
	StudentID   uuid.UUID `json:"studentId" validate:"required"`
	Status      string    `json:"status" validate:"required,oneof=PRESENT ABSENT LATE LEAVE"`
	LateMinutes *int      `json:"lateMinutes" validate:"omitempty,min=0,max=600" doc:"With LATE only"`
	Remark      string    `json:"remark" validate:"max=300"`
}

// OfficeLesson is a lesson marked by the office, which says why when the day is past.
type OfficeLesson struct {
	LessonFields
	Reason string `json:"reason" validate:"max=300" doc:"Needed for a day that is past"`
}

// LessonMarked is what a lesson's marks have become.
type LessonMarked struct {
	SlotID  uuid.UUID `json:"slotId"`
	Date    api.Date  `json:"date"`
	Version int       `json:"version"`
	Changed int       `json:"changed" doc:"How many marks are new or other than they were"`
	Counts
}

// lessonMark is a student's mark in one of the day's lessons.
type lessonMark struct {
	RegisterID  uuid.UUID
	SlotID      uuid.UUID
	Version     int
	StudentID   *uuid.UUID // nobody was on the roster of an empty register
	Status      string
	LateMinutes *int
	Remark      string
}

func (m lessonMark) says(o lessonMark) bool {
	return (Mark{Status: m.Status, Remark: m.Remark, LateMinutes: m.LateMinutes}).says(
		Mark{Status: o.Status, Remark: o.Remark, LateMinutes: o.LateMinutes})
}

func teacherMarksLesson(c api.Ctx, r LessonFields) (LessonMarked, error) {
	return markLesson(c, r, &c.User.ID, "", nil)
}

func officeMarksLesson(c api.Ctx, r OfficeLesson) (LessonMarked, error) {
	var bad []api.Detail
	if r.Reason = strings.TrimSpace(r.Reason); r.Reason == "" && !r.Date.IsZero() && r.Date.Before(c.Today()) {
		bad = append(bad, api.Detail{Field: "reason", Message: "reason is required for a day that is past"})
	}
	return markLesson(c, r.LessonFields, nil, r.Reason, bad)
}

// markLesson writes the register of a lesson as a whole, and what the day becomes by it. Those
// who mark lessons or the day of a division queue on its row, for a group on those of all its divisions.
func markLesson(c api.Ctx, r LessonFields, holder *uuid.UUID, reason string, bad []api.Detail) (LessonMarked, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	lesson, off, err := findLesson(c, r.SlotID, r.Date, holder)
	if err != nil {
		return LessonMarked{}, err
	}
	s, err := lockLesson(c, lesson, off, r)
	if err != nil {
		return LessonMarked{}, err
	}
	if s.AttendanceBy != "PERIOD" {
		return LessonMarked{}, api.Conflict("The school marks attendance by day: lessons have no registers of their own")
	}
	if holder != nil {
		bad = s.tooLate(c, r.Date)
	}
	day := MarkFields{Date: r.Date, Records: make([]MarkRecord, len(r.Records))}
	for i, record := range r.Records {
		day.Records[i] = MarkRecord{StudentID: record.StudentID, Status: record.Status, LateMinutes: record.LateMinutes, Remark: record.Remark}
	}
	if bad = append(bad, s.check(c, day)...); bad != nil {
		return LessonMarked{}, api.Invalid(bad...)
	}
	if r.Version != nil && *r.Version != s.version {
		return LessonMarked{}, api.Conflict("Somebody marked this lesson meanwhile: it is at version %d, you have %d; nothing was saved",
			s.version, *r.Version)
	}
	out := LessonMarked{SlotID: r.SlotID, Date: r.Date, Version: s.version}
	marks := s.lessonMarks(r)
	for _, m := range marks {
		out.add(m.Status, false)
		if was, there := s.before[*m.StudentID]; !there || !was.says(m) {
			out.Changed++
		}
	}
	if s.version > 0 && out.Changed == 0 && len(s.before) == len(marks) {
		return out, nil
	}
	out.Version++
	if err := s.writeLesson(c, lesson, r, marks); err != nil {
		return out, err
	}
	changes := s.dayChanges(c, day, marks)
	for _, division := range lesson.DivisionIDs {
		day.DivisionID = division
		of := slices.DeleteFunc(slices.Clone(changes), func(ch change) bool { return ch.DivisionID != division })
		if err := keep(c, day, of, reason, s.Delay); err != nil {
			return out, err
		}
	}
	return out, nil
}

// lessonSheet is the day of a lesson's students as those who mark the lesson find it.
type lessonSheet struct {
	*markSheet
	register uuid.UUID
	version  int
	before   map[uuid.UUID]lessonMark // of this lesson, by student
	lessons  []lessonMark             // of the day, of division and groups, by time
	order    []uuid.UUID              // the registers of the day, by time
}

func lockLesson(c api.Ctx, l Lesson, off string, r LessonFields) (*lessonSheet, error) {
	var ids []uuid.UUID
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id from enrolment e join student s on s.id = e.student_id where ` + inLesson,
		Args: l.roster(c, r.Date), Scan: tenancy.Values(&ids)})
	if err != nil {
		return nil, fmt.Errorf("reading a lesson's roster: %w", err)
	}
	s := &lessonSheet{register: api.NewID(), before: map[uuid.UUID]lessonMark{}}
	if s.markSheet, err = lockDivisions(c, l.DivisionIDs, r.Date, ids); err != nil {
		return nil, err
	}
	s.off = off
	if l.GroupID != nil {
		s.of = l.GroupName
		maps.DeleteFunc(s.students, func(id uuid.UUID, _ seat) bool { return !slices.Contains(ids, id) })
	}
	// A register that is not written yet has its place in the day by its period's time.
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select g.id as register_id, g.slot_id, g.version, m.student_id,
			coalesce(m.status, '') as status, m.late_minutes, coalesce(m.remark, '') as remark
		from (select id, slot_id, version, start_time from lesson_register
				where date = $2 and (division_id = any($1) or group_id is not null)
			union all select $3, $4, 0, $5::time where not exists (select from lesson_register where slot_id = $4 and date = $2)) g
		left join lesson_mark m on m.register_id = g.id and (g.slot_id = $4 or m.student_id = any($6))
		order by g.start_time, g.slot_id`,
		Args: []any{l.DivisionIDs, r.Date, s.register, r.SlotID, string(l.StartTime), ids}, Scan: tenancy.Collect(&s.lessons)})
	if err != nil {
		return nil, fmt.Errorf("reading the lessons of a day: %w", err)
	}
	for _, m := range s.lessons {
		if !slices.Contains(s.order, m.RegisterID) {
			s.order = append(s.order, m.RegisterID)
		}
		if m.SlotID != r.SlotID {
			continue
		}
		s.register, s.version = m.RegisterID, m.Version
		if m.StudentID != nil {
			s.before[*m.StudentID] = m
		}
	}
	return s, nil
}

// lessonMarks are the marks of everybody on the roster: as said, or present, or on the leave
// that is known.
func (s *lessonSheet) lessonMarks(r LessonFields) []lessonMark {
	said := make(map[uuid.UUID]LessonRecord, len(r.Records))
	for _, record := range r.Records {
		said[record.StudentID] = record
	}
	marks := make([]lessonMark, 0, len(s.students))
	for id := range s.students {
		leave, away := s.leaves[id]
		m := lessonMark{RegisterID: s.register, SlotID: r.SlotID, StudentID: &id, Status: "PRESENT"}
		if record, named := said[id]; named {
			m.Status, m.LateMinutes, m.Remark = record.Status, record.LateMinutes, record.Remark
			if away && m.Status == "ABSENT" {
				m.Status = "LEAVE"
			}
		} else if away && !leave.HalfDay {
			m.Status = "LEAVE"
		}
		marks = append(marks, m)
	}
	slices.SortFunc(marks, func(a, b lessonMark) int { return slices.Compare(a.StudentID[:], b.StudentID[:]) })
	return marks
}

// writeLesson replaces the register.
func (s *lessonSheet) writeLesson(c api.Ctx, l Lesson, r LessonFields, marks []lessonMark) error {
	ids, statuses, remarks := make([]uuid.UUID, len(marks)), make([]string, len(marks)), make([]string, len(marks))
	late := make([]*int, len(marks))
	before, after := booked{}, booked{}
	for i, m := range marks {
		ids[i], statuses[i], late[i], remarks[i] = *m.StudentID, m.Status, m.LateMinutes, m.Remark
		after.add(*m.StudentID, m.Status)
	}
	for _, m := range s.before {
		before.add(*m.StudentID, m.Status)
	}
	before.GroupID, before.Date, after.GroupID, after.Date = l.GroupID, r.Date, l.GroupID, r.Date
	if l.DivisionID != nil {
		before.DivisionID, after.DivisionID = *l.DivisionID, *l.DivisionID
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `insert into lesson_register (id, slot_id, date, division_id, group_id, period_name, start_time, subject_name,
				marked_by, marked_at)
			values ($1, $2, $3, $4, $5, $6, $7::time, $8, $9, $10)
			on conflict (slot_id, date) do update set period_name = excluded.period_name, start_time = excluded.start_time,
				subject_name = excluded.subject_name, marked_by = excluded.marked_by, marked_at = excluded.marked_at,
				version = lesson_register.version + 1`,
			Args: []any{s.register, r.SlotID, r.Date, l.DivisionID, l.GroupID, l.PeriodName, string(l.StartTime), l.SubjectName,
				c.User.ID, c.Now}},
		tenancy.Query{SQL: `delete from lesson_mark where register_id = $1`, Args: []any{s.register}},
		tenancy.Query{SQL: `insert into lesson_mark (register_id, student_id, status, late_minutes, remark)
			select $1, * from unnest($2::uuid[], $3::text[], $4::int[], $5::text[])`, Args: []any{s.register, ids, statuses, late, remarks}})
	if err != nil {
		return fmt.Errorf("writing a lesson's register: %w", err)
	}
	c.Changed("mark", "lesson register", s.register, before, after)
	return nil
}

// dayChanges are the marks of the day that follow from its lessons and are other than they
// were. What somebody marked for the day itself stays, and so does a leave of those who were not seen.
func (s *lessonSheet) dayChanges(c api.Ctx, day MarkFields, marks []lessonMark) []change {
	seen := map[uuid.UUID][]lessonMark{}
	for _, register := range s.order {
		list := s.lessons
		if register == s.register {
			list = marks
		}
		for _, m := range list {
			if m.RegisterID == register && m.StudentID != nil {
				seen[*m.StudentID] = append(seen[*m.StudentID], m)
			}
		}
	}
	var changes []change
	for _, m := range marks {
		id := *m.StudentID
		status, minutes := dayOf(seen[id])
		was, there := s.marks[id]
		onLeave := was.Source == "LEAVE" && (was.HalfDay || status == "ABSENT" || status == "LEAVE")
		if there && (was.Source == "TEACHER" || was.Source == "ADMIN" || onLeave) {
			continue
		}
		if ch, changed := s.apply(c, day, MarkRecord{StudentID: id, Status: status, LateMinutes: minutes}, "LESSON"); changed {
			changes = append(changes, ch)
		}
	}
	return changes
}

// dayOf is the day of somebody with these marks of lessons, in the order of time: absent who was
// seen in none, late who missed the first or came late to it.
func dayOf(lessons []lessonMark) (status string, lateMinutes *int) {
	came := slices.ContainsFunc(lessons, func(m lessonMark) bool { return m.Status == "PRESENT" || m.Status == "LATE" })
	first := lessons[0]
	switch {
	case !came && slices.ContainsFunc(lessons, func(m lessonMark) bool { return m.Status == "ABSENT" }):
		return "ABSENT", nil
	case !came:
		return "LEAVE", nil
	case first.Status == "LATE":
		return "LATE", first.LateMinutes
	case first.Status == "ABSENT":
		return "LATE", nil
	}
	return "PRESENT", nil
}
