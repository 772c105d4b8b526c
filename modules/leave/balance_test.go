package leave_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/leave"
	"homeroom/testkit"
)

func (r *room) entitle(t *testing.T, sick float64) {
	t.Helper()
	testkit.Put[leave.Entitlements](t, r.admin, "/school-admin/leave/entitlements",
		map[string]any{"entitlements": []any{map[string]any{"leaveType": "SICK", "daysPerYear": sick},
			map[string]any{"leaveType": "CASUAL", "daysPerYear": 8}}})
}

func (r *room) balance(t *testing.T, c *testkit.Client, path, leaveType string) leave.Balance {
	t.Helper()
	page := testkit.Get[api.Page[leave.Balance]](t, c, path+"?filters[leaveType]="+leaveType+"&filters[employeeId]="+r.teacherID.String())
	if page.Total != 1 {
		t.Fatalf("balances %+v", page)
	}
	return page.Items[0]
}

func TestAnEmployeesLeaveIsCountedAgainstWhatTheyHave(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.entitle(t, 3)
	whole := testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/apply", r.days(1, 2))
	half := testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/apply", r.days(5, 5, map[string]any{"halfDay": true}))
	if whole.Days != 2 || half.Days != 0.5 || whole.ApplicantType != "EMPLOYEE" || *whole.EmployeeID != r.teacherID ||
		whole.ApplicantName != "Meera" {
		t.Errorf("asked %+v and %+v", whole, half)
	}
	if f := r.classTeacher.Refuses(t, "POST", "/teacher/leave/apply", r.days(8, 8), 409, ""); !strings.Contains(f.Message, "0.5 are left") {
		t.Errorf("message %q", f.Message)
	}
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(whole, "APPROVED"))
	for path, c := range map[string]*testkit.Client{"/teacher/leave/balances": r.classTeacher, "/school-admin/leave/balances": r.admin} {
		if b := r.balance(t, c, path, "SICK"); b.Taken != 2 || b.Pending != 0.5 || *b.Remaining != 1 || *b.DaysPerYear != 3 ||
			b.EmployeeName != "Meera" {
			t.Errorf("%s: %+v", path, b)
		}
		if b := r.balance(t, c, path, "EMERGENCY"); b.DaysPerYear != nil || b.Remaining != nil {
			t.Errorf("%s: %+v", path, b)
		}
	}
	if n := r.Count(t, "notification", "user_id = ? and type = 'LEAVE_REQUEST'", r.classTeacher.UserID); n != 1 {
		t.Errorf("told %d times", n)
	}
	testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/cancel", cancellation(whole))
	if b := r.balance(t, r.admin, "/school-admin/leave/balances", "SICK"); b.Taken != 0 {
		t.Errorf("after the cancellation %+v", b)
	}
	if mine := testkit.Get[api.Page[leave.LeaveView]](t, r.classTeacher, "/teacher/leave/list"); mine.Total != 2 {
		t.Errorf("mine %+v", mine)
	}
	if n := r.Count(t, "attendance", "true"); n != 0 {
		t.Errorf("an employee's leave wrote %d days of attendance", n)
	}
	r.classTeacher.Refuses(t, "POST", "/teacher/leave/decide", decision(half, "APPROVED"), 404, "")
	all := testkit.Get[api.Page[leave.Balance]](t, r.classTeacher, "/teacher/leave/balances")
	if all.Total != 3 {
		t.Errorf("a teacher sees %d balances", all.Total)
	}
}

func TestApprovalsBeyondTheBalanceAreRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.entitle(t, 3)
	one := testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/apply", r.days(1, 2))
	r.entitle(t, 1) // the school changed its mind meanwhile
	r.admin.Refuses(t, "POST", "/school-admin/leave/decide", decision(one, "APPROVED"), 409, "")
	testkit.Post[leave.LeaveView](t, r.admin, "/school-admin/leave/decide", decision(one, "REJECTED"))
}

func TestAnAdministratorDoesNotDecideTheirOwnLeave(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	l := testkit.Post[leave.LeaveView](t, r.classTeacher, "/teacher/leave/apply", r.days(1, 2))
	err := r.DB(t).Exec(`update employee set phone = (select phone from app_user where id = ?) where id = ?`, r.admin.UserID,
		r.teacherID).Error
	if err != nil {
		t.Fatal(err)
	}
	r.admin.Refuses(t, "POST", "/school-admin/leave/decide", decision(l, "APPROVED"), 403, "PERMISSION_DENIED")
}

func TestEntitlementsAreSetAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.entitle(t, 3)
	got := testkit.Get[leave.Entitlements](t, r.admin, "/school-admin/leave/entitlements")
	if len(got.Entitlements) != 2 || got.Entitlements[0].LeaveType != "CASUAL" || got.Entitlements[1].DaysPerYear != 3 {
		t.Errorf("entitlements %+v", got)
	}
	for _, bad := range []any{
		[]any{map[string]any{"leaveType": "SICK", "daysPerYear": -1}}, []any{map[string]any{"leaveType": "SICK", "daysPerYear": 1.3}},
		[]any{map[string]any{"leaveType": "SICK", "daysPerYear": 1}, map[string]any{"leaveType": "SICK", "daysPerYear": 2}},
		[]any{map[string]any{"leaveType": "NONE", "daysPerYear": 1}},
	} {
		r.admin.Refuses(t, "PUT", "/school-admin/leave/entitlements", map[string]any{"entitlements": bad}, 422, "")
	}
	if none := testkit.Put[leave.Entitlements](t, r.admin, "/school-admin/leave/entitlements", map[string]any{"entitlements": []any{}}); len(none.Entitlements) != 0 {
		t.Errorf("entitlements %+v", none)
	}
	if n := r.Count(t, "audit_event", "entity = 'leave entitlement'"); n != 2 {
		t.Errorf("%d audit rows", n)
	}
}
