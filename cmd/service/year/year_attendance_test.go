package year_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/testkit"
)

// mark is how a child is marked on a day: of forty, two are absent and one is late.
func mark(i, day int) string {
	switch (i*7 + day*13) % 40 {
	case 0, 1:
		return "ABSENT"
	case 2:
		return "LATE"
	}
	return "PRESENT"
}

// wedding and halfDay are the children whose leave askLeave asks for: two days, or half of one.
var (
	wedding = []int{24, 60, 96, 132}
	halfDay = []int{25, 61, 97}
)

// askLeave is asked for by parents and approved by the office.
func (y *wholeYear) askLeave(t *testing.T) {
	ask := func(i int, body map[string]any) {
		body["studentId"], body["leaveType"], body["reason"] = y.children[i].id, "CASUAL", "A wedding"
		l := testkit.Post[leave.LeaveView](t, y.parent(t, y.children[i]), "/parent/leave/apply", body)
		testkit.Post[leave.LeaveView](t, y.office, "/school-admin/leave/decide", map[string]any{"leaveId": l.ID, "status": "APPROVED"})
	}
	for _, i := range wedding {
		ask(i, map[string]any{"fromDate": "2026-12-08", "toDate": "2026-12-09"})
	}
	for _, i := range halfDay {
		ask(i, map[string]any{"fromDate": "2026-12-10", "toDate": "2026-12-10", "halfDay": true})
	}
}

// register marks every division on the school days of a week, the office as it does for days
// that are past.
func (y *wholeYear) register(t *testing.T, from string, days int) {
	first := y.day(t, from)
	for n := range days {
		day := api.DateOf(first.AddDate(0, 0, n))
		off := day.String() == "2026-11-25"
		for class := range levels {
			for division := range 2 {
				var records []map[string]any
				for i, c := range y.children {
					if c.class != class || c.division != division {
						continue
					}
					status := mark(i, first.YearDay()+n)
					onLeave := day.String() == "2026-12-08" || day.String() == "2026-12-09"
					for _, k := range wedding {
						if i == k && onLeave {
							status = "ABSENT" // which shows as leave
						}
					}
					if day.String() == "2026-12-04" && class == 1 && division == 1 {
						status = "HOLIDAY" // the division's day off
					}
					skip := false
					for _, k := range halfDay {
						skip = skip || (i == k && day.String() == "2026-12-10")
					}
					if !skip {
						records = append(records, map[string]any{"studentId": c.id, "status": status})
					}
				}
				body := map[string]any{"divisionId": y.divisions[class][division], "date": day, "records": records, "reason": "From paper"}
				if off {
					y.office.Refuses(t, "POST", "/school-admin/attendance/mark", body, 422, "")
					continue
				}
				testkit.Post[attendance.Marked](t, y.office, "/school-admin/attendance/mark", body)
				if records[0]["status"] != "HOLIDAY" {
					y.marks += len(records)
				}
			}
		}
	}
}

