package attendance

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// ChildMonth is a child's month.
type ChildMonth struct {
	StudentID uuid.UUID        `json:"studentId"`
	Month     Month            `json:"month" example:"2026-11"`
	Days      []ChildDay       `json:"days" doc:"Every day of the month on which the child sits in a division"`
	Totals    AttendanceTotals `json:"totals"`
}

// ChildDay is a child's day.
type ChildDay struct {
	Date        api.Date `json:"date"`
	Status      *string  `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY" doc:"PRESENT, ABSENT, LATE or LEAVE; HOLIDAY on a day off; null while it is not marked"`
	DayOff      string   `json:"dayOff" example:"Diwali"`
	LateMinutes *int     `json:"lateMinutes"`
	HalfDay     bool     `json:"halfDay" doc:"Of LEAVE: half a day"`
	Remark      string   `json:"remark"`
	// MarkedAt says since when a child is known to be there.
	MarkedAt *time.Time `json:"markedAt" doc:"When the day was marked last; null while it is not"`
	// Lessons are empty where the school marks by day.
	Lessons []ChildLesson `json:"lessons" doc:"Those that were marked, by time, where the school marks by period"`
}

// ChildLesson is a child's mark of a lesson.
type ChildLesson struct {
	Date        api.Date     `json:"-"`
	PeriodName  string       `json:"periodName"`
	StartTime   roster.Clock `json:"startTime"`
	SubjectName string       `json:"subjectName"`
	Status      string       `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE"`
	LateMinutes *int         `json:"lateMinutes"`
}

const selectChildLessons = `select g.date, g.period_name, to_char(g.start_time, 'HH24:MI') as start_time, g.subject_name,
		m.status, m.late_minutes
	from lesson_mark m join lesson_register g on g.id = m.register_id
	where m.student_id = $1 and g.date between $2 and $3 order by g.date, g.start_time, g.id`

type childMonthRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Month     Month     `json:"month" doc:"This month unless given"`
}

func childMonth(c api.Ctx, r childMonthRequest) (ChildMonth, error) {
	month, first, last := r.Month.span(c)
	var found []struct {
		Date                api.Date
		Status              *string
		LateMinutes         *int
		HalfDay             bool
		Remark              string
		MarkedAt            *time.Time
		ClassID, DivisionID uuid.UUID
	}
	var lessons []ChildLesson
	calendar, holidays := reading(c, first, last)
	err := tenancy.Pipeline(c.DB, roster.MayViewQuery(c, r.StudentID), holidays,
		tenancy.Query{SQL: `select day::date as date, e.class_id, e.division_id, a.status, a.late_minutes,
			coalesce(a.half_day, false) as half_day, coalesce(a.remark, '') as remark, a.marked_at
			from generate_series($2::date::timestamp, $3::date::timestamp, '1 day') as day
			join enrolment e on e.student_id = $1 and e.start_date <= day and (e.end_date is null or e.end_date >= day)
			left join attendance a on a.student_id = $1 and a.date = day::date
			order by day`, Args: []any{r.StudentID, first, last}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: selectChildLessons, Args: []any{r.StudentID, first, last}, Scan: tenancy.Collect(&lessons)},
	)
	if err != nil {
		return ChildMonth{}, fmt.Errorf("reading a child's month: %w", err)
	}
	out := ChildMonth{StudentID: r.StudentID, Month: month, Days: make([]ChildDay, len(found))}
	var counts Counts
	schoolDays := 0
	holiday := "HOLIDAY"
	of := map[api.Date][]ChildLesson{}
	for _, l := range lessons {
		of[l.Date] = append(of[l.Date], l)
	}
	for i, f := range found {
		day := ChildDay{Date: f.Date, Status: f.Status, LateMinutes: f.LateMinutes, HalfDay: f.HalfDay, Remark: f.Remark, MarkedAt: f.MarkedAt,
			Lessons: append([]ChildLesson{}, of[f.Date]...)}
		if off := calendar.off(f.ClassID, f.DivisionID, f.Date); off != "" {
			day = ChildDay{Date: f.Date, Status: &holiday, DayOff: off, Lessons: []ChildLesson{}}
		} else if !c.Today().Before(f.Date) { // leave may be known before its day
			schoolDays++
			if f.Status != nil {
				counts.add(*f.Status, f.HalfDay)
			}
		}
		out.Days[i] = day
	}
	out.Totals = counts.totals(schoolDays)
	return out, nil
}

