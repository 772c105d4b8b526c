package attendance_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/notice"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// pass lets all notices that wait be told, as their hour would.
func (r *room) pass(t *testing.T) {
	t.Helper()
	var ids []uuid.UUID
	err := r.DB(t).Raw(`select id from notice where told_at is null`).Scan(&ids).Error
	if err == nil {
		err = tenancy.Pipeline(r.DB(t), tenancy.Query{SQL: notice.InsertLog, Args: []any{ids, time.Now().Add(48 * time.Hour)}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (r *room) delay(t *testing.T, minutes int) {
	t.Helper()
	set := testkit.Put[struct{ AttendanceNoticeDelayMinutes int }](t, r.admin, "/school-admin/setting",
		map[string]any{"attendanceNoticeDelayMinutes": minutes})
	if set.AttendanceNoticeDelayMinutes != minutes {
		t.Fatalf("set %+v", set)
	}
}

func TestParentsAreToldOfAbsenceAndLatenessOnceAndOfACorrectionOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 4)
	absent, late, present, onLeave := r.parentOf(t, r.children[0]), r.parentOf(t, r.children[1]), r.parentOf(t, r.children[2]),
		r.parentOf(t, r.children[3])
	for range 2 {
		r.mark(t, record(r.children[0], "ABSENT"), record(r.children[1], "LATE"), record(r.children[2], "PRESENT"),
			record(r.children[3], "LEAVE"))
	}
	for who, c := range map[string]*testkit.Client{"absent": absent, "late": late} {
		if n := r.told(t, c); n != 1 {
			t.Errorf("the parent of the %s child was told %d times", who, n)
		}
	}
	if n := r.told(t, present) + r.told(t, onLeave); n != 0 {
		t.Errorf("%d others were told", n)
	}
	for range 2 {
		r.mark(t, record(r.children[0], "PRESENT"), record(r.children[1], "LEAVE"))
	}
	if n := r.told(t, absent); n != 2 {
		t.Errorf("told %d times", n)
	}
	if n := r.Count(t, "notification", "user_id = ? and body like 'Correction: Child1 Rao was present%'", absent.UserID); n != 1 {
		t.Errorf("%d corrections", n)
	}
	if n := r.told(t, late); n != 1 {
		t.Errorf("leave was told: %d", n)
	}
	r.mark(t, record(r.children[0], "ABSENT"))
	if n := r.told(t, absent); n != 3 {
		t.Errorf("absent again: told %d times", n)
	}
	if n := r.Count(t, "audit_event", "entity = 'attendance' and action = 'mark'"); n != 3 {
		t.Errorf("%d audit rows", n)
	}
}

func TestWithinTheDelayACorrectionCancelsTheNotice(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	r.delay(t, 15)
	parent := r.parentOf(t, r.children[0])
	r.mark(t, record(r.children[0], "ABSENT"))
	if n := r.Count(t, "notice", "told_at is null and due_at > created_at + interval '14 minutes'"); n != 1 || r.told(t, parent) != 0 {
		t.Fatalf("%d waiting, %d told", n, r.told(t, parent))
	}
	r.mark(t, record(r.children[0], "PRESENT"))
	if n := r.Count(t, "notice", "true"); n != 0 {
		t.Fatalf("%d notices are left", n)
	}
	r.pass(t)
	if n := r.told(t, parent); n != 0 {
		t.Fatalf("told %d times", n)
	}
	r.mark(t, record(r.children[0], "ABSENT"))
	r.mark(t, record(r.children[0], "LATE"))
	if n := r.Count(t, "notice", "key like '%:LATE'"); n != 1 || r.Count(t, "notice", "true") != 1 {
		t.Fatalf("%d notices of lateness of %d", n, r.Count(t, "notice", "true"))
	}
	r.pass(t)
	r.mark(t, record(r.children[0], "PRESENT"))
	if n := r.told(t, parent); n != 2 {
		t.Errorf("told %d times: late, and the correction", n)
	}
}

func TestWhatParentsHeardBeforeIsCorrectedThoughTheLastNoticeWasWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	r.delay(t, 15)
	parent := r.parentOf(t, r.children[0])
	r.mark(t, record(r.children[0], "ABSENT"))
	r.pass(t)
	r.mark(t, record(r.children[0], "LATE"))
	r.mark(t, record(r.children[0], "PRESENT"))
	r.pass(t)
	if n := r.Count(t, "notification", "user_id = ? and body like 'Correction%'", parent.UserID); n != 1 || r.told(t, parent) != 2 {
		t.Errorf("%d corrections, told %d times", n, r.told(t, parent))
	}
	for _, minutes := range []int{-1, 1441} {
		r.admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"attendanceNoticeDelayMinutes": minutes}, 422, "")
	}
}

func TestPastDays_65OldRegistersEntered_NothingIsSent(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 2)
	parent := r.parentOf(t, r.children...)
	enter := func(day int, first, second string) {
		t.Helper()
		old := sheet(r.a, r.today.AddDays(-day), record(r.children[0], first), record(r.children[1], second))
		old["reason"] = "From the paper register"
		testkit.Post[struct{}](t, r.admin, officeMark, old)
	}
	for day := 65; day > 0; day-- {
		enter(day, "ABSENT", "LATE")
	}
	enter(30, "PRESENT", "LATE") // a correction of what was not sent
	r.mark(t, record(r.children[0], "ABSENT"))
	testkit.Eventually(t, "today's absence is sent", func() bool { return r.Count(t, "delivery", "state = 'SENT' and recipient like 'user_%'") == 1 })
	testkit.Eventually(t, "all are heard", func() bool { return r.Count(t, "outbox", "kind = ?", notice.Due) == 0 })
	today := r.Count(t, "notice", "not silent")
	if sent := r.Count(t, "delivery", "record_id in (select record_id from notice where silent)"); sent != 0 || today != 1 {
		t.Errorf("%d messages about the past, %d notices that are not silent; want 0 and 1", sent, today)
	}
	if n := r.told(t, parent); n != 132 {
		t.Errorf("the log has %d lines, want 132", n)
	}
	if n := testkit.Get[struct{ UnreadCount int }](t, parent, "/parent/notification/unread-count").UnreadCount; n != 1 {
		t.Errorf("%d are unread, want 1", n)
	}
}

func TestPastDays_WithinTheSetting_AreSentAndSoAreCorrections(t *testing.T) {
	t.Parallel()
	r := newRoom(t, 1)
	parent := r.parentOf(t, r.children[0])
	yesterday := func(status string, back int) {
		t.Helper()
		old := sheet(r.a, r.today.AddDays(-back), record(r.children[0], status))
		old["reason"] = "A mistake"
		testkit.Post[struct{}](t, r.admin, officeMark, old)
	}
	testkit.Put[struct{}](t, r.admin, "/school-admin/setting", map[string]any{"noticePastDays": 2})
	yesterday("ABSENT", 2)
	testkit.Put[struct{}](t, r.admin, "/school-admin/setting", map[string]any{"noticePastDays": 0})
	yesterday("PRESENT", 2)
	yesterday("ABSENT", 1)
	if n := r.Count(t, "notice", "not silent"); n != 2 || r.told(t, parent) != 3 {
		t.Errorf("%d of %d are sent, want 2 of 3: the absence, and its correction", n, r.told(t, parent))
	}
}
