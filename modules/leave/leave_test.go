package leave_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/attendance"
	"homeroom/modules/leave"
	"homeroom/testkit"
)

func TestAParentAsksTheClassTeacherIsToldAndDecidesAndTheParentIsTold(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	l := r.ask(t, 0, 1)
	if l.Status != "PENDING" || l.Days != 2 || l.ApplicantName != "Asha Rao" || l.ApplicantType != "STUDENT" || l.ClassName != "Class 5" ||
		l.DivisionName != "A" || *l.CreatedBy != r.parent.UserID {
		t.Errorf("asked %+v", l)
	}
	if n := r.Count(t, "notification", "user_id = ? and type = 'LEAVE_REQUEST' and record_id = ?", r.classTeacher.UserID, l.ID); n != 1 {
		t.Errorf("the class teacher was told %d times", n)
	}
	if n := r.Count(t, "notification", "user_id = ?", r.colleague.UserID); n != 0 {
		t.Errorf("a colleague was told")
	}
	waiting := testkit.Get[api.Page[leave.LeaveView]](t, r.classTeacher, "/teacher/leave/requests?filters[status]=PENDING")
	if waiting.Total != 1 || waiting.Items[0].ID != l.ID {
		t.Errorf("requests %+v", waiting)
	}
	done := testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED"))
	if done.Status != "APPROVED" || *done.DecidedBy != r.classTeacher.UserID || done.DecisionNote != "Get well" || done.DecidedAt == nil {
		t.Errorf("decided %+v", done)
	}
	if n := r.Count(t, "notification", "user_id = ? and type = 'LEAVE_REQUEST' and record_id = ?", r.parent.UserID, l.ID); n != 1 {
		t.Errorf("the parent was told %d times", n)
	}
	if r.status(t, 0) != "LEAVE" || r.status(t, 1) != "LEAVE" || r.status(t, 2) != "" {
		t.Errorf("register: %q %q %q", r.status(t, 0), r.status(t, 1), r.status(t, 2))
	}
	mine := testkit.Get[api.Page[leave.LeaveView]](t, r.parent, "/parent/leave/list")
	if mine.Total != 1 || mine.Items[0].Status != "APPROVED" {
		t.Errorf("list %+v", mine)
	}
	if got := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()); got.ID != l.ID {
		t.Errorf("read %+v", got)
	}
	if n := r.Count(t, "audit_event", "entity = 'leave'"); n != 2 {
		t.Errorf("%d audit rows", n)
	}
	if page := testkit.Get[api.Page[leave.LeaveView]](t, r.admin,
		"/school-admin/leave/list?filters[search]=asha&filters[applicantType]=STUDENT"); page.Total != 1 {
		t.Errorf("search finds %d", page.Total)
	}
}

func TestAStateThatDoesNotFollowIs409WithTheStateItIsIn(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	rejected := r.ask(t, 1, 1)
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(rejected, "REJECTED"))
	if n := r.Count(t, "attendance", "true"); n != 0 {
		t.Errorf("a rejected leave wrote %d days", n)
	}
	approved := r.ask(t, 1, 1) // the rejected one is not open
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(approved, "APPROVED"))
	cancelled := r.ask(t, 5, 6)
	testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/cancel", cancellation(cancelled))
	begun := r.ask(t, 0, 0)
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(begun, "APPROVED"))
	for _, l := range []leave.LeaveView{rejected, approved, cancelled} {
		now := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()).Status
		for _, to := range []string{"APPROVED", "REJECTED"} {
			if f := r.admin.Refuses(t, "POST", "/school-admin/leave/decide", decision(l, to), 409, ""); !strings.Contains(f.Message, now) {
				t.Errorf("%s to %s: %q", now, to, f.Message)
			}
		}
	}
	for _, l := range []leave.LeaveView{rejected, cancelled, begun} {
		now := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()).Status
		if f := r.parent.Refuses(t, "POST", "/parent/leave/cancel", cancellation(l), 409, ""); !strings.Contains(f.Message, now) {
			t.Errorf("cancel %s: %q", now, f.Message)
		}
	}
	r.admin.Refuses(t, "POST", "/school-admin/leave/decide", decision(approved, "CANCELLED"), 422, "")
}

func TestCancellingTakesBackTheLeavesOwnDaysAndNoTeachersMark(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	l := r.ask(t, 1, 3)
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED"))
	// One of the days was marked by hand, as if the clock had gone on.
	err := r.DB(t).Exec(`update attendance set status = 'PRESENT', source = 'TEACHER', leave_id = null, version = version + 1 where date = ?`,
		r.today.AddDays(2)).Error
	if err != nil {
		t.Fatal(err)
	}
	testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/cancel", cancellation(l))
	if n := r.Count(t, "attendance", "source = 'TEACHER' and status = 'PRESENT'"); n != 1 || r.Count(t, "attendance", "true") != 1 {
		t.Errorf("%d marks of a teacher, %d in all", n, r.Count(t, "attendance", "true"))
	}
	if n := r.Count(t, "attendance_revision", "leave_id = ? and replaced_by = ?", l.ID, r.parent.UserID); n != 2 {
		t.Errorf("%d days taken back in the book", n)
	}
	h := testkit.Get[attendance.AttendanceHistory](t, r.admin,
		"/school-admin/attendance/history/"+r.child.ID.String()+"?to="+r.today.AddDays(3).String())
	if len(h.Days) != 3 || h.Days[0].Status != nil || len(h.Days[0].Revisions) != 2 || *h.Days[0].Revisions[0].Status != "LEAVE" ||
		h.Days[0].Revisions[1].MarkedBy != r.parent.UserID {
		t.Errorf("history %+v", h)
	}
	r.ask(t, 1, 3) // and may be asked for again
}