// ChildSummary is a child's attendance between two days.
type ChildSummary struct {
	StudentID uuid.UUID        `json:"studentId"`
	From      api.Date         `json:"from"`
	To        api.Date         `json:"to"`
	Totals    AttendanceTotals `json:"totals"`
}

type childSummaryRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	From      api.Date  `json:"from" doc:"The beginning of the active academic year unless given"`
	To        api.Date  `json:"to" doc:"Today unless given"`
}

func childSummary(c api.Ctx, r childSummaryRequest) (ChildSummary, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return ChildSummary{}, err
	}
	var years []roster.AcademicYear
	if err := c.DB.Where("active").Find(&years).Error; err != nil {
		return ChildSummary{}, fmt.Errorf("reading the active year: %w", err)
	}
	from := c.Today().AddDays(-longest)
	if len(years) > 0 && from.Before(years[0].StartDate) {
		from = years[0].StartDate
	}
	span, err := between{r.From, r.To}.orElse(from, c.Today())
	if err != nil {
		return ChildSummary{}, err
	}
	totals, err := countDays(c, r.StudentID, span)
	return ChildSummary{StudentID: r.StudentID, From: span.From, To: span.To, Totals: totals}, err
}

// countDays counts a student's school days, and by what they were marked.
func countDays(c api.Ctx, student uuid.UUID, span between) (AttendanceTotals, error) {
	totals, err := countDaysOf(c, []uuid.UUID{student}, span)
	return totals[student], err
}

// countDaysOf is countDays of several students.
func countDaysOf(c api.Ctx, students []uuid.UUID, span between) (map[uuid.UUID]AttendanceTotals, error) {
	var found []struct {
		StudentID uuid.UUID
		Counts
		SchoolDays int
	}
	last := span.To
	if c.Today().Before(last) {
		last = c.Today()
	}
	var carried []carriedDays
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select s.id as student_id, ` + countColumns + `, (select count(*)
			from generate_series($1::date::timestamp, $2::date::timestamp, '1 day') as day
			join enrolment e on e.student_id = s.id and e.start_date <= day and (e.end_date is null or e.end_date >= day)
			where ` + isOpen("day::date", "e.class_id", "e.division_id", "$4") + ` and not exists (select from attendance_total t
				where t.student_id = s.id and day between t.first_day and t.last_day and ` + countedTotals + `))::int as school_days
		from unnest($3::uuid[]) as s (id)
		left join (attendance a join division d on d.id = a.division_id) on a.student_id = s.id
			and a.date between $1 and $2 and ` + notInTotal + ` and ` + isOpen("a.date", "d.class_id", "d.id", "$4") + `
		group by s.id`, Args: []any{span.From, last, students, weekend(c)}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: `select t.student_id as id, ` + totalColumns + ` from attendance_total t
			where ` + countedTotals + ` and t.student_id = any($3) group by 1`, Args: []any{span.From, last, students},
			Scan: tenancy.Collect(&carried)})
	if err != nil {
		return nil, fmt.Errorf("counting students' days: %w", err)
	}
	before := map[uuid.UUID]carriedDays{}
	for _, n := range carried {
		before[n.ID] = n
	}
	totals := map[uuid.UUID]AttendanceTotals{}
	for _, n := range found {
		n.plus(before[n.StudentID].counts())
		totals[n.StudentID] = n.totals(n.SchoolDays + before[n.StudentID].SchoolDays)
	}
	return totals, nil
}

// Totals is on how many of the days they were marked students were there, half a day of leave being half a day there;
// and how many days they were marked, and school days there were.
func (m *Module) Totals(c api.Ctx, students []uuid.UUID, from, to api.Date) (
	present map[uuid.UUID]float64, marked, schoolDays map[uuid.UUID]int, err error,
) {
	totals, err := countDaysOf(c, students, between{from, to})
	present, marked, schoolDays = map[uuid.UUID]float64{}, map[uuid.UUID]int{}, map[uuid.UUID]int{}
	for id, t := range totals {
		present[id], marked[id], schoolDays[id] = t.there(), t.Marked, t.SchoolDays
	}
	return present, marked, schoolDays, err
}
