package attendance

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/imports"
	"homeroom/modules/roster"
	"homeroom/modules/roster/lookup"
	"homeroom/sheet"
	"homeroom/tenancy"
)

// The columns of a file of totals: each row is a student's days up to one.
const (
	colTotalOf = iota
	colTotalUntil
	colTotalFrom
	colTotalDays
	colTotalPresent
	colTotalAbsent
	colTotalLate
	colTotalLeave
)

var totalSheet = []sheet.Column{
	colTotalOf: lookup.AdmissionNumber,
	colTotalUntil: {Name: "until", Date: true, Also: []string{"date", "upTo", "upToDate", "tillDate", "till", "asOn", "asOf", "to", "toDate",
		"lastDay", "तारीख तक", "حتى تاريخ", "hadi tarehe"}},
	colTotalFrom: {Name: "from", Date: true, Also: []string{"fromDate", "since", "firstDay", "startDate"}},
	colTotalDays: {Name: "schoolDays", Check: wholeDays, Also: []string{"workingDays", "totalDays", "daysOpen", "totalWorkingDays",
		"noOfWorkingDays", "total", "कार्य दिवस", "أيام الدراسة", "siku za shule"}},
	colTotalPresent: {Name: "present", Check: halfDays, Also: []string{"daysPresent", "presentDays", "attended", "daysAttended", "attendance",
		"उपस्थित", "حاضر", "waliohudhuria"}},
	colTotalAbsent: {Name: "absent", Check: halfDays, Also: []string{"daysAbsent", "absentDays", "absences", "अनुपस्थित", "غائب"}},
	colTotalLate:   {Name: "late", Check: wholeDays, Also: []string{"daysLate", "lateDays", "tardies"}},
	colTotalLeave:  {Name: "leave", Check: wholeDays, Also: []string{"onLeave", "leaveDays", "daysOnLeave", "excused"}},
}

// wholeDays takes a number of days.
func wholeDays(cell string) (string, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(cell, ".0"))
	if err != nil || n < 0 || n > longest {
		return "", errors.New("must be a number of days from 0 to 400")
	}
	return strconv.Itoa(n), nil
}

// halfDays takes a number of days that may end with half a one.
func halfDays(cell string) (string, error) {
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil || n < 0 || n > longest || n*2 != float64(int(n*2)) {
		return "", errors.New("must be a number of days from 0 to 400, or one and a half like 112.5")
	}
	return strconv.FormatFloat(n, 'f', -1, 64), nil
}

// totalFiles are files of how often students were there on days that were counted elsewhere.
func totalFiles() imports.Kind[imports.Request] {
	return imports.Kind[imports.Request]{
		Key: "ATTENDANCE_TOTAL", Path: "/school-admin/attendance/total/import", Permission: "attendance", Columns: totalSheet,
		Summary: "Import how often students were there up to a day from a CSV file or workbook", Tables: []string{"attendance_total"},
		Begin: func(api.Ctx, imports.Request) (imports.Reading, error) {
			return imports.ByLine(totalSheet, planTotals), nil
		},
	}
}

// dayTotal is how often a student was there from one day to another.
type dayTotal struct {
	ID, StudentID, DivisionID uuid.UUID
	FirstDay, LastDay         string
	SchoolDays                int
	Counts
}

// fill reads the days of a row; what they do not say follows from the others.
func (t *dayTotal) fill(l imports.Line, d *imports.Draft) {
	var n [colTotalLeave + 1]int
	given := func(col int) bool { return l.Cells[col] != "" }
	half := false
	for col := colTotalDays; col <= colTotalLeave; col++ {
		if l.Bad[col] {
			return
		}
		value, _ := strconv.ParseFloat(l.Cells[col], 64)
		n[col] = int(value)
		half = half || value != float64(n[col])
	}
	t.Late, t.Leave = n[colTotalLate], n[colTotalLeave]
	if half { // of a day that is half present and half absent, both may be said
		t.Leave, t.HalfDays = t.Leave+1, 1
	}
	t.Present, t.Absent, t.SchoolDays = n[colTotalPresent], n[colTotalAbsent], n[colTotalDays]
	apart := given(colTotalDays) && given(colTotalPresent) && given(colTotalAbsent) && t.marked() == t.SchoolDays
	if given(colTotalPresent) && !apart {
		t.Present -= t.Late // who is late is present in a register
	}
	switch {
	case !given(colTotalPresent) && !given(colTotalAbsent):
		d.Bad(l.Row, "present", "is required, or absent beside schoolDays")
	case !given(colTotalDays) && !(given(colTotalPresent) && given(colTotalAbsent)):
		d.Bad(l.Row, "schoolDays", "is required where present and absent are not both given")
	case !given(colTotalDays):
		t.SchoolDays = t.marked()
	case !given(colTotalPresent):
		t.Present = t.SchoolDays - t.marked()
	case !given(colTotalAbsent):
		t.Absent = t.SchoolDays - t.marked()
	}
	if !d.Found.IsBad(l.Row) && (t.Present < 0 || t.Absent < 0 || t.marked() > t.SchoolDays) {
		d.Bad(l.Row, "schoolDays", "is less than the days present, absent, late and on leave")
	}
}

