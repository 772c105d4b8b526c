package attendance

import (
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Counts are how often each mark was given on school days.
type Counts struct {
	Present int `json:"present"`
	Absent  int `json:"absent"`
	Late    int `json:"late"`
	Leave   int `json:"leave"`
	// HalfDays are among the days of leave.
	HalfDays int `json:"halfDays" doc:"Of the days of leave, those of half a day: each counts as half a day there"`

	carried int // of them, those of totals that were counted elsewhere
}

// marked is how many days were marked.
func (n Counts) marked() int { return n.Present + n.Absent + n.Late + n.Leave }

// add counts one mark.
func (n *Counts) add(status string, half bool) {
	switch status {
	case "PRESENT":
		n.Present++
	case "ABSENT":
		n.Absent++
	case "LATE":
		n.Late++
	case "LEAVE":
		n.Leave++
		if half {
			n.HalfDays++
		}
	}
}

// there is how many days they were there.
func (n Counts) there() float64 { return float64(n.Present+n.Late) + float64(n.HalfDays)/2 }

// AttendanceTotals are counts with what they come to.
type AttendanceTotals struct {
	Counts
	SchoolDays int `json:"schoolDays" doc:"School days of the enrolment up to today; of several students, the days of all of them"`
	Marked     int `json:"marked" doc:"Of the school days, those that have a mark"`
	Unmarked   int `json:"unmarked" doc:"Of the school days, those that have none"`
	// CarriedOver says that the days asked for contain those of a total whole. One that they cut counts nowhere.
	CarriedOver int      `json:"carriedOver" doc:"Of those marked, days that were counted before the school came here and were imported as a total. A total counts where all of its days are asked for"`
	Percent     *float64 `json:"percent" doc:"Present, late and half of each half day of those marked, to a tenth; null when nothing is" example:"96.4"`
}

// totals are the counts beside the school days they are of. A mark may be of a day that is no
// longer the enrolment's: it counts, and nothing is unmarked for it.
func (n Counts) totals(schoolDays int) AttendanceTotals {
	t := AttendanceTotals{Counts: n, SchoolDays: schoolDays, Marked: n.marked(), CarriedOver: n.carried}
	t.Unmarked = max(0, schoolDays-t.Marked)
	if t.Marked > 0 {
		percent := math.Round(n.there()*1000/float64(t.Marked)) / 10
		t.Percent = &percent
	}
	return t
}

func (n *Counts) plus(o Counts) {
	n.Present, n.Absent, n.Late, n.Leave, n.HalfDays = n.Present+o.Present, n.Absent+o.Absent, n.Late+o.Late, n.Leave+o.Leave,
		n.HalfDays+o.HalfDays
	n.carried += o.carried
}

// countColumns counts the attendance a in SQL.
const countColumns = `count(*) filter (where a.status = 'PRESENT')::int as present,
	count(*) filter (where a.status = 'ABSENT')::int as absent, count(*) filter (where a.status = 'LATE')::int as late,
	count(*) filter (where a.status = 'LEAVE')::int as leave, count(*) filter (where a.status = 'LEAVE' and a.half_day)::int as half_days`

// The totals t of days that were counted elsewhere, where a span from $1 to $2 contains them whole, and that a mark a is of no
// such day.
const (
	countedTotals = `t.first_day >= $1 and t.last_day <= $2`
	notInTotal    = `not exists (select from attendance_total t where t.student_id = a.student_id
		and a.date between t.first_day and t.last_day and ` + countedTotals + `)`
	totalColumns = `sum(t.present)::int as present, sum(t.absent)::int as absent, sum(t.late)::int as late, sum(t.leave)::int as leave,
		sum(t.half_days)::int as half_days, sum(t.school_days)::int as school_days`
)

// carriedDays are days of totals, of a student or a division.
type carriedDays struct {
	ID uuid.UUID
	Counts
	SchoolDays int
}

// counts are those of the totals.
func (n carriedDays) counts() Counts {
	n.carried = n.marked()
	return n.Counts
}

// Month is a calendar month, YYYY-MM.
type Month string

// UnmarshalText reads a month and refuses what is none.
func (m *Month) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*m = ""
		return nil
	}
	t, err := time.Parse("2006-01", string(b))
	if err != nil {
		return fmt.Errorf("must be a month like 2026-11")
	}
	*m = Month(t.Format("2006-01"))
	return nil
}

// JSONSchema is a month.
func (Month) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$", "maxLength": 7, "example": "2026-11"}
}

// span is the month's first and last day, this month's if none was given.
func (m Month) span(c api.Ctx) (month Month, first, last api.Date) {
	t, err := time.Parse("2006-01", string(m))
	if err != nil {
		today := c.Today()
		t = time.Date(today.Year, today.Month, 1, 0, 0, 0, 0, time.UTC)
	}
	return Month(t.Format("2006-01")), api.DateOf(t), api.DateOf(t.AddDate(0, 1, -1))
}

// between are the days a request asks for.
type between struct {
	From api.Date `json:"from"`
	To   api.Date `json:"to"`
}

// longest is how many days may be asked for at once.
const longest = 400

// orElse fills in the days that were not given and refuses a span that is none.
func (b between) orElse(from, to api.Date) (between, error) {
	if b.To.IsZero() {
		b.To = to
		if b.To.Before(b.From) {
			b.To = b.From
		}
	}
	if b.From.IsZero() {
		b.From = from
		if b.To.Before(b.From) {
			b.From = b.To
		}
	}
	switch {
	case b.To.Before(b.From):
		return b, api.InvalidField("to", "to must not be before from")
	case b.From.AddDays(longest).Before(b.To):
		return b, api.InvalidField("to", "at most %d days can be asked for at once", longest)
	}
	return b, nil
}
