package dashboard

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// Dashboard is the school's day.
type Dashboard struct {
	Date       api.Date        `json:"date" doc:"The day it is at the school"`
	AsOf       time.Time       `json:"asOf" doc:"When it was counted"`
	Students   int             `json:"students" doc:"Active"`
	Employees  int             `json:"employees" doc:"Active"`
	Attendance TodayAttendance `json:"attendance"`
	Fees       FeeFigures      `json:"fees"`
	Leave      LeaveWaiting    `json:"leave"`
	Library    LibraryFigures  `json:"library"`
	Transport  BusFigures      `json:"transport"`
	Events     []ComingEvent   `json:"events" doc:"The next five, within 30 days"`
	Series     []DaySeries     `json:"series" doc:"The last 30 days, today the last of them"`
}

// TodayAttendance is today's register so far.
type TodayAttendance struct {
	Marks
	Classes  []ClassToday    `json:"classes"`
	Unmarked []DivisionToday `json:"unmarked" doc:"Divisions that have school today and students without a mark"`
}

// Marks are how many students were marked how.
type Marks struct {
	Students int `json:"students"`
	Present  int `json:"present"`
	Absent   int `json:"absent"`
	Late     int `json:"late"`
	Leave    int `json:"leave"`
	NoMark   int `json:"noMark" doc:"Students without a mark, where there is school today"`
}

func (m *Marks) plus(o Marks) {
	m.Students, m.Present, m.Absent, m.Late, m.Leave, m.NoMark = m.Students+o.Students, m.Present+o.Present, m.Absent+o.Absent, m.Late+o.Late,
		m.Leave+o.Leave, m.NoMark+o.NoMark
}

// ClassToday is a class's register.
type ClassToday struct {
	ClassID     uuid.UUID `json:"classId"`
	ClassName   string    `json:"className"`
	SchoolToday bool      `json:"schoolToday" doc:"false on a weekend or a holiday of the class"`
	Marks
}

// DivisionToday is a division whose register is not finished.
type DivisionToday struct {
	DivisionID   uuid.UUID `json:"divisionId"`
	DivisionName string    `json:"divisionName"`
	ClassID      uuid.UUID `json:"classId"`
	ClassName    string    `json:"className"`
	Students     int       `json:"students"`
	NoMark       int       `json:"noMark"`
}

// FeeFigures are in minor units.
type FeeFigures struct {
	Outstanding    int64 `json:"outstanding" doc:"What students owe, due or not"`
	Overdue        int64 `json:"overdue" doc:"Of that, what was due before today"`
	Debtors        int   `json:"debtors" doc:"How many owe something"`
	CollectedToday int64 `json:"collectedToday" doc:"Received less reversed"`
	CollectedMonth int64 `json:"collectedMonth" doc:"Since the first of the month"`
}

// LeaveWaiting is how many requests wait for a decision.
type LeaveWaiting struct {
	Students  int `json:"students"`
	Employees int `json:"employees"`
}

// LibraryFigures are the books that are out.
type LibraryFigures struct {
	Issued  int `json:"issued"`
	Overdue int `json:"overdue" doc:"Of those"`
}

// ComingEvent is an event that is to come.
type ComingEvent struct {
	ID        uuid.UUID    `json:"id"`
	Title     string       `json:"title"`
	EventDate api.Date     `json:"eventDate"`
	StartTime roster.Clock `json:"startTime"`
	Venue     string       `json:"venue"`
}

// DaySeries is one day of the charts.
type DaySeries struct {
	Date      api.Date `json:"date"`
	Present   int      `json:"present" doc:"Those who were late included"`
	Marked    int      `json:"marked"`
	Collected int64    `json:"collected"`
}

func (m *Module) summary(c api.Ctx, _ api.Nothing) (Dashboard, error) {
	if d, ok := m.cached.get(c.School.ID, c.Today(), c.Now); ok && !m.Anew {
		return d, nil
	}
	d, err := m.count(c)
	if err != nil {
		return d, fmt.Errorf("counting the dashboard: %w", err)
	}
	m.cached.schools.Add(c.School.ID, d)
	return d, nil
}

