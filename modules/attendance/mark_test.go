package attendance_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/modules/attendance"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestATeacherMarksADivisionAndTheRegisterShowsIt(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 4)
	done := r.mark(t, record(r.children[0], "PRESENT"), record(r.children[1], "ABSENT", map[string]any{"remark": "No word"}),
		record(r.children[2], "LATE", map[string]any{"lateMinutes": 12}))
	if done.Changed != 3 || done.Present != 1 || done.Absent != 1 || done.Late != 1 || len(done.Records) != 3 {
		t.Errorf("marked %+v", done)
	}
	path := fmt.Sprintf("/attendance/register?divisionId=%s&date=%s", r.a.ID, r.today)
	for prefix, c := range map[string]*testkit.Client{"/teacher": r.teacher, "/school-admin": r.admin} {
		reg := testkit.Get[attendance.DayRegister](t, c, prefix+path)
		if len(reg.Students) != 4 || reg.Unmarked != 1 || reg.DayOff != "" || reg.Late != 1 {
			t.Fatalf("register %+v", reg)
		}
		late, unmarked := reg.Students[2], reg.Students[3]
		if *late.Status != "LATE" || *late.LateMinutes != 12 || late.Source != "TEACHER" || *late.MarkedBy != r.teacher.UserID ||
			unmarked.Status != nil {
			t.Errorf("late %+v, unmarked %+v", late, unmarked)
		}
	}
	if n := r.Count(t, "audit_event", "entity = 'attendance' and action = 'mark' and entity_id = ?", r.a.ID.String()); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestMarksAreAllOrNothingAndEveryBadFieldIsNamed(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	other := r.admit(t, "Ravi", r.b, 1)
	elsewhere := newRoom(t, 1)
	f := r.teacher.Refuses(t, "POST", teacherMark,
		sheet(r.a, r.today, record(r.children[0], "PRESENT"), record(other, "PRESENT"), record(elsewhere.children[0], "ABSENT"),
			record(r.children[0], "ABSENT"), record(r.children[1], "PRESENT", map[string]any{"lateMinutes": 3})), 422, "")
	var fields []string
	for _, d := range f.Details {
		fields = append(fields, d.Field)
	}
	if got := strings.Join(fields, " "); got != "records[1].studentId records[2].studentId records[3].studentId records[4].lateMinutes" {
		t.Errorf("named %s", got)
	}
	if got, want := f.Details[0].Message, fmt.Sprintf("is not on the roster of Class 5 A on %s", r.today); got != want {
		t.Errorf("message %q, want %q: its field says whom", got, want)
	}
	if n := r.Count(t, "attendance", "true") + r.Count(t, "attendance_revision", "true"); n != 0 {
		t.Errorf("%d rows were written", n)
	}
	for _, status := range []string{"present", ""} {
		r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(r.children[0], status)), 422, "")
	}
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, "2026-02-30", record(r.children[0], "PRESENT")), 422, "")
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today), 422, "")
	r.admin.Refuses(t, "POST", officeMark, sheet(elsewhere.a, r.today, record(r.children[0], "PRESENT")), 404, "")
	r.teacher.Refuses(t, "POST", teacherMark, sheet(elsewhere.a, r.today, record(r.children[0], "PRESENT")), 404, "")
}

func TestATeacherMarksOnlyDivisionsTheyAreAssignedTo(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	ravi := r.admit(t, "Ravi", r.b, 1)
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.b, r.today, record(ravi, "PRESENT")), 403, "PERMISSION_DENIED")
	for _, what := range []string{"register", "report"} {
		r.teacher.Refuses(t, "GET", fmt.Sprintf("/teacher/attendance/%s?divisionId=%s", what, r.b.ID), nil, 403, "PERMISSION_DENIED")
	}
	if n := r.Count(t, "attendance", "true"); n != 0 {
		t.Errorf("%d marks", n)
	}
}