func TestLeaveIsWrittenOnSchoolDaysOnly(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	testkit.Post[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Festival", "startDate": r.today.AddDays(2)})
	l := r.ask(t, 1, 3)
	if l.Days != 2 {
		t.Errorf("%g days", l.Days)
	}
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED"))
	if r.status(t, 1) != "LEAVE" || r.status(t, 2) != "HOLIDAY" || r.status(t, 3) != "LEAVE" || r.Count(t, "attendance", "true") != 2 {
		t.Errorf("%q %q %q", r.status(t, 1), r.status(t, 2), r.status(t, 3))
	}
	testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/cancel", cancellation(l))
	f := r.parent.Refuses(t, "POST", "/parent/leave/apply", r.days(2, 2, map[string]any{"studentId": r.child.ID}), 422, "")
	if len(f.Details) != 1 || !strings.Contains(f.Details[0].Message, "no school") {
		t.Errorf("details %+v", f.Details)
	}
}

func TestAnAbsenceBecomesTheLeaveItWasAndOneWhoCameStaysPresent(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.mark(t, "ABSENT")
	l := r.ask(t, 0, 0)
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED"))
	if got := r.status(t, 0); got != "LEAVE" {
		t.Errorf("an excused absence is %q", got)
	}
	if got := r.mark(t, "ABSENT"); got.Changed != 0 || got.Records[0].Status != "LEAVE" || *got.Records[0].LeaveID != l.ID {
		t.Errorf("marked absent on leave: %+v", got)
	}
	if n := r.Count(t, "notification", "user_id = ? and type = 'ATTENDANCE'", r.parent.UserID); n != 1 {
		t.Errorf("told %d times: once before the leave was asked for", n)
	}
	if got := r.mark(t, "PRESENT"); got.Changed != 1 || r.status(t, 0) != "PRESENT" {
		t.Errorf("came anyway: %+v", got)
	}
	other := newRoom(t)
	other.mark(t, "LATE")
	testkit.Post[leave.LeaveView](t, other.admin, "/school-admin/leave/decide", decision(other.ask(t, 0, 0), "APPROVED"))
	if got := other.status(t, 0); got != "LATE" {
		t.Errorf("one who came late is %q", got)
	}
}

func TestOverlappingOpenLeaveIsRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	l := r.ask(t, 1, 3)
	for _, days := range [][2]int{{1, 3}, {3, 5}, {0, 1}, {2, 2}} {
		f := r.parent.Refuses(t, "POST", "/parent/leave/apply", r.days(days[0], days[1], map[string]any{"studentId": r.child.ID}), 409,
			"DUPLICATE_ENTRY")
		if !strings.Contains(f.Message, "open leave") {
			t.Errorf("message %q", f.Message)
		}
	}
	r.ask(t, 4, 4)
	testkit.Post[leave.LeaveView](t, r.parent, "/parent/leave/cancel", cancellation(l))
	r.ask(t, 1, 3)
}

func TestBadRequestsForLeaveNameEveryField(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for want, bad := range map[string]map[string]any{
		"toDate":          r.days(2, 1),
		"fromDate":        r.days(-31, 1),
		"halfDay":         r.days(1, 2, map[string]any{"halfDay": true}),
		"leaveType":       r.days(1, 2, map[string]any{"leaveType": "HOLIDAY"}),
		"reason":          r.days(1, 2, map[string]any{"reason": "  "}),
		"fromDate toDate": {"leaveType": "SICK", "reason": "x"},
		"fromDate ":       r.days(1, 2, map[string]any{"fromDate": "2026-02-30"}),
		" fromDate":       r.days(400, 401),
		" toDate":         r.days(1, 300),
	} {
		bad["studentId"] = r.child.ID
		f := r.parent.Refuses(t, "POST", "/parent/leave/apply", bad, 422, "")
		var fields []string
		for _, d := range f.Details {
			fields = append(fields, d.Field)
		}
		if got := strings.Join(fields, " "); got != strings.TrimSpace(want) {
			t.Errorf("want %s: %+v", want, f.Details)
		}
	}
	if n := r.Count(t, "leave", "true"); n != 0 {
		t.Errorf("%d leaves", n)
	}
}