// divisionRow is a division's register as the query gives it.
type divisionRow struct {
	DivisionToday
	SchoolToday                           bool
	Present, Absent, Late, Leave, Without int
}

// answers are what the dashboard's own questions find.
type answers struct {
	divisions []divisionRow
	totals    []struct{ Students, Employees, StudentLeave, EmployeeLeave, Issued, Late int }
	owed      []struct {
		Outstanding, Overdue int64
		Debtors              int
	}
	month  []struct{ Collected int64 }
	events []ComingEvent
	series []DaySeries
}

// Questions are the dashboard's queries without what becomes of them, for the
// benchmark of it.
func Questions(c api.Ctx) []tenancy.Query { return (&answers{}).questions(c) }

func (a *answers) questions(c api.Ctx) []tenancy.Query {
	today, clock := c.Today(), c.Now.In(c.School.Location()).Format("15:04:05")
	return []tenancy.Query{
		{SQL: registerToday, Args: []any{today, weekendOf(c)}, Scan: tenancy.Collect(&a.divisions)},
		{SQL: counts, Args: []any{today}, Scan: tenancy.Collect(&a.totals)},
		{SQL: outstanding, Args: []any{today}, Scan: tenancy.Collect(&a.owed)},
		{SQL: collectedMonth, Args: []any{today}, Scan: tenancy.Collect(&a.month)},
		{SQL: coming, Args: []any{today, clock}, Scan: tenancy.Collect(&a.events)},
		{SQL: series, Args: []any{today}, Scan: tenancy.Collect(&a.series)},
	}
}

func weekendOf(c api.Ctx) []int32 {
	weekend := make([]int32, len(c.School.WeekendDays))
	for i, day := range c.School.WeekendDays {
		weekend[i] = int32(day)
	}
	return weekend
}

// count asks for everything in one round trip.
func (m *Module) count(c api.Ctx) (Dashboard, error) {
	var a answers
	buses, out := m.Buses.Out(c)
	if err := tenancy.Pipeline(c.DB, append(a.questions(c), buses)...); err != nil {
		return Dashboard{}, err
	}
	n, owed := a.totals[0], a.owed[0]
	d := Dashboard{
		Date: c.Today(), AsOf: c.Now, Students: n.Students, Employees: n.Employees,
		Attendance: register(a.divisions), Transport: figures(out()), Events: append([]ComingEvent{}, a.events...), Series: a.series,
		Leave: LeaveWaiting{n.StudentLeave, n.EmployeeLeave}, Library: LibraryFigures{n.Issued, n.Late},
		Fees: FeeFigures{Outstanding: owed.Outstanding, Overdue: owed.Overdue, Debtors: owed.Debtors, CollectedMonth: a.month[0].Collected},
	}
	if len(d.Series) > 0 {
		d.Fees.CollectedToday = d.Series[len(d.Series)-1].Collected
	}
	return d, nil
}

// register adds divisions up to classes. They come in the classes' order.
func register(divisions []divisionRow) TodayAttendance {
	out := TodayAttendance{Classes: []ClassToday{}, Unmarked: []DivisionToday{}}
	for _, r := range divisions {
		marks := Marks{Students: r.Students, Present: r.Present, Absent: r.Absent, Late: r.Late, Leave: r.Leave}
		if r.SchoolToday {
			marks.NoMark = r.Without
		}
		if n := len(out.Classes); n == 0 || out.Classes[n-1].ClassID != r.ClassID {
			out.Classes = append(out.Classes, ClassToday{ClassID: r.ClassID, ClassName: r.ClassName, SchoolToday: r.SchoolToday})
		}
		out.Classes[len(out.Classes)-1].plus(marks)
		out.plus(marks)
		if marks.NoMark > 0 {
			r.NoMark = marks.NoMark
			out.Unmarked = append(out.Unmarked, r.DivisionToday)
		}
	}
	return out
}
