package attendance

import (
	"fmt"

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
	Status      *string  `json:"status" doc:"PRESENT, ABSENT, LATE or LEAVE; HOLIDAY on a day off; null while it is not marked"`
	DayOff      string   `json:"dayOff" example:"Diwali"`
	LateMinutes *int     `json:"lateMinutes"`
	HalfDay     bool     `json:"halfDay" doc:"Of LEAVE: half a day"`
	Remark      string   `json:"remark"`
}

type childMonthRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Month     Month     `json:"month" doc:"This month unless given"`
}

func childMonth(c api.Ctx, r childMonthRequest) (ChildMonth, error) {
	month, first, last := r.Month.span(c)
	var found []struct {
		ChildDay
		ClassID, DivisionID uuid.UUID
	}
	calendar, holidays := reading(c, first, last)
	err := tenancy.Pipeline(c.DB, roster.MayViewQuery(c, r.StudentID), holidays,
		tenancy.Query{SQL: `select day::date as date, e.class_id, e.division_id, a.status, a.late_minutes,
			coalesce(a.half_day, false) as half_day, coalesce(a.remark, '') as remark
			from generate_series($2::date::timestamp, $3::date::timestamp, '1 day') as day
			join enrolment e on e.student_id = $1 and e.start_date <= day and (e.end_date is null or e.end_date >= day)
			left join attendance a on a.student_id = $1 and a.date = day::date
			order by day`, Args: []any{r.StudentID, first, last}, Scan: tenancy.Collect(&found)},
	)
	if err != nil {
		return ChildMonth{}, fmt.Errorf("reading a child's month: %w", err)
	}
	out := ChildMonth{StudentID: r.StudentID, Month: month, Days: make([]ChildDay, len(found))}
	var counts Counts
	holiday := "HOLIDAY"
	for i, f := range found {
		if off := calendar.off(f.ClassID, f.DivisionID, f.Date); off != "" {
			f.ChildDay = ChildDay{Date: f.Date, Status: &holiday, DayOff: off}
		} else if f.Status != nil && !c.Today().Before(f.Date) { // leave may be known before its day
			counts.add(*f.Status, f.HalfDay)
		}
		out.Days[i] = f.ChildDay
	}
	out.Totals = counts.totals()
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
	counts, err := countDays(c, r.StudentID, span)
	if err != nil {
		return ChildSummary{}, err
	}
	return ChildSummary{StudentID: r.StudentID, From: span.From, To: span.To, Totals: counts.totals()}, nil
}

// countDays counts a student's school days by what they were marked.
func countDays(c api.Ctx, student uuid.UUID, span between) (Counts, error) {
	var counts []Counts
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select ` + countColumns + ` from attendance a join division d on d.id = a.division_id
		where a.student_id = $1 and a.date between $2 and least($3::date, $4::date) and ` + isOpen("a.date", "d.class_id", "d.id", "$5"),
		Args: []any{student, span.From, span.To, c.Today(), weekend(c)}, Scan: tenancy.Collect(&counts)})
	if err != nil {
		return Counts{}, fmt.Errorf("counting a student's days: %w", err)
	}
	return counts[0], nil
}

// Totals is on how many of the days they were marked a student was there; half a day of
// leave is half a day there.
func (m *Module) Totals(c api.Ctx, student uuid.UUID, from, to api.Date) (present float64, marked int, err error) {
	counts, err := countDays(c, student, between{from, to})
	if err != nil {
		return 0, 0, err
	}
	t := counts.totals()
	return counts.there(), t.Marked, nil
}