// seatDays are when a student sits in a division.
type seatDays struct {
	StudentID, DivisionID uuid.UUID
	First, Last           string
}

// totalContext is what rows of totals are checked against.
type totalContext struct {
	students map[string]lookup.Student
	years    []roster.AcademicYear
	seats    map[uuid.UUID][]seatDays
	marks    map[uuid.UUID][]string
	there    map[uuid.UUID][]dayTotal
}

func readTotalContext(c api.Ctx, lines []imports.Line) (*totalContext, error) {
	numbers := make([]string, len(lines))
	for i, l := range lines {
		numbers[i] = l.Cells[colTotalOf]
	}
	x := &totalContext{seats: map[uuid.UUID][]seatDays{}, marks: map[uuid.UUID][]string{}, there: map[uuid.UUID][]dayTotal{}}
	var err error
	if x.students, err = lookup.Students(c, numbers, c.Today()); err != nil {
		return nil, err
	}
	if err := c.DB.Order("start_date").Find(&x.years).Error; err != nil {
		return nil, fmt.Errorf("reading the academic years: %w", err)
	}
	var ids []uuid.UUID
	for _, s := range x.students {
		ids = append(ids, s.ID)
	}
	var seats []seatDays
	var marks []struct {
		StudentID uuid.UUID
		Days      []string
	}
	var there []dayTotal
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select student_id, division_id, start_date::text as first, coalesce(end_date::text, '9999') as last from enrolment
			where student_id = any($1) and division_id is not null order by start_date`, Args: []any{ids}, Scan: tenancy.Collect(&seats)},
		tenancy.Query{SQL: `select student_id, array_agg(date::text) as days from attendance where student_id = any($1) group by 1`,
			Args: []any{ids}, Scan: tenancy.Collect(&marks)},
		tenancy.Query{SQL: `select id, student_id, division_id, first_day::text, last_day::text, school_days, present, absent, late, leave,
			half_days from attendance_total where student_id = any($1)`, Args: []any{ids}, Scan: tenancy.Collect(&there)})
	if err != nil {
		return nil, fmt.Errorf("reading registers: %w", err)
	}
	for _, s := range seats {
		x.seats[s.StudentID] = append(x.seats[s.StudentID], s)
	}
	for _, m := range marks {
		x.marks[m.StudentID] = m.Days
	}
	for _, t := range there {
		x.there[t.StudentID] = append(x.there[t.StudentID], t)
	}
	return x, nil
}

// place finds the days that a row is about, and the division that they count for: where the student sat on the last of them, or
// sat next.
func (x *totalContext) place(t *dayTotal, l imports.Line, d *imports.Draft) {
	var year roster.AcademicYear
	for _, y := range x.years {
		if y.StartDate.String() <= t.LastDay && t.LastDay <= y.EndDate.String() {
			year = y
		}
	}
	if year.ID == uuid.Nil {
		d.Bad(l.Row, "until", "is in no academic year")
		return
	}
	if t.FirstDay == "" {
		t.FirstDay = year.StartDate.String()
	}
	if t.FirstDay < year.StartDate.String() || t.FirstDay > t.LastDay {
		d.Bad(l.Row, "from", "must be in the academic year, and not after the last day")
		return
	}
	for _, s := range x.seats[t.StudentID] {
		if s.Last >= t.LastDay && s.First <= year.EndDate.String() {
			t.DivisionID = s.DivisionID
			break
		}
	}
	if t.DivisionID == uuid.Nil {
		d.Bad(l.Row, "admissionNumber", "belongs to a student who is in no division then or afterwards")
	}
	marked := 0
	for _, day := range x.marks[t.StudentID] {
		if t.FirstDay <= day && day <= t.LastDay {
			marked++
		}
	}
	if marked > 0 {
		d.Bad(l.Row, "until", "%d of these days are marked in the register already: give the days before them", marked)
	}
	for _, other := range x.there[t.StudentID] {
		switch {
		case other.FirstDay == t.FirstDay && other.LastDay == t.LastDay:
			t.ID = other.ID
		case other.FirstDay <= t.LastDay && t.FirstDay <= other.LastDay:
			d.Bad(l.Row, "until", "there is a total of the student from %s to %s, which has some of these days", other.FirstDay, other.LastDay)
		}
	}
}

func planTotals(c api.Ctx, lines []imports.Line, d *imports.Draft) error {
	x, err := readTotalContext(c, lines)
	if err != nil {
		return err
	}
	today := c.Today().String()
	rows := map[uuid.UUID]int{}
	var made []dayTotal
	for _, l := range lines {
		student, known := x.students[strings.ToLower(l.Cells[colTotalOf])]
		t := dayTotal{StudentID: student.ID, FirstDay: l.Cells[colTotalFrom], LastDay: l.Cells[colTotalUntil]}
		for _, col := range []int{colTotalOf, colTotalUntil} {
			if l.Cells[col] == "" && !l.Bad[col] {
				d.Bad(l.Row, totalSheet[col].Name, "is required")
			}
		}
		first, twice := rows[student.ID]
		switch {
		case l.Cells[colTotalOf] != "" && !known:
			d.Bad(l.Row, "admissionNumber", "no student has this number")
		case known && twice:
			d.Bad(l.Row, "admissionNumber", "is the student of row %d, too", first)
		case t.LastDay > today:
			d.Bad(l.Row, "until", "must not be in the future")
		case known && t.LastDay != "" && !l.Bad[colTotalFrom]:
			x.place(&t, l, d)
		}
		rows[student.ID] = l.Row
		t.fill(l, d)
		if d.Found.IsBad(l.Row) {
			d.Skip(l.Row)
			continue
		}
		if t.ID != uuid.Nil {
			was := t
			for _, other := range x.there[t.StudentID] {
				if other.ID == t.ID {
					was = other
				}
			}
			if was.Counts == t.Counts && was.SchoolDays == t.SchoolDays {
				d.Same(l.Row, t.ID)
				continue
			}
			d.Update(l.Row, t.ID, was, t.Counts, t.SchoolDays)
		} else {
			d.Create(l.Row, t)
			t.ID = api.NewID()
		}
		d.Sum("present", int64(t.Present))
		d.Sum("absent", int64(t.Absent))
		d.Sum("late", int64(t.Late))
		d.Sum("leave", int64(t.Leave))
		made = append(made, t)
	}
	d.Then(func(c api.Ctx) error { return writeTotals(c, made) })
	return nil
}

func writeTotals(c api.Ctx, made []dayTotal) error {
	raw, err := json.Marshal(made)
	if err != nil {
		return err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into attendance_total as t (id, student_id, division_id, first_day, last_day,
			school_days, present, absent, late, leave, half_days, created_by, created_at)
		select "ID", "StudentID", "DivisionID", "FirstDay", "LastDay", "SchoolDays", present, absent, late, leave, "halfDays", $2, $3
		from jsonb_to_recordset($1::jsonb) as v ("ID" uuid, "StudentID" uuid, "DivisionID" uuid, "FirstDay" date, "LastDay" date,
			"SchoolDays" int, present int, absent int, late int, leave int, "halfDays" int)
		on conflict (id) do update set division_id = excluded.division_id, school_days = excluded.school_days, present = excluded.present,
			absent = excluded.absent, late = excluded.late, leave = excluded.leave, half_days = excluded.half_days`,
		Args: []any{string(raw), c.User.ID, c.Now}})
	if err != nil {
		return fmt.Errorf("writing totals of attendance: %w", err)
	}
	return c.ChangedMany("import", "attendance total", len(made), func(i int) (uuid.UUID, any, any) {
		return made[i].ID, nil, made[i]
	})
}