func (y *wholeYear) day(t *testing.T, day string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02", day, y.Location())
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// schoolMarks are the marks of school days: the founders' day, a day that class 3 got off after
// it was marked, and the day off of 2 B count nowhere.
const schoolMarks = `with mark as (
		select s.admission_number, k.name as class, k.name || ' ' || d.name as division, to_char(a.date, 'YYYY-MM') as month, a.status,
			a.half_day
		from attendance a join student s on s.id = a.student_id join division d on d.id = a.division_id join class k on k.id = d.class_id
		where a.date between @from and @to and a.date <> '2026-11-25' and not (a.date = '2026-12-03' and k.level = 3)
			and not (a.date = '2026-12-04' and k.level = 2 and d.name = 'B'))`

// counted adds them up.
const counted = schoolMarks + `, figure as (
		select 'all' as key, status, half_day from mark union all select class, status, half_day from mark
		union all select division, status, half_day from mark
		union all select admission_number || ' ' || month, status, half_day from mark),
	sum as (
		select key, count(*) as marked, count(*) filter (where status = 'PRESENT') as present,
			count(*) filter (where status = 'ABSENT') as absent,
			count(*) filter (where status = 'LATE') as late, count(*) filter (where status = 'LEAVE') as away,
			count(*) filter (where status = 'LEAVE' and half_day) as half from figure group by 1)
	select key, concat_ws(' ', marked, present, absent, late, away, half,
		round((present + late + half / 2.0) * 100 / marked, 1)) as value from sum`

func totals(n attendance.AttendanceTotals) string {
	percent := 0.0
	if n.Percent != nil {
		percent = *n.Percent
	}
	return fmt.Sprintf("%d %d %d %d %d %d %.1f", n.Marked, n.Present, n.Absent, n.Late, n.Leave, n.HalfDays, percent)
}

// checkAttendance declares a day off that was marked before, then compares every sum there is.
func (y *wholeYear) checkAttendance(t *testing.T) {
	create(t, y.office, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Water cut", "startDate": "2026-12-03", "endDate": "2026-12-03", "classIds": []uuid.UUID{y.classes[2]}})
	// The leave of half a day is a mark nobody sent.
	if n := y.Count(t, "attendance", "true"); n != y.marks+len(halfDay) {
		t.Errorf("%d marks are kept, %d were sent", n, y.marks)
	}
	if n := y.Count(t, "attendance", "status = 'LEAVE' and not half_day"); n != 2*len(wedding) {
		t.Errorf("%d days of leave", n)
	}
	y.compareAttendance(t, "2026-11-16", "2026-12-12", "2026-11", "2026-12")
	c := y.children[halfDay[0]]
	mine := testkit.Get[attendance.ChildSummary](t, y.parent(t, c), "/parent/attendance/summary?studentId="+c.id.String())
	var sum attendance.AttendanceTotals
	for _, month := range []string{"2026-11", "2026-12"} {
		m := y.month(t, c, month)
		sum.Present, sum.Absent, sum.Late, sum.Leave = sum.Present+m.Present, sum.Absent+m.Absent, sum.Late+m.Late, sum.Leave+m.Leave
		sum.HalfDays, sum.Marked = sum.HalfDays+m.HalfDays, sum.Marked+m.Marked
	}
	if mine.Totals.Counts != sum.Counts || mine.Totals.Marked != sum.Marked || sum.HalfDays != 1 {
		t.Errorf("a parent sees %+v, the office %+v", mine.Totals, sum)
	}
}

// month is a child's line in the register of their division.
func (y *wholeYear) month(t *testing.T, c child, month string) attendance.AttendanceTotals {
	t.Helper()
	r := testkit.Get[attendance.MonthRegister](t, y.office, fmt.Sprintf("/school-admin/attendance/report?divisionId=%s&month=%s",
		y.divisions[c.class][c.division], month))
	for _, s := range r.Students {
		if s.StudentID == c.id {
			return s.Totals
		}
	}
	t.Fatalf("%s is not in the register", c.number)
	panic("unreachable")
}

// compareAttendance compares the summary of the school, and each month's register.
func (y *wholeYear) compareAttendance(t *testing.T, from, to string, months ...string) {
	t.Helper()
	got := map[string]string{}
	put := func(key string, n attendance.AttendanceTotals) {
		if n.Marked > 0 {
			got[key] = totals(n)
		}
	}
	all := testkit.Get[attendance.AttendanceSummary](t, y.office, fmt.Sprintf("/school-admin/attendance/summary?from=%s&to=%s", from, to))
	put("all", all.Totals)
	for _, k := range all.Classes {
		put(k.ClassName, k.Totals)
		for _, d := range k.Divisions {
			put(k.ClassName+" "+d.DivisionName, d.Totals)
		}
	}
	for _, k := range y.divisions {
		for _, d := range k {
			for _, month := range months {
				r := testkit.Get[attendance.MonthRegister](t, y.office,
					fmt.Sprintf("/school-admin/attendance/report?divisionId=%s&month=%s", d, month))
				for _, s := range r.Students {
					put(s.AdmissionNumber+" "+month, s.Totals)
				}
			}
		}
	}
	same(t, "attendance", got, y.select2(t, counted, map[string]any{"from": from, "to": to}))
}

// registerNext marks a week of the new year by where students sit now, and compares it: last
// year's marks are not in it.
func (y *wholeYear) registerNext(t *testing.T) {
	for n, day := range []string{"2027-04-19", "2027-04-20", "2027-04-21"} {
		for _, k := range y.divisions {
			for _, d := range k {
				sits := y.select2(t, `select e.student_id::text as key, s.admission_number as value
					from enrolment e join student s on s.id = e.student_id
					where e.division_id = @division and e.academic_year_id = @next and e.end_date is null`, map[string]any{"division": d, "next": y.next})
				var records []map[string]any
				i := 0
				for id := range maps.Keys(sits) {
					i++
					records = append(records, map[string]any{"studentId": id, "status": mark(i, n)})
				}
				if len(records) == 0 {
					continue // the lowest class has nobody but those who stayed
				}
				testkit.Post[attendance.Marked](t, y.office, "/school-admin/attendance/mark",
					map[string]any{"divisionId": d, "date": day, "records": records, "reason": "From paper"})
			}
		}
	}
	y.compareAttendance(t, "2027-04-01", "2027-04-26", "2027-04")
	c := y.children[halfDay[0]]
	mine := testkit.Get[attendance.ChildSummary](t, y.parent(t, c), "/parent/attendance/summary?studentId="+c.id.String())
	if mine.Totals.Marked != 3 || mine.From.String() != "2027-04-01" {
		t.Errorf("a parent sees %+v of the new year", mine)
	}
}