func TestOthersLeaveIsNotThere(t *testing.T) {
	t.Parallel()
	r, elsewhere := newRoom(t), newRoom(t)
	l := r.ask(t, 1, 1)
	stranger := r.parentOf(t, r.other)
	for _, id := range []uuid.UUID{r.other.ID, elsewhere.child.ID, uuid.New()} {
		r.parent.Refuses(t, "POST", "/parent/leave/apply", r.days(5, 5, map[string]any{"studentId": id}), 404, "STUDENT_NOT_FOUND")
	}
	stranger.Refuses(t, "POST", "/parent/leave/cancel", cancellation(l), 404, "")
	elsewhere.parent.Refuses(t, "POST", "/parent/leave/cancel", cancellation(l), 404, "")
	elsewhere.admin.Refuses(t, "GET", "/school-admin/leave/"+l.ID.String(), nil, 404, "")
	elsewhere.admin.Refuses(t, "POST", "/school-admin/leave/decide", decision(l, "APPROVED"), 404, "")
	r.colleague.Refuses(t, "POST", "/teacher/leave/decide", decision(l, "APPROVED"), 404, "") // teaches there, and is not the class teacher
	r.colleague.Refuses(t, "POST", "/teacher/leave/cancel", cancellation(l), 404, "")
	for who, page := range map[string]api.Page[leave.LeaveView]{
		"another parent": testkit.Get[api.Page[leave.LeaveView]](t, stranger, "/parent/leave/list"),
		"a colleague":    testkit.Get[api.Page[leave.LeaveView]](t, r.colleague, "/teacher/leave/requests"),
		"the teacher":    testkit.Get[api.Page[leave.LeaveView]](t, r.classTeacher, "/teacher/leave/list"),
	} {
		if page.Total != 0 {
			t.Errorf("%s sees %+v", who, page)
		}
	}
	if got := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()); got.Status != "PENDING" {
		t.Errorf("it is %s", got.Status)
	}
}

func TestNobodyDecidesTheirOwnChildsLeave(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	l := r.ask(t, 1, 1)
	// The class teacher is the child's father: another account, the same phone.
	err := r.DB(t).Exec(`update app_user set phone = (select phone from app_user where id = ?) where id = ?`, r.parent.UserID,
		r.classTeacher.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	r.classTeacher.Refuses(t, "POST", "/teacher/leave/decide", decision(l, "APPROVED"), 403, "PERMISSION_DENIED")
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(l, "APPROVED"))
}

func TestLeaveOfDaysToComeIsShownAndNotCounted(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(r.ask(t, 1, 1), "APPROVED"))
	day := r.today.AddDays(1)
	query := "divisionId=" + r.a.ID.String() + "&month=" + day.String()[:7]
	month := testkit.Get[attendance.MonthRegister](t, r.admin, "/school-admin/attendance/report?"+query)
	for _, s := range month.Students {
		if s.StudentID == r.child.ID && (s.Statuses.At(day.Day-1) != "LEAVE" || s.Totals.Marked != 0 || s.Totals.Percent != nil) {
			t.Errorf("in the register %q, %+v", s.Statuses.At(day.Day-1), s.Totals)
		}
	}
	if len(month.Students) != 2 || month.Totals.Marked != 0 {
		t.Errorf("%d students, %+v", len(month.Students), month.Totals)
	}
	lines := strings.Split(string(r.admin.Call(t, "GET", "/school-admin/attendance/report.csv?"+query, nil).Body), "\n")
	if len(lines) < 2 || !strings.Contains(lines[1], "LEAVE") || !strings.HasSuffix(strings.TrimSpace(lines[1]), ",0,0,0,0,0,") {
		t.Errorf("file %q", lines)
	}
	child := testkit.Get[attendance.ChildMonth](t, r.parent,
		"/parent/attendance/list?studentId="+r.child.ID.String()+"&month="+day.String()[:7])
	if s := child.Days[day.Day-1].Status; s == nil || *s != "LEAVE" || child.Totals.Marked != 0 {
		t.Errorf("the parent's month %+v", child)
	}
}

func TestADayThatBecameASchoolDayWithinALeaveIsLeaveWhenItIsMarked(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	h := testkit.Post[attendance.Holiday](t, r.admin, "/school-admin/attendance/holiday/create",
		map[string]any{"name": "Festival", "startDate": r.today})
	l := r.ask(t, 0, 1)
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED"))
	if a := r.admin.Call(t, "DELETE", "/school-admin/attendance/holiday/"+h.ID.String(), nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	told := func() int {
		return r.Count(t, "notification", "user_id = ? and type = 'ATTENDANCE'", r.parent.UserID)
	}
	before := told()
	for _, status := range []string{"ABSENT", "ABSENT", "PRESENT", "ABSENT"} {
		want := "LEAVE"
		if status == "PRESENT" {
			want = status
		}
		if m := r.mark(t, status).Records[0]; m.Status != want || (m.LeaveID != nil) != (want == "LEAVE") {
			t.Errorf("%s was taken as %+v", status, m)
		}
	}
	if r.status(t, 0) != "LEAVE" || told() != before {
		t.Errorf("%q, and %d notices more", r.status(t, 0), told()-before)
	}
	if n := r.Count(t, "attendance", "leave_id = ? and source = 'LEAVE' and status = 'LEAVE'", l.ID); n != 2 {
		t.Errorf("%d days of the leave", n)
	}
}
