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
