package fee_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/roster"
	"homeroom/testkit"
)

// group has members of the office's division since a day.
func (o *office) group(t *testing.T, from any, members ...uuid.UUID) uuid.UUID {
	t.Helper()
	subject := testkit.Post[roster.Subject](t, o.clerk, "/school-admin/subject/create",
		map[string]any{"name": "French", "code": "FRE", "type": "ELECTIVE"})
	g := testkit.Post[roster.Group](t, o.clerk, "/school-admin/group/create",
		map[string]any{"name": "French", "subjectId": subject.ID, "divisionIds": []any{o.division.ID}})
	testkit.Put[roster.GroupMembers](t, o.clerk, fmt.Sprint("/school-admin/group/", g.ID, "/members"),
		map[string]any{"studentIds": members, "fromDate": from})
	return g.ID
}

func TestSubscription_OfAGroup_BillsItsMembersOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha, ravi := o.admit(t, "Asha"), o.admit(t, "Ravi")
	books := o.optional(t, 3_001, map[string]any{"name": "French books", "code": "FRB"})
	group := o.group(t, o.year.StartDate, asha)
	if got := o.subscribe(t, books, map[string]any{"groupId": group}); got.Subscribed != 1 {
		t.Errorf("%d are subscribed, want 1", got.Subscribed)
	}
	if got := o.subscribe(t, books, map[string]any{"groupId": group}); got.Already != 1 {
		t.Errorf("again, %d have it already, want 1", got.Already)
	}
	bills := o.dryRun(t, 1)
	if got, want := bills[asha], bills[ravi]; got == want {
		t.Errorf("the member is billed %q as others are, want the books too", got)
	}
	others := o.Count(t, "fee_subscription", "student_id = ? and fee_head_id = ?", ravi, books.ID)
	if others != 0 {
		t.Errorf("who is not in the group has %d subscriptions, want none", others)
	}
}

func TestSubscription_OfAGroup_IsOfThoseInItOnTheFirstDay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	books := o.optional(t, 3_001, nil)
	group := o.group(t, o.today, o.admit(t, "Asha"))
	create := "/school-admin/fee/subscription/create"
	o.refuses(t, "POST", create, map[string]any{"feeHeadId": books.ID, "groupId": group, "fromDate": o.today.AddDays(-1)}, 422, "groupId")
	o.refuses(t, "POST", create, map[string]any{"feeHeadId": books.ID, "groupId": group, "classId": o.class.ID}, 422, "studentIds")
	if got := o.subscribe(t, books, map[string]any{"groupId": group, "fromDate": o.today}); got.Subscribed != 1 {
		t.Errorf("%d are subscribed, want 1", got.Subscribed)
	}
}

func TestAdHocCharge_OfAGroup_IsForItsMembers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	asha := o.admit(t, "Asha")
	o.admit(t, "Ravi")
	group := o.group(t, o.year.StartDate, asha)
	if got := o.adHoc(t, map[string]any{"groupId": group}); got.Charged != 1 || got.Students[0].StudentID != asha {
		t.Errorf("charged %+v, want Asha alone", got)
	}
}
