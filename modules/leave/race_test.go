package leave_test

import (
	"sync"
	"testing"

	"homeroom/modules/leave"
	"homeroom/testkit"
)

// atOnce runs calls at the same time and counts the answers by status.
func atOnce(t *testing.T, calls ...func() (testkit.Answer, error)) map[int]int {
	t.Helper()
	answers := make([]testkit.Answer, len(calls))
	var group sync.WaitGroup
	for i, call := range calls {
		group.Go(func() {
			a, err := call()
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
	}
	group.Wait()
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
		if a.Status != 200 && a.Status != 201 && a.Status != 409 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	return counts
}

func post(c *testkit.Client, path string, data any) func() (testkit.Answer, error) {
	return func() (testkit.Answer, error) { return c.TryCall("POST", path, data) }
}

func TestOfTwoApprovalsAtOnceOneWinsAndTheParentIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for i := range 4 {
		l := r.ask(t, 1+i*3, 2+i*3)
		got := atOnce(t, post(r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED")),
			post(r.admin, "/school-admin/leave/decide", decision(l, "APPROVED")),
			post(r.admin, "/school-admin/leave/decide", decision(l, "REJECTED")))
		if got[200] != 1 || got[409] != 2 {
			t.Errorf("answers %v", got)
		}
		if n := r.Count(t, "notification", "user_id = ? and record_id = ?", r.parent.UserID, l.ID); n != 1 {
			t.Errorf("told %d times", n)
		}
		status := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()).Status
		if n := r.Count(t, "attendance", "leave_id = ?", l.ID); (status == "APPROVED") != (n == 2) || (status == "REJECTED") != (n == 0) {
			t.Errorf("%s with %d days", status, n)
		}
	}
}

func TestApprovalAgainstCancellationLeavesNoDaysOfACancelledLeave(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for range 5 {
		l := r.ask(t, 1, 2)
		// Both may succeed, one after the other: an approved leave that has not begun can be cancelled.
		got := atOnce(t, post(r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED")),
			post(r.parent, "/parent/leave/cancel", cancellation(l)))
		if got[200] == 0 {
			t.Errorf("answers %v", got)
		}
		if status := testkit.Get[leave.LeaveView](t, r.admin, "/school-admin/leave/"+l.ID.String()).Status; status != "CANCELLED" {
			t.Errorf("it is %s: %v", status, got)
		}
		if n := r.Count(t, "attendance", "true"); n != 0 {
			t.Errorf("%d days are left", n)
		}
		if n := r.Count(t, "notification", "user_id = ? and record_id = ?", r.parent.UserID, l.ID); n != got[200]-1 {
			t.Errorf("told %d times: %v", n, got)
		}
	}
}

func TestOfTenEqualRequestsAtOnceOneIsMade(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	data := r.days(1, 2, map[string]any{"studentId": r.child.ID})
	var calls []func() (testkit.Answer, error)
	for range 10 {
		calls = append(calls, post(r.parent, "/parent/leave/apply", data))
	}
	if got := atOnce(t, calls...); got[201] != 1 || got[409] != 9 {
		t.Errorf("answers %v", got)
	}
	if n := r.Count(t, "notification", "user_id = ?", r.classTeacher.UserID); n != 1 {
		t.Errorf("the teacher was told %d times", n)
	}
}

func TestARequestThatIsSentAgainWithItsKeyIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	parent := r.parent.With("Idempotency-Key", "tap-1")
	data := r.days(1, 2, map[string]any{"studentId": r.child.ID})
	first := testkit.Post[leave.LeaveView](t, parent, "/parent/leave/apply", data)
	if again := testkit.Post[leave.LeaveView](t, parent, "/parent/leave/apply", data); again.ID != first.ID {
		t.Errorf("%s, then %s", first.ID, again.ID)
	}
	if n := r.Count(t, "notification", "user_id = ?", r.classTeacher.UserID); n != 1 || r.Count(t, "leave", "true") != 1 {
		t.Errorf("the teacher was told %d times", n)
	}
}

func TestTwoRequestsAtOnceDoNotOverdrawABalance(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.entitle(t, 3)
	got := atOnce(t, post(r.classTeacher, "/teacher/leave/apply", r.days(1, 2)), post(r.classTeacher, "/teacher/leave/apply", r.days(11, 12)),
		post(r.classTeacher, "/teacher/leave/apply", r.days(21, 22)))
	if got[201] != 1 || got[409] != 2 {
		t.Errorf("answers %v", got)
	}
}

func TestAnApprovalAgainstAMarkEndsInOneOfTheTwoWithoutError(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for i, status := range []string{"ABSENT", "PRESENT", "ABSENT", "PRESENT"} {
		if err := r.DB(t).Exec(`delete from attendance`).Error; err != nil {
			t.Fatal(err)
		}
		if err := r.DB(t).Exec(`update leave set status = 'REJECTED'`).Error; err != nil {
			t.Fatal(err)
		}
		l := r.ask(t, 0, 1)
		marks := map[string]any{"divisionId": r.a.ID, "date": r.today,
			"records": []any{map[string]any{"studentId": r.child.ID, "status": status},
				map[string]any{"studentId": r.other.ID, "status": "PRESENT"}}}
		got := atOnce(t, post(r.classTeacher, "/teacher/leave/decide", decision(l, "APPROVED")),
			post(r.colleague, "/teacher/attendance/mark", marks))
		if got[200] != 2 {
			t.Errorf("answers %v", got)
		}
		want := map[string]string{"ABSENT": "LEAVE", "PRESENT": "PRESENT"}[status]
		if now := r.status(t, 0); now != want {
			t.Errorf("round %d: marked %s, it is %s", i, status, now)
		}
	}
}
