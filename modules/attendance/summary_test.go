package attendance_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/testkit"
)

func (r *room) summary(t *testing.T, from, to api.Date) attendance.AttendanceSummary {
	t.Helper()
	return testkit.Get[attendance.AttendanceSummary](t, r.admin, fmt.Sprintf("/school-admin/attendance/summary?from=%s&to=%s", from, to))
}

// officeMarks marks children of a division on a day past.
func (r *room) officeMarks(t *testing.T, day api.Date, records ...map[string]any) {
	t.Helper()
	body := sheet(r.a, day, records...)
	body["reason"] = "Entered late"
	testkit.Post[attendance.Marked](t, r.admin, officeMark, body)
}

func TestSummary_OfADay_CountsEnrolledMarkedAndNotMarked(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 4)
	r.admit(t, "Other", r.b, 1)
	r.mark(t, record(r.children[0], "PRESENT"), record(r.children[1], "LATE"), record(r.children[2], "ABSENT"))
	s := r.summary(t, r.today, r.today)
	if s.Enrolled != 5 {
		t.Errorf("%d enrolled, want 5", s.Enrolled)
	}
	if n := s.Totals; n.SchoolDays != 5 || n.Marked != 3 || n.Unmarked != 2 {
		t.Errorf("of the school %+v, want 5 days, 3 marked, 2 not", n)
	}
	if n := s.Totals; n.Present != 1 || n.Late != 1 || n.Absent != 1 || *n.Percent != 66.7 {
		t.Errorf("of the school %+v, want a percentage of the three that were marked", n)
	}
	class := s.Classes[0]
	if class.Enrolled != 5 || class.Totals.Unmarked != 2 {
		t.Errorf("of the class %+v", class)
	}
	a, b := class.Divisions[0], class.Divisions[1]
	if a.Enrolled != 4 || a.Totals.SchoolDays != 4 || a.Totals.Unmarked != 1 {
		t.Errorf("of A %+v, want 4 enrolled, 1 not marked", a)
	}
	if b.Enrolled != 1 || b.Totals.Marked != 0 || b.Totals.Percent != nil {
		t.Errorf("of B %+v, want no percentage of nothing", b)
	}
}

func TestSummary_OfAPeriod_CountsTheSchoolDaysOfEveryEnrolment(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	from := r.today.AddDays(-9)
	testkit.Post[struct{}](t, r.admin, "/school-admin/student/create", map[string]any{"firstName": "Late", "lastName": "Comer",
		"divisionId": r.a.ID, "admissionDate": r.today.AddDays(-3)})
	testkit.Post[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Excursion", "startDate": r.today.AddDays(-1), "divisionIds": []any{r.a.ID}})
	r.officeMarks(t, r.today.AddDays(-5), record(r.children[0], "PRESENT"))
	s := r.summary(t, from, r.today.AddDays(20))
	// Ten days of the one and four of the other, a day off less for both; days to come are none yet.
	if n := s.Totals; n.SchoolDays != 9+3 || n.Marked != 1 || n.Unmarked != 11 {
		t.Errorf("%+v, want 12 school days, 1 marked", n)
	}
	if s.Enrolled != 2 {
		t.Errorf("%d enrolled, want 2", s.Enrolled)
	}
	off := r.summary(t, r.today.AddDays(-1), r.today.AddDays(-1))
	if d := off.Classes[0].Divisions[0]; d.DayOff != "Excursion" || d.Totals.SchoolDays != 0 || d.Totals.Unmarked != 0 {
		t.Errorf("on its day off %+v", d)
	}
}

func TestSummary_AsAFile_HasALineForEveryDivisionAndTheSchool(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	r.mark(t, record(r.children[0], "PRESENT"))
	body := r.admin.Call(t, "GET", fmt.Sprintf("/school-admin/attendance/summary.csv?from=%s&to=%s", r.today, r.today), nil).Body
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"class,division,enrolled,schoolDays,marked,notMarked,present,absent,late,leave,percent",
		"Class 5,A,2,2,1,1,1,0,0,0,100.0", "Class 5,B,0,0,0,0,0,0,0,0,", "Class 5,,2,2,1,1,1,0,0,0,100.0", ",,2,2,1,1,1,0,0,0,100.0",
	}
	for i, line := range lines {
		if got := strings.Join(line, ","); i >= len(want) || got != want[i] {
			t.Errorf("line %d is %q", i+1, got)
		}
	}
}

func TestTotals_SayWhatTheyCount(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child, year := r.children[0], 101 // days since the year began, today included
	parent := r.parentOf(t, child)
	r.officeMarks(t, r.today.AddDays(-1), record(child, "PRESENT"))
	r.mark(t, record(child, "ABSENT"))
	sum := testkit.Get[attendance.ChildSummary](t, parent, "/parent/attendance/summary?studentId="+child.ID.String())
	if n := sum.Totals; n.SchoolDays != year || n.Marked != 2 || n.Unmarked != year-2 || *n.Percent != 50 {
		t.Errorf("the year of a child %+v", n)
	}
	month := testkit.Get[attendance.ChildMonth](t, parent, "/parent/attendance/list?studentId="+child.ID.String())
	if n := month.Totals; n.SchoolDays != r.today.Day || n.SchoolDays != n.Marked+n.Unmarked {
		t.Errorf("the month of a child %+v on day %d", n, r.today.Day)
	}
	report := testkit.Get[attendance.MonthRegister](t, r.admin, "/school-admin/attendance/report?divisionId="+r.a.ID.String())
	if n := report.Students[0].Totals; n.SchoolDays != r.today.Day || report.Totals.SchoolDays != r.today.Day {
		t.Errorf("the month of a register %+v on day %d", n, r.today.Day)
	}
	card := testkit.Get[struct {
		Attendance struct {
			Present, SchoolDays, Marked, Total int
			Percent                            float64
		}
	}](t, r.admin, "/school-admin/exam/report-card/"+child.ID.String())
	if n := card.Attendance; n.SchoolDays != year || n.Marked != 2 || n.Total != n.Marked || n.Present != 1 || n.Percent != 50 {
		t.Errorf("the report card %+v", n)
	}
}
