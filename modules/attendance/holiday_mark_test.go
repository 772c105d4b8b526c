package attendance_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/testkit"
)

func TestHolidayMark_OfEveryStudent_DeclaresTheDayOff(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	other := r.admit(t, "Other", r.b, 1)
	parent := r.parentOf(t, r.children[0])
	testkit.Put[struct{}](t, r.admin, "/school-admin/setting", map[string]any{"attendanceNoticeDelayMinutes": 60})
	r.mark(t, record(r.children[0], "ABSENT"))
	done := r.mark(t, record(r.children[0], "HOLIDAY", map[string]any{"remark": "Flood"}), record(r.children[1], "HOLIDAY"))
	if done.Changed != 2 || done.Records[0].Status != "HOLIDAY" {
		t.Errorf("marked %+v", done)
	}
	read := func(d any) attendance.DayRegister {
		return testkit.Get[attendance.DayRegister](t, r.admin,
			fmt.Sprintf("/school-admin/attendance/register?divisionId=%v&date=%s", d, r.today))
	}
	if reg := read(r.a.ID); reg.DayOff != "Flood" || *reg.Students[1].Status != "HOLIDAY" {
		t.Errorf("register %+v", reg)
	}
	if reg := read(r.b.ID); reg.DayOff != "" || reg.Unmarked != 1 {
		t.Errorf("the other division of the class has %q off", reg.DayOff)
	}
	month := testkit.Get[attendance.ChildMonth](t, parent, "/parent/attendance/list?studentId="+r.children[0].ID.String())
	if d := month.Days[len(month.Days)-1]; month.Totals.Marked != 0 {
		t.Errorf("counted %+v, %+v", month.Totals, d)
	}
	if n := r.Count(t, "notice", "type = 'ATTENDANCE'"); n != 0 {
		t.Errorf("%d notices of the absence are left", n)
	}
	for _, d := range testkit.Get[attendance.Unmarked](t, r.admin, "/school-admin/attendance/unmarked").Divisions {
		if d.DivisionID == r.a.ID {
			t.Error("the division is still to be marked")
		}
	}
	r.mark(t, record(r.children[0], "HOLIDAY"), record(r.children[1], "HOLIDAY")) // said again
	if n := r.Count(t, "holiday", "true"); n != 1 {
		t.Errorf("%d days off", n)
	}
	testkit.Post[attendance.Marked](t, r.admin, officeMark, sheet(r.b, r.today, record(other, "PRESENT")))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(r.children[0], "PRESENT")), 422, "")
}

func TestHolidayMark_OfSomeStudents_IsRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	for name, records := range map[string][]map[string]any{
		"one of two": {record(r.children[0], "HOLIDAY")},
		"mixed":      {record(r.children[0], "HOLIDAY"), record(r.children[1], "PRESENT")},
		"mixed last": {record(r.children[0], "PRESENT"), record(r.children[1], "HOLIDAY")},
	} {
		f := r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, records...), 422, "")
		if len(f.Details) != 1 || f.Details[0].Field != "records" || !strings.Contains(f.Details[0].Message, "mark all 2 students") {
			t.Errorf("%s: %+v", name, f.Details)
		}
	}
	if n := r.Count(t, "holiday", "true"); n != 0 {
		t.Errorf("%d days off", n)
	}
}

func TestHolidayMark_OfADayPast_KeepsTheOfficesReason(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	body := sheet(r.a, r.today.AddDays(-3), record(r.children[0], "HOLIDAY"))
	r.admin.Refuses(t, "POST", officeMark, body, 422, "")
	body["reason"] = "The road was closed"
	testkit.Post[attendance.Marked](t, r.admin, officeMark, body)
	if n := r.Count(t, "audit_event", "action = 'declare off' and after ->> 'reason' = 'The road was closed'"); n != 1 {
		t.Errorf("%d audit rows with the reason", n)
	}
}

func TestHoliday_OfADivision_LeavesItsClassAtSchool(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	h := testkit.Post[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Excursion", "startDate": r.today, "divisionIds": []any{r.a.ID}})
	if h.AllClasses || len(h.DivisionIDs) != 1 || len(h.ClassIDs) != 0 {
		t.Errorf("created %+v", h)
	}
	for division, want := range map[string]string{r.a.ID.String(): "Excursion", r.b.ID.String(): ""} {
		reg := testkit.Get[attendance.DayRegister](t, r.admin, "/school-admin/attendance/register?divisionId="+division)
		if reg.DayOff != want {
			t.Errorf("day off %q, want %q", reg.DayOff, want)
		}
	}
	read := testkit.Get[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/"+h.ID.String())
	if len(read.DivisionIDs) != 1 || read.DivisionIDs[0] != r.a.ID {
		t.Errorf("read %+v", read)
	}
	changed := testkit.Put[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/"+h.ID.String(),
		map[string]any{"divisionIds": []any{}})
	if !changed.AllClasses {
		t.Errorf("of no division any more: %+v", changed)
	}
}

func TestHalfDayLeave_CountsHalf(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child := r.children[0]
	parent := r.parentOf(t, child)
	asked := testkit.Post[leave.Leave](t, parent, "/parent/leave/apply", map[string]any{
		"studentId": child.ID, "leaveType": "SICK", "fromDate": r.today, "toDate": r.today, "halfDay": true, "reason": "Dentist"})
	testkit.Post[struct{}](t, r.admin, "/school-admin/leave/decide", map[string]any{"leaveId": asked.ID, "status": "APPROVED"})
	testkit.Post[attendance.Marked](t, r.admin, officeMark,
		map[string]any{"divisionId": r.a.ID, "date": r.today.AddDays(-1), "reason": "Late",
			"records": []any{record(child, "PRESENT")}})
	s := testkit.Get[attendance.ChildSummary](t, parent, "/parent/attendance/summary?studentId="+child.ID.String())
	if s.Totals.Marked != 2 || s.Totals.Leave != 1 || s.Totals.HalfDays != 1 || *s.Totals.Percent != 75 {
		t.Errorf("summary %+v", s.Totals)
	}
	reg := testkit.Get[attendance.DayRegister](t, r.admin, "/school-admin/attendance/register?divisionId="+r.a.ID.String())
	if !reg.Students[0].HalfDay || *reg.Students[0].Status != "LEAVE" || reg.HalfDays != 1 {
		t.Errorf("register %+v", reg.Students[0])
	}
	report := testkit.Get[attendance.MonthRegister](t, r.admin, "/school-admin/attendance/report?divisionId="+r.a.ID.String())
	if report.Students[0].Totals.HalfDays != 1 {
		t.Errorf("month %+v", report.Students[0].Totals)
	}
	r.mark(t, record(child, "ABSENT"))
	if reg := testkit.Get[attendance.DayRegister](t, r.admin, "/school-admin/attendance/register?divisionId="+r.a.ID.String()); reg.HalfDays != 1 {
		t.Errorf("marked absent on it: %+v", reg.Students[0])
	}
}