func TestTeachersMarkAWeekBackAndTheOfficeTheYearWithAReason(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child := r.children[0]
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today.AddDays(-7), record(child, "PRESENT")))
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-8), record(child, "PRESENT")), 422, "")
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(1), record(child, "PRESENT")), 422, "")
	old := sheet(r.a, r.today.AddDays(-60), record(child, "ABSENT"))
	if f := r.admin.Refuses(t, "POST", officeMark, old, 422, ""); len(f.Details) != 1 || f.Details[0].Field != "reason" {
		t.Errorf("details %+v", f.Details)
	}
	old["reason"] = "  "
	if f := r.admin.Refuses(t, "POST", officeMark, old, 422, ""); len(f.Details) != 1 || f.Details[0].Field != "reason" {
		t.Errorf("a reason of spaces: %+v", f.Details)
	}
	old["reason"] = "The paper register was found"
	testkit.Post[attendance.Marked](t, r.admin, officeMark, old)
	if n := r.Count(t, "attendance", "reason = 'The paper register was found' and source = 'ADMIN'"); n != 1 {
		t.Errorf("%d marks with the reason", n)
	}
	for _, days := range []int{1, -101} {
		late := sheet(r.a, r.today.AddDays(days), record(child, "ABSENT"))
		late["reason"] = "Because"
		if f := r.admin.Refuses(t, "POST", officeMark, late, 422, ""); f.Details[0].Field != "date" {
			t.Errorf("details %+v", f.Details)
		}
	}
}

func TestMarkingUsesTheRosterOfTheDayAndNotOfToday(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	moved := r.children[0]
	testkit.Put[roster.StudentDetail](t, r.admin, "/school-admin/student/"+moved.ID.String(),
		map[string]any{"divisionId": r.b.ID, "rollNumber": 9})
	yesterday := sheet(r.a, r.today.AddDays(-1), record(moved, "PRESENT"))
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, yesterday)
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today, record(moved, "PRESENT")), 422, "")
	newcomer := testkit.Post[roster.StudentDetail](t, r.admin, "/school-admin/student/create",
		map[string]any{"firstName": "New", "divisionId": r.a.ID, "enrolledFrom": r.today})
	r.teacher.Refuses(t, "POST", teacherMark, sheet(r.a, r.today.AddDays(-1), record(newcomer, "PRESENT")), 422, "")
	testkit.Post[attendance.Marked](t, r.teacher, teacherMark, sheet(r.a, r.today, record(newcomer, "PRESENT")))
}

func TestCorrectionsKeepEveryRevisionAndRepetitionsNone(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	child := r.children[0]
	r.mark(t, record(child, "ABSENT"))
	if again := r.mark(t, record(child, "ABSENT")); again.Changed != 0 {
		t.Errorf("again %+v", again)
	}
	r.mark(t, record(child, "LATE", map[string]any{"lateMinutes": 20}))
	testkit.Post[attendance.Marked](t, r.admin, officeMark, sheet(r.a, r.today, record(child, "PRESENT")))
	h := testkit.Get[attendance.AttendanceHistory](t, r.admin, "/school-admin/attendance/history/"+child.ID.String())
	if len(h.Days) != 1 || *h.Days[0].Status != "PRESENT" || len(h.Days[0].Revisions) != 3 || h.FirstName != "Child1" {
		t.Fatalf("history %+v", h)
	}
	for i, want := range []string{"ABSENT", "LATE", "PRESENT"} {
		if v := h.Days[0].Revisions[i]; *v.Status != want || v.MarkedByName != "Test" {
			t.Errorf("revision %d: %+v", i, v)
		}
	}
	if by := h.Days[0].Revisions[2].MarkedBy; by != r.admin.UserID {
		t.Errorf("by %s", by)
	}
	if err := r.DB(t).Exec(`delete from attendance_revision`).Error; err == nil {
		t.Error("revisions can be deleted")
	}
	if n := r.Count(t, "attendance", "version = 3 and source = 'ADMIN'"); n != 1 {
		t.Errorf("%d marks at version 3", n)
	}
}

func TestAMarkThatWasMadeInSightOfAnotherIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	seen := func(version int) map[string]any { return map[string]any{"version": version} }
	r.mark(t, record(r.children[0], "PRESENT", seen(0)))
	r.mark(t, record(r.children[0], "LATE", seen(1)))
	f := r.teacher.Refuses(t, "POST", teacherMark,
		sheet(r.a, r.today, record(r.children[1], "PRESENT", seen(0)), record(r.children[0], "ABSENT", seen(1))), 409, "")
	if len(f.Details) != 1 || f.Details[0].Field != "records[1].version" || f.Details[0].Message != "somebody marked LATE meanwhile" {
		t.Errorf("refused %+v", f)
	}
	reg := testkit.Get[attendance.DayRegister](t, r.teacher, fmt.Sprintf("/teacher/attendance/register?divisionId=%s", r.a.ID))
	if first, second := reg.Students[0], reg.Students[1]; *first.Status != "LATE" || first.Version != 2 || second.Status != nil ||
		second.Version != 0 {
		t.Errorf("register %+v", reg.Students)
	}
	// Who does not say what they saw has the last word.
	if done := r.mark(t, record(r.children[0], "ABSENT")); done.Changed != 1 {
		t.Errorf("marked %+v", done)
	}
}
