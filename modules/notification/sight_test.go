package notification_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

// guardianOf is the id of a parent's guardian record, as testkit makes it.
func guardianOf(parent *testkit.Client) uuid.UUID {
	return uuid.NewSHA1(parent.UserID, []byte("guardian"))
}

func guardianPath(student uuid.UUID, parent *testkit.Client) string {
	return "/school-admin/student/" + student.String() + "/guardians/" + guardianOf(parent).String()
}

// unlink removes a parent from a student's guardians.
func (o office) unlink(t *testing.T, parent *testkit.Client, student uuid.UUID) {
	t.Helper()
	if a := o.admin.Call(t, "DELETE", guardianPath(student, parent), nil); a.Status != 204 {
		t.Fatalf("removing a guardian: %d %s", a.Status, a.Body)
	}
}

// formerGuardian is a parent who was told of a child, was then removed from the child's
// guardians, and still has another child at the school.
func (o office) formerGuardian(t *testing.T) (parent *testkit.Client, line uuid.UUID) {
	t.Helper()
	asha, other := o.Child(t, o.seat, 1), o.Child(t, o.seat, 0)
	parent = asha.Parents[0]
	o.Link(t, parent, other.ID)
	o.tell(t, telling{Type: "RESULT", Key: "marks " + asha.ID.String(), StudentID: &asha.ID})
	before := o.log(t, parent)
	if before.Total != 1 {
		t.Fatalf("before the removal the log has %d lines, want 1", before.Total)
	}
	o.unlink(t, parent, asha.ID)
	return parent, before.Notifications[0].ID
}

func TestLog_GuardianRemoved_LeavesTheChildOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	if got := o.log(t, parent); len(got.Notifications) != 0 {
		t.Errorf("the log has %+v, want no line", got.Notifications)
	}
}

func TestLogTotals_GuardianRemoved_LeaveTheChildOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	if got := o.log(t, parent); got.Total != 0 || got.UnreadCount != 0 {
		t.Errorf("total %d and unreadCount %d, want 0 and 0", got.Total, got.UnreadCount)
	}
}

func TestLog_GuardianLosesCanViewData_LeavesTheChildOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	parent := asha.Parents[0]
	o.tell(t, telling{Type: "RESULT", Key: "marks", StudentID: &asha.ID})
	testkit.Put[any](t, o.admin, guardianPath(asha.ID, parent), map[string]any{"canViewData": false})
	if got := o.log(t, parent); len(got.Notifications) != 0 {
		t.Errorf("the log has %+v, want no line", got.Notifications)
	}
}

func TestLog_GuardianRemoved_KeepsTheOtherChildAndTheirOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha, other := o.Child(t, o.seat, 1), o.Child(t, o.seat, 0)
	parent := asha.Parents[0]
	o.Link(t, parent, other.ID)
	o.tell(t, telling{Type: "FEE", Key: "hers", StudentID: &asha.ID})
	o.tell(t, telling{Type: "FEE", Key: "the other's", StudentID: &other.ID})
	o.tell(t, telling{Type: "FEE", Key: "the parent's", UserID: &parent.UserID})
	o.unlink(t, parent, asha.ID)
	if got := o.log(t, parent); got.Total != 2 {
		t.Errorf("the log has %d lines, want 2: %+v", got.Total, got.Notifications)
	}
}

func TestLog_Teacher_KeepsLinesAboutStudents(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	asha, teacher := o.Child(t, o.seat, 0), o.As(t, api.Teacher)
	o.tell(t, telling{Type: "LEAVE_REQUEST", Key: "leave", StudentID: &asha.ID, UserID: &teacher.UserID})
	if got := testkit.Get[notification.Delivered](t, teacher, "/teacher/notification/delivered-notifications"); got.Total != 1 {
		t.Errorf("the log has %d lines, want 1", got.Total)
	}
}

func TestUnreadCount_GuardianRemoved_LeavesTheChildOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	if n := testkit.Get[notification.Unread](t, parent, "/parent/notification/unread-count").UnreadCount; n != 0 {
		t.Errorf("unreadCount is %d, want 0", n)
	}
}

func TestRead_LineOfAChildNoLongerSeen_IsNotFound(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, line := o.formerGuardian(t)
	parent.Refuses(t, "POST", "/parent/notification/read", map[string]any{"notificationId": line}, 404, "")
}

func TestReadAll_GuardianRemoved_LeavesTheChildsLinesAlone(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	if n := testkit.Post[notification.ReadAll](t, parent, "/parent/notification/read-all", map[string]any{}).Read; n != 0 {
		t.Errorf("read-all marked %d lines, want 0", n)
	}
}

func TestBadge_OfANotice_CountsNoChildNoLongerSeen(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	for _, key := range []string{"one", "two"} {
		o.tell(t, telling{Type: "FEE", Key: key, UserID: &parent.UserID})
		testkit.Eventually(t, "it is queued", func() bool {
			return o.Count(t, "delivery", "dedupe_key = ?", key+"/PUSH/user_"+parent.UserID.String()) == 1
		})
	}
	if n := o.Count(t, "delivery", "dedupe_key like 'two/PUSH/user_%' and badge = 2"); n != 1 {
		t.Errorf("%d pushes have the badge 2, want 1", n)
	}
}

func TestBadge_OfAnAnnouncement_CountsNoChildNoLongerSeen(t *testing.T) {
	t.Parallel()
	o := newOffice(t, testkit.NewSchool(t))
	parent, _ := o.formerGuardian(t)
	o.tell(t, telling{Type: "FEE", Key: "one", UserID: &parent.UserID})
	o.announce(t, map[string]any{"targetAudience": "PARENTS"})
	const push = "user_id = ? and channel = 'PUSH' and type = 'ANNOUNCEMENT'"
	testkit.Eventually(t, "it is queued", func() bool { return o.Count(t, "delivery", push, parent.UserID) == 1 })
	if n := o.Count(t, "delivery", push+" and badge = 2", parent.UserID); n != 1 {
		t.Errorf("%d pushes have the badge 2, want 1", n)
	}
}

// announce publishes an announcement.
func (o office) announce(t *testing.T, fields map[string]any) {
	t.Helper()
	fields["title"], fields["body"] = "Trip", "The trip starts at gate 3"
	made := testkit.Post[struct{ ID uuid.UUID }](t, o.admin, "/school-admin/announcement/create", fields)
	testkit.Post[any](t, o.admin, "/school-admin/announcement/"+made.ID.String()+"/publish", nil)
}
