package attendance

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// LessonList is a day's lessons, and which of them are marked.
type LessonList struct {
	Date         api.Date `json:"date"`
	AttendanceBy string   `json:"attendanceBy" enum:"DAY,PERIOD" doc:"PERIOD where lessons have registers of their own"`
	Lessons      []Lesson `json:"lessons" doc:"By time, then class"`
}

// Lesson is a lesson of the timetable on one day.
type Lesson struct {
	SlotID       uuid.UUID    `json:"slotId" doc:"Its place in the timetable"`
	DivisionID   *uuid.UUID   `json:"divisionId" doc:"None for a lesson of a group"`
	GroupID      *uuid.UUID   `json:"groupId" doc:"None for a lesson of a whole division"`
	DivisionIDs  []uuid.UUID  `json:"-"` // whose students have it; since findLesson, that have school that day
	ClassIDs     []uuid.UUID  `json:"-"` // of these divisions, one by one
	ClassName    string       `json:"className" doc:"Of a group, all its classes"`
	DivisionName string       `json:"divisionName"`
	GroupName    string       `json:"groupName"`
	PeriodName   string       `json:"periodName"`
	StartTime    roster.Clock `json:"startTime"`
	EndTime      roster.Clock `json:"endTime"`
	SubjectName  string       `json:"subjectName"`
	TeacherName  string       `json:"teacherName" doc:"Who holds it that day"`
	Substitute   bool         `json:"substitute" doc:"They hold it for somebody else"`
	State        string       `json:"state" enum:"OPEN,MARKED,DAY_OFF"`
	MarkedAt     *time.Time   `json:"markedAt"`
	Version      int          `json:"version" doc:"0 while it is not marked"`
	Counts
}

// selectLessons are the lessons of the day $1, a weekday $2 (1 is Monday): of the division $3 and
// its members of groups, the user $4 who holds them that day and the place $5 in the timetable, where given.
var selectLessons = `select s.id as slot_id, s.division_id, s.group_id, o.division_ids, o.class_ids,
		coalesce(k.name, o.class_name, '') as class_name, coalesce(d.name, '') as division_name, coalesce(u.name, '') as group_name,
		p.name as period_name, to_char(p.start_time, 'HH24:MI') as start_time, to_char(p.end_time, 'HH24:MI') as end_time,
		j.name as subject_name, coalesce(trim(h.first_name || ' ' || h.last_name), '') as teacher_name, x.id is not null as substitute,
		case when g.id is null then 'OPEN' else 'MARKED' end as state, g.marked_at, coalesce(g.version, 0) as version, n.*
	from timetable_slot s left join division d on d.id = s.division_id left join class k on k.id = d.class_id
	left join student_group u on u.id = s.group_id join period p on p.id = s.period_id
	join subject j on j.id = coalesce(u.subject_id, s.subject_id) left join substitution x on x.slot_id = s.id and x.date = $1
	left join employee h on h.id = coalesce(x.substitute_teacher_id, s.teacher_id)
	left join lesson_register g on g.slot_id = s.id and g.date = $1
	cross join lateral (select array_agg(v.id order by v.id) as division_ids, array_agg(v.class_id order by v.id) as class_ids,
			string_agg(distinct w.name, ', ') as class_name
		from (select s.division_id union all select y.division_id from student_group_division y where y.group_id = s.group_id) i
		join division v on v.id = i.division_id join class w on w.id = v.class_id) o
	cross join lateral (select ` + countColumns + `
		from (select m.status, false as half_day from lesson_mark m where m.register_id = g.id) a) n
	where s.day_of_week = $2 and ($3::uuid is null or s.division_id = $3
			or s.group_id in (select m.group_id from ` + roster.InGroup("$1") + ` where e.division_id = $3))
		and ($4::uuid is null or h.user_id = $4) and ($5::uuid is null or s.id = $5)
	order by p.start_time, k.level, k.name, d.name, u.name, s.id`

type lessonsRequest struct {
	Date       api.Date   `json:"date" doc:"Today unless given"`
	DivisionID *uuid.UUID `json:"divisionId" doc:"All divisions unless given"`
}

func officeLessons(c api.Ctx, r lessonsRequest) (LessonList, error) { return listLessons(c, r, nil) }

// teacherLessons are those the caller holds that day, as a substitute too.
func teacherLessons(c api.Ctx, r lessonsRequest) (LessonList, error) {
	return listLessons(c, r, &c.User.ID)
}

func listLessons(c api.Ctx, r lessonsRequest, holder *uuid.UUID) (LessonList, error) {
	out := LessonList{Date: r.Date}
	if out.Date.IsZero() {
		out.Date = c.Today()
	}
	var by []struct{ AttendanceBy string }
	calendar, holidays := reading(c, out.Date, out.Date)
	err := tenancy.Pipeline(c.DB, holidays,
		tenancy.Query{SQL: `select attendance_by from school_setting`, Scan: tenancy.Collect(&by)},
		tenancy.Query{SQL: selectLessons, Args: []any{out.Date, weekday(out.Date), r.DivisionID, holder, nil},
			Scan: tenancy.Collect(&out.Lessons)})
	if err != nil {
		return out, fmt.Errorf("reading a day's lessons: %w", err)
	}
	out.AttendanceBy = by[0].AttendanceBy
	for i := range out.Lessons {
		out.Lessons[i].keepOpen(calendar, out.Date)
	}
	return out, nil
}

