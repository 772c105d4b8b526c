package attendance

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// AttendanceSummary is the attendance of the school and its classes between two days.
type AttendanceSummary struct {
	From    api.Date       `json:"from"`
	To      api.Date       `json:"to"`
	Classes []ClassSummary `json:"classes"`
	groupSummary
}

// ClassSummary is a class's.
type ClassSummary struct {
	ClassID   uuid.UUID         `json:"classId"`
	ClassName string            `json:"className"`
	Divisions []DivisionSummary `json:"divisions"`
	groupSummary
}

// DivisionSummary is a division's.
type DivisionSummary struct {
	DivisionID   uuid.UUID `json:"divisionId"`
	DivisionName string    `json:"divisionName"`
	DayOff       string    `json:"dayOff" doc:"Of a single day: what keeps the division at home" example:"Diwali"`
	groupSummary
}

// groupSummary are the students of a group and how often they came.
type groupSummary struct {
	Enrolled int              `json:"enrolled" doc:"Students on the roster on the last of the days, or today if that is earlier"`
	Totals   AttendanceTotals `json:"totals"`
}

func (g *groupSummary) plus(o groupSummary) {
	g.Enrolled += o.Enrolled
	g.Totals.plus(o.Totals.Counts) // what was carried over among them
	g.Totals = g.Totals.totals(g.Totals.SchoolDays + o.Totals.SchoolDays)
}

type summaryRequest struct {
	From    api.Date   `json:"from" doc:"The first of this month unless given"`
	To      api.Date   `json:"to" doc:"Today unless given"`
	ClassID *uuid.UUID `json:"classId" doc:"All classes unless given"`
}

// stay is how many students sat in a division from one day to another.
type stay struct {
	DivisionID uuid.UUID
	First      api.Date
	Last       api.Date
	Students   int
}

// summary counts by the division students sat in on each day. Leave that lies ahead
// is not attendance yet.
func summary(c api.Ctx, r summaryRequest) (AttendanceSummary, error) {
	first := c.Today()
	first.Day = 1
	span, err := between{r.From, r.To}.orElse(first, c.Today())
	if err != nil {
		return AttendanceSummary{}, err
	}
	last := span.To
	if c.Today().Before(last) {
		last = c.Today()
	}
	var found []struct {
		ClassID, DivisionID     uuid.UUID
		ClassName, DivisionName string
		Counts
	}
	var stays, elsewhere []stay
	var carried []carriedDays
	calendar, holidays := reading(c, span.From, span.To)
	err = tenancy.Pipeline(c.DB, holidays,
		tenancy.Query{SQL: `select k.id as class_id, k.name as class_name, d.id as division_id, d.name as division_name, ` + countColumns + `
		from division d join class k on k.id = d.class_id
		left join attendance a on a.division_id = d.id and a.date between $1 and $2 and ` + notInTotal + `
		and ` + isOpen("a.date", "d.class_id", "d.id", "$3") + `
		where $4::uuid is null or k.id = $4
		group by k.id, d.id order by k.level, k.name, k.id, d.name, d.id`,
			Args: []any{span.From, last, weekend(c), r.ClassID}, Scan: tenancy.Collect(&found)},
		// A removed student is on the rosters of days past.
		tenancy.Query{SQL: `select e.division_id, greatest(e.start_date, $1) as first,
			least(e.end_date, $2, case when s.deleted_at is not null then $3::date - 1 end) as last, count(*)::int as students
		from enrolment e join student s on s.id = e.student_id
		where e.division_id is not null and e.start_date <= $2 and (e.end_date is null or e.end_date >= $1) group by 1, 2, 3`,
			Args: []any{span.From, last, c.Today()}, Scan: tenancy.Collect(&stays)},
		tenancy.Query{SQL: `select t.division_id as id, ` + totalColumns + ` from attendance_total t where ` + countedTotals + ` group by 1`,
			Args: []any{span.From, last}, Scan: tenancy.Collect(&carried)},
		tenancy.Query{SQL: `select e.division_id, greatest(e.start_date, t.first_day) as first, least(e.end_date, t.last_day) as last,
			count(*)::int as students from attendance_total t join enrolment e on e.student_id = t.student_id
			where ` + countedTotals + ` and e.division_id is not null and e.start_date <= t.last_day
			and (e.end_date is null or e.end_date >= t.first_day) group by 1, 2, 3`,
			Args: []any{span.From, last}, Scan: tenancy.Collect(&elsewhere)})
	if err != nil {
		return AttendanceSummary{}, fmt.Errorf("counting attendance: %w", err)
	}
	sitting := map[uuid.UUID][]stay{}
	for _, s := range stays {
		sitting[s.DivisionID] = append(sitting[s.DivisionID], s)
	}
	elsewhereIn, before := map[uuid.UUID][]stay{}, map[uuid.UUID]carriedDays{}
	for _, s := range elsewhere {
		elsewhereIn[s.DivisionID] = append(elsewhereIn[s.DivisionID], s)
	}
	for _, n := range carried {
		before[n.ID] = n
	}
	out := AttendanceSummary{From: span.From, To: span.To, Classes: []ClassSummary{}}
	for i, f := range found {
		if i == 0 || found[i-1].ClassID != f.ClassID {
			out.Classes = append(out.Classes, ClassSummary{ClassID: f.ClassID, ClassName: f.ClassName})
		}
		d := DivisionSummary{DivisionID: f.DivisionID, DivisionName: f.DivisionName}
		if span.From == span.To {
			d.DayOff = calendar.off(f.ClassID, f.DivisionID, span.From)
		}
		schoolDays := 0
		for _, s := range sitting[f.DivisionID] {
			schoolDays += s.Students * calendar.openDays(f.ClassID, f.DivisionID, s.First, s.Last)
			if !last.Before(s.First) && s.Last == last {
				d.Enrolled += s.Students
			}
		}
		for _, s := range elsewhereIn[f.DivisionID] { // the total says how many school days they were
			schoolDays -= s.Students * calendar.openDays(f.ClassID, f.DivisionID, s.First, s.Last)
		}
		f.plus(before[f.DivisionID].counts())
		d.Totals = f.totals(schoolDays + before[f.DivisionID].SchoolDays)
		k := &out.Classes[len(out.Classes)-1]
		k.Divisions = append(k.Divisions, d)
		k.plus(d.groupSummary)
		out.plus(d.groupSummary)
	}
	if r.ClassID != nil && len(out.Classes) == 0 {
		if _, err := api.Find[roster.Class](c, "class", c.DB, *r.ClassID); err != nil {
			return out, err
		}
	}
	return out, nil
}
