package dispatch_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/modules/dispatch"
	"homeroom/testkit"
)

// waitingDispatch is an SMS to class 5 that has not gone out yet, and the parent of a child
// in that class it is for.
func waitingDispatch(t *testing.T, audience func(d desk, parent *testkit.Client) map[string]any) (d desk, parent *testkit.Client,
	id uuid.UUID) {
	t.Helper()
	d = newDesk(t)
	parent = d.child.Parents[0]
	// So that the account stays when the link to the child ends.
	d.Link(t, parent, d.Child(t, d.Seat(t, "Class 6"), 0).ID)
	made := testkit.Post[dispatch.Outcome](t, d.admin, "/school-admin/dispatch/sms",
		map[string]any{"audience": audience(d, parent), "body": "Gate 3 for {student}"})
	testkit.Eventually(t, "it is sent", func() bool { return d.Count(t, "delivery", "state = 'QUEUED'") == 0 })
	// As if the provider were away.
	if err := d.DB(t).Exec(`update delivery set state = 'QUEUED', sent_at = null, next_at = now() + interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	return d, parent, *made.ID
}

func toClass(d desk, _ *testkit.Client) map[string]any {
	return map[string]any{"classIds": []any{d.seat.ClassID}}
}

func toGuardian(_ desk, parent *testkit.Client) map[string]any {
	return map[string]any{"guardianIds": []any{uuid.NewSHA1(parent.UserID, []byte("guardian"))}}
}

// unlink removes a parent from a student's guardians and waits until that was followed.
func (d desk) unlink(t *testing.T, parent *testkit.Client, student uuid.UUID) {
	t.Helper()
	guardian := uuid.NewSHA1(parent.UserID, []byte("guardian"))
	if a := d.admin.Call(t, "DELETE", "/school-admin/student/"+student.String()+"/guardians/"+guardian.String(), nil); a.Status != 204 {
		t.Fatalf("removing a guardian: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "the removal is followed", func() bool { return d.Count(t, "outbox", "kind = 'guardians.sight-changed'") == 0 })
}

func TestWaitingDispatch_GuardianRemoved_IsTakenBack(t *testing.T) {
	t.Parallel()
	d, parent, _ := waitingDispatch(t, toClass)
	d.unlink(t, parent, d.child.ID)
	if n := d.Count(t, "delivery", "user_id = ?", parent.UserID); n != 0 {
		t.Errorf("%d messages wait for the former guardian, want 0", n)
	}
}

func TestWaitingDispatch_OneGuardianRemoved_StaysForTheOther(t *testing.T) {
	t.Parallel()
	d, parent, _ := waitingDispatch(t, toClass)
	d.unlink(t, parent, d.child.ID)
	if n := d.Count(t, "delivery", "user_id = ? and state = 'QUEUED'", d.child.Parents[1].UserID); n != 1 {
		t.Errorf("%d messages wait for the other guardian, want 1", n)
	}
}

func TestDispatchProgress_MessageTakenBack_CountsAsFailed(t *testing.T) {
	t.Parallel()
	d, parent, id := waitingDispatch(t, toClass)
	d.unlink(t, parent, d.child.ID)
	p := testkit.Get[dispatch.Progress](t, d.admin, "/school-admin/dispatch/"+id.String())
	if p.Queued != 1 || p.Failed != 1 {
		t.Errorf("queued %d and failed %d, want 1 and 1", p.Queued, p.Failed)
	}
}

func TestWaitingDispatch_ToAGuardianByName_StaysAfterTheRemoval(t *testing.T) {
	t.Parallel()
	d, parent, _ := waitingDispatch(t, toGuardian)
	d.unlink(t, parent, d.child.ID)
	if n := d.Count(t, "delivery", "user_id = ? and state = 'QUEUED'", parent.UserID); n != 1 {
		t.Errorf("%d messages wait, want 1", n)
	}
}

func TestWaitingDispatch_OneOfTwoChildrenUnlinked_NamesTheOtherAlone(t *testing.T) {
	t.Parallel()
	d, parent, _ := waitingDispatch(t, func(d desk, parent *testkit.Client) map[string]any {
		sibling := d.Child(t, d.seat, 0)
		d.Link(t, parent, sibling.ID)
		if err := d.DB(t).Exec(`update student set first_name = 'Ravi' where id = ?`, sibling.ID).Error; err != nil {
			t.Fatal(err)
		}
		return toClass(d, parent)
	})
	if n := d.Count(t, "delivery", "user_id = ? and body = 'Gate 3 for Asha, Ravi'", parent.UserID); n != 1 {
		t.Fatalf("%d messages name both children, want 1", n)
	}
	d.unlink(t, parent, d.child.ID)
	if n := d.Count(t, "delivery", "user_id = ? and body = 'Gate 3 for Ravi'", parent.UserID); n != 1 {
		t.Errorf("%d messages name the other child alone, want 1", n)
	}
}

func TestSentDispatch_GuardianRemoved_StaysAsItIs(t *testing.T) {
	t.Parallel()
	d, parent, _ := waitingDispatch(t, toClass)
	if err := d.DB(t).Exec(`update delivery set state = 'SENT', sent_at = now()`).Error; err != nil {
		t.Fatal(err)
	}
	d.unlink(t, parent, d.child.ID)
	if n := d.Count(t, "delivery", "user_id = ? and state = 'SENT'", parent.UserID); n != 1 {
		t.Errorf("%d messages are kept as sent, want 1", n)
	}
}