// keepOpen leaves the divisions that have school that day, and returns what keeps them at home if
// none has. Of a group, who has the day off is not expected while others have the lesson.
func (l *Lesson) keepOpen(k *calendar, day api.Date) (off string) {
	var open []uuid.UUID
	for i, division := range l.DivisionIDs {
		if name := k.off(l.ClassIDs[i], division, day); name == "" {
			open = append(open, division)
		} else {
			off = name
		}
	}
	if open == nil {
		l.State = "DAY_OFF"
		return off
	}
	l.DivisionIDs = open
	return ""
}

// weekday is a day's number as the timetable has it: Monday is 1, Sunday 7.
func weekday(day api.Date) int { return (int(day.In(time.UTC).Weekday())+6)%7 + 1 }

// findLesson reads a lesson of a day, and what keeps all its students at home; for others than its
// holder there is none.
func findLesson(c api.Ctx, slot uuid.UUID, day api.Date, holder *uuid.UUID) (l Lesson, off string, err error) {
	var found []Lesson
	calendar, holidays := reading(c, day, day)
	err = tenancy.Pipeline(c.DB, holidays, tenancy.Query{SQL: selectLessons, Args: []any{day, weekday(day), nil, holder, slot},
		Scan: tenancy.Collect(&found)})
	if err != nil {
		return l, "", fmt.Errorf("reading a lesson: %w", err)
	}
	if len(found) == 0 {
		return l, "", api.NotFound("lesson")
	}
	l = found[0]
	off = l.keepOpen(calendar, day)
	return l, off, nil
}

// LessonRegister is who was to come to a lesson, and who came.
type LessonRegister struct {
	DivisionID   *uuid.UUID `json:"divisionId" doc:"None for a lesson of a group"`
	DivisionName string     `json:"divisionName"`
	ClassID      *uuid.UUID `json:"classId" doc:"None for a lesson of a group"`
	ClassName    string     `json:"className" doc:"Of a group, all its classes"`
	AttendanceBy string     `json:"attendanceBy" enum:"DAY,PERIOD" doc:"PERIOD where lessons have registers of their own"`
	RegisterDay
	Lesson Lesson `json:"lesson"`
}

type lessonRequest struct {
	SlotID uuid.UUID `json:"slotId" validate:"required" doc:"The lesson's place in the timetable"`
	Date   api.Date  `json:"date" doc:"Today unless given"`
}

func officeLesson(c api.Ctx, r lessonRequest) (LessonRegister, error) { return readLesson(c, r, nil) }

func teacherLesson(c api.Ctx, r lessonRequest) (LessonRegister, error) {
	return readLesson(c, r, &c.User.ID)
}

// inLesson narrows onRoster to the members of the group $4, where given.
const inLesson = onRoster + ` and ($4::uuid is null or exists (select from student_group_member m where m.group_id = $4
	and m.student_id = s.id and m.from_date <= $2 and (m.to_date is null or m.to_date >= $2)))`

// selectLessonEntries are the students of the lesson $5 on the day $2 with their marks. Who is on
// leave for the whole day is so before anybody marks.
const selectLessonEntries = `select s.id as student_id, e.roll_number, s.admission_number, s.first_name, s.last_name,
		case when $4::uuid is null then '' else k.name || ' ' || d.name end as division,
		case when g.id is null and l.id is not null then 'LEAVE' else m.status end as status, m.late_minutes, false as half_day,
		coalesce(m.remark, '') as remark,
		case when l.id is not null then 'LEAVE' when m.student_id is not null then 'LESSON' else '' end as source,
		l.id as leave_id, case when m.student_id is not null then g.marked_by end as marked_by,
		case when m.student_id is not null then g.marked_at end as marked_at, coalesce(g.version, 0) as version
	from enrolment e join student s on s.id = e.student_id join division d on d.id = e.division_id join class k on k.id = d.class_id
	left join lesson_register g on g.slot_id = $5 and g.date = $2
	left join lesson_mark m on m.register_id = g.id and m.student_id = s.id
	left join lateral (select l.id from leave l where l.student_id = s.id and l.status = 'APPROVED' and not l.half_day
		and $2 between l.from_date and l.to_date limit 1) l on true
	where ` + inLesson + ` order by k.level, k.name, d.name, e.roll_number nulls last, s.first_name, s.last_name, s.id`

func readLesson(c api.Ctx, r lessonRequest, holder *uuid.UUID) (LessonRegister, error) {
	if r.Date.IsZero() {
		r.Date = c.Today()
	}
	lesson, off, err := findLesson(c, r.SlotID, r.Date, holder)
	if err != nil {
		return LessonRegister{}, err
	}
	out := LessonRegister{DivisionID: lesson.DivisionID, DivisionName: lesson.DivisionName, ClassName: lesson.ClassName,
		RegisterDay: RegisterDay{Date: r.Date, DayOff: off}, Lesson: lesson}
	if lesson.GroupID == nil {
		out.ClassID = &lesson.ClassIDs[0]
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select attendance_by from school_setting`, Scan: tenancy.One(&out.AttendanceBy)},
		tenancy.Query{SQL: selectLessonEntries, Args: append(lesson.roster(c, r.Date), r.SlotID), Scan: tenancy.Collect(&out.Students)})
	if err != nil {
		return out, fmt.Errorf("reading a lesson's register: %w", err)
	}
	out.tally()
	return out, nil
}

// roster are the arguments of inLesson.
func (l Lesson) roster(c api.Ctx, day api.Date) []any {
	return []any{l.DivisionIDs, day, day.Before(c.Today()), l.GroupID}
}
