package attendance_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/testkit"
)

func (r *room) set(t *testing.T, fields map[string]any) {
	t.Helper()
	testkit.Put[struct{ Version int }](t, r.admin, "/school-admin/setting", fields)
}

func (r *room) offOn(t *testing.T, day api.Date) string {
	t.Helper()
	month := testkit.Get[attendance.MonthRegister](t, r.admin,
		"/school-admin/attendance/report?divisionId="+r.a.ID.String()+"&month="+day.String()[:7])
	return month.Days[day.Day-1].DayOff
}

func TestAWeekendHoldsFromTheDayItIsSetAndPastAttendanceStays(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child, past, ahead := r.children[0], r.today.AddDays(-7), r.today.AddDays(7)
	testkit.Post[attendance.Marked](t, r.admin, officeMark,
		map[string]any{"divisionId": r.a.ID, "date": past, "reason": "Late entry", "records": []any{record(child, "PRESENT")}})
	weekday := int(r.today.In(time.UTC).Weekday())
	r.set(t, map[string]any{"weekendDays": []int{weekday}})
	if was, is, will := r.offOn(t, past), r.offOn(t, r.today), r.offOn(t, ahead); was != "" || is != "Weekend" || will != "Weekend" {
		t.Errorf("%q, %q and %q", was, is, will)
	}
	counted := func() int {
		t.Helper()
		path := "/school-admin/attendance/summary?from=" + past.String() + "&to=" + r.today.String()
		return testkit.Get[attendance.AttendanceSummary](t, r.admin, path).Totals.Present
	}
	testkit.Eventually(t, "every question knows the weekend", func() bool { return counted() == 1 })
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(child, "PRESENT")), 422, "")
	// Changed again the same day, it never was: today is a school day, and so are those before.
	r.set(t, map[string]any{"weekendDays": []int{}})
	r.mark(t, record(child, "PRESENT"))
	testkit.Eventually(t, "both days count", func() bool { return counted() == 2 })
}

func TestTeachersMarkUntilTheCutOffAndTheOfficeAfterIt(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child := r.children[0]
	r.set(t, map[string]any{"attendanceCutOff": "00:00", "attendanceTeacherDays": 0})
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(child, "ABSENT")), 422, "")
	testkit.Post[attendance.Marked](t, r.admin, officeMark, sheet(r.a, r.today, record(child, "ABSENT")))
	r.set(t, map[string]any{"attendanceTeacherDays": 1})
	r.mark(t, record(child, "PRESENT"))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-1), record(child, "PRESENT")), 422, "")
	r.set(t, map[string]any{"attendanceCutOff": ""})
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-1), record(child, "PRESENT")))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-2), record(child, "PRESENT")), 422, "")
}
