package attendance

import (
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Report is a division's register of a month: students by days.
type Report struct {
	frame
	Month    Month           `json:"month" example:"2026-11"`
	Days     []ReportDay     `json:"days"`
	Students []ReportStudent `json:"students" doc:"Who sat there in the month, by roll number, then name"`
	Totals   Totals          `json:"totals"`
}

// ReportDay is a day of the month.
type ReportDay struct {
	Date   api.Date `json:"date"`
	DayOff string   `json:"dayOff" doc:"What keeps the division at home; empty on a school day"`
}

// ReportStudent is a student's month.
type ReportStudent struct {
	StudentID       uuid.UUID `json:"studentId"`
	RollNumber      *int      `json:"rollNumber"`
	AdmissionNumber string    `json:"admissionNumber"`
	FirstName       string    `json:"firstName"`
	LastName        string    `json:"lastName"`
	Statuses        []*string `json:"statuses" doc:"In the order of days: a status, HOLIDAY on a day off, null where there is no mark or the student did not sit there"`
	Totals          Totals    `json:"totals"`
}

type reportRequest struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required"`
	Month      Month     `json:"month" doc:"This month unless given"`
}

func reportDivision(_ api.Ctx, r reportRequest) (api.Target, error) {
	return api.Target{DivisionID: r.DivisionID}, nil
}

func teacherReport(c api.Ctx, r reportRequest) (Report, error) { return reportOf(c, r) }

func officeReport(c api.Ctx, r reportRequest) (Report, error) { return reportOf(c, r) }

// marksOf are a student's marks of the month, within one enrolment.
type marksOf struct {
	StudentID                            uuid.UUID
	RollNumber                           *int
	AdmissionNumber, FirstName, LastName string
	First, Last                          int16 // days of the month the enrolment covers
	Days                                 []int16
	Statuses                             []string
}

// selectMonth reads a division's month by the enrolments that touch it; a student's
// marks come as two lists, one row for each enrolment.
const selectMonth = `select s.id as student_id, e.roll_number, s.admission_number, s.first_name, s.last_name,
		extract(day from greatest(e.start_date, $2))::int2 as first, extract(day from least(e.end_date, $3))::int2 as last, m.days, m.statuses
	from enrolment e join student s on s.id = e.student_id
	cross join lateral (
		select coalesce(array_agg(extract(day from a.date)::int2), '{}') as days, coalesce(array_agg(a.status), '{}') as statuses
		from attendance a where a.student_id = e.student_id and a.date between greatest(e.start_date, $2) and least(e.end_date, $3)) m
	where e.division_id = $1 and e.start_date <= $3 and (e.end_date is null or e.end_date >= $2) and (s.deleted_at is null or e.start_date < $4)
	order by e.roll_number nulls last, s.first_name, s.last_name, s.id, e.start_date`

func reportOf(c api.Ctx, r reportRequest) (Report, error) {
	month, first, last := r.Month.span(c)
	var frames []frame
	var found []marksOf
	calendar, holidays := reading(c, first, last)
	err := tenancy.Together(c.DB,
		tenancy.Query{SQL: selectFrame, Args: []any{r.DivisionID}, Scan: roster.Collect(&frames)},
		holidays,
		tenancy.Query{SQL: selectMonth, Args: []any{r.DivisionID, first, last, c.Today()}, Scan: roster.Collect(&found)},
	)
	if err != nil {
		return Report{}, fmt.Errorf("reading a month's register: %w", err)
	}
	if len(frames) == 0 {
		return Report{}, api.NotFound("division")
	}
	out := Report{frame: frames[0], Month: month, Days: make([]ReportDay, last.Day), Students: []ReportStudent{}}
	for i := range out.Days {
		day := first.AddDays(i)
		out.Days[i] = ReportDay{day, calendar.off(out.ClassID, day)}
	}
	out.fill(found)
	return out, nil
}

// fill lays the marks out by days and counts those of school days. A student who left
// the division and came back has one line.
func (p *Report) fill(found []marksOf) {
	holiday := "HOLIDAY"
	at := make(map[uuid.UUID]int, len(found))
	counts := make([]Counts, 0, len(found))
	var all Counts
	for _, f := range found {
		n, known := at[f.StudentID]
		if !known {
			n = len(p.Students)
			at[f.StudentID] = n
			counts = append(counts, Counts{})
			p.Students = append(p.Students, ReportStudent{
				StudentID: f.StudentID, RollNumber: f.RollNumber, AdmissionNumber: f.AdmissionNumber, FirstName: f.FirstName, LastName: f.LastName,
				Statuses: make([]*string, len(p.Days)),
			})
		}
		line := p.Students[n].Statuses
		for day := f.First; day <= f.Last; day++ {
			if p.Days[day-1].DayOff != "" {
				line[day-1] = &holiday
			}
		}
		for i, day := range f.Days {
			if p.Days[day-1].DayOff == "" {
				line[day-1] = &f.Statuses[i]
				counts[n].add(f.Statuses[i])
			}
		}
	}
	for i, n := range counts {
		p.Students[i].Totals = n.totals()
		all.plus(n)
	}
	p.Totals = all.totals()
}
