package notification_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

// waiting is an office in its quiet hours, with a parent of a child in class 5 and of
// another in class 6 who wants announcements by SMS too.
func waiting(t *testing.T) (o office, parent *testkit.Client, inFive, inSix testkit.Child) {
	t.Helper()
	app, _, clock := apart(t)
	o = newOffice(t, app.NewSchool(t))
	inFive, inSix = o.Child(t, o.seat, 1), o.Child(t, o.Seat(t, "Class 6"), 0)
	parent = inFive.Parents[0]
	o.Link(t, parent, inSix.ID)
	local := clock.Now().In(o.Location())
	testkit.Put[notification.DeliverySetting](t, o.admin, "/school-admin/notification/setting", map[string]any{
		"quietFrom": local.Add(-time.Hour).Format("15:04"), "quietTo": local.Add(2 * time.Hour).Format("15:04")})
	testkit.Put[notification.Preferences](t, parent, "/parent/notification/preferences", map[string]any{
		"preferences": []any{map[string]any{"type": "ANNOUNCEMENT", "push": true, "sms": true}}})
	return o, parent, inFive, inSix
}

const announcementWaits = "user_id = ? and type = 'ANNOUNCEMENT' and state = 'QUEUED'"

// afterRemoval is how many messages of announcements wait for the parent once the removal
// from the student's guardians was followed. There were two, the push and the SMS.
func (o office) afterRemoval(t *testing.T, parent *testkit.Client, student uuid.UUID) int {
	t.Helper()
	testkit.Eventually(t, "push and SMS wait", func() bool { return o.Count(t, "delivery", announcementWaits, parent.UserID) == 2 })
	o.unlink(t, parent, student)
	testkit.Eventually(t, "the removal is followed", func() bool { return o.Count(t, "outbox", "kind = 'guardians.sight-changed'") == 0 })
	return o.Count(t, "delivery", announcementWaits, parent.UserID)
}

func TestWaitingAnnouncement_GuardianRemoved_IsTakenBack(t *testing.T) {
	t.Parallel()
	o, parent, inFive, _ := waiting(t)
	o.announce(t, map[string]any{"targetAudience": "PARENTS", "classIds": []any{o.seat.ClassID}})
	if n := o.afterRemoval(t, parent, inFive.ID); n != 0 {
		t.Errorf("%d messages of class 5 wait, want 0", n)
	}
}

func TestWaitingAnnouncement_AnotherChildIsAddressed_Stays(t *testing.T) {
	t.Parallel()
	o, parent, inFive, _ := waiting(t)
	o.announce(t, map[string]any{"targetAudience": "PARENTS"})
	if n := o.afterRemoval(t, parent, inFive.ID); n != 2 {
		t.Errorf("%d messages to the whole school wait, want 2", n)
	}
}

func TestWaitingAnnouncement_OtherClassThanTheRemoval_Stays(t *testing.T) {
	t.Parallel()
	o, parent, _, inSix := waiting(t)
	o.announce(t, map[string]any{"classIds": []any{o.seat.ClassID}})
	if n := o.afterRemoval(t, parent, inSix.ID); n != 2 {
		t.Errorf("%d messages of class 5 wait, want 2", n)
	}
}

func TestWaitingAnnouncement_AddressedTeacherIsRenamed_Stays(t *testing.T) {
	t.Parallel()
	o, _, _, _ := waiting(t)
	teacher := o.Teacher(t, o.seat)
	o.announce(t, map[string]any{"targetAudience": "TEACHERS", "classIds": []any{o.seat.ClassID}})
	testkit.Eventually(t, "the push waits", func() bool {
		return o.Count(t, "delivery", announcementWaits+" and recipient like 'user_%'", teacher.UserID) == 1
	})
	var employee string
	if err := o.DB(t).Raw(`select id from employee where user_id = ?`, teacher.UserID).Scan(&employee).Error; err != nil {
		t.Fatal(err)
	}
	testkit.Put[any](t, o.admin, "/school-admin/employee/"+employee, map[string]any{"lastName": "Menon"})
	testkit.Eventually(t, "the change is followed", func() bool { return o.Count(t, "outbox", "kind = 'user.changed'") == 0 })
	if n := o.Count(t, "delivery", announcementWaits+" and recipient like 'user_%'", teacher.UserID); n != 1 {
		t.Errorf("%d pushes wait for the teacher, want 1", n)
	}
}

func TestWaitingMessage_OfThreeChildren_TellsOfThoseStillSeen(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	mother, ids := asha.Parents[0], []uuid.UUID{asha.ID}
	for range 2 {
		other := o.Child(t, o.seat, 0)
		o.Link(t, mother, other.ID)
		ids = append(ids, other.ID)
	}
	o.rule(t, "FEE", []string{"SMS"})
	sent.failing(func(delivery.Message) error { return errAway })
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell-all", map[string]any{"studentIds": ids})
	testkit.Eventually(t, "an SMS waits for its provider", func() bool {
		return o.Count(t, "delivery", "channel = 'SMS' and state = 'QUEUED' and attempts > 0 and last_error <> ''") == 1
	})
	o.unlink(t, mother, ids[1])
	testkit.Eventually(t, "the removal is followed", func() bool { return o.Count(t, "outbox", "kind = 'guardians.sight-changed'") == 0 })
	sent.failing(nil)
	clock.turn(5 * time.Minute)
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) > 0 })
	o.settled(t, clock)
	texts := by(delivery.SMS, sent.got(o.ID))
	if len(texts) != 1 || strings.Count(texts[0].Body, "For one child") != 2 {
		t.Errorf("sent %+v, want one SMS about two children", texts)
	}
}

func TestDeadLetterOfAnAnnouncement_GuardianRemoved_CannotBeRetried(t *testing.T) {
	t.Parallel()
	o, parent, inFive, _ := waiting(t)
	o.announce(t, map[string]any{"targetAudience": "PARENTS", "classIds": []any{o.seat.ClassID}})
	testkit.Eventually(t, "push and SMS wait", func() bool { return o.Count(t, "delivery", announcementWaits, parent.UserID) == 2 })
	if err := o.DB(t).Exec(`update delivery set state = 'FAILED' where user_id = ?`, parent.UserID).Error; err != nil {
		t.Fatal(err)
	}
	o.unlink(t, parent, inFive.ID)
	testkit.Eventually(t, "the removal is followed", func() bool { return o.Count(t, "outbox", "kind = 'guardians.sight-changed'") == 0 })
	if n := o.Count(t, "delivery", "user_id = ? and type = 'ANNOUNCEMENT'", parent.UserID); n != 0 {
		t.Errorf("%d messages of class 5 could be retried, want 0", n)
	}
}
