package notification_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

// announced publishes an announcement to the parents and waits until it is out.
func (o office) announced(t *testing.T, k *clock) uuid.UUID {
	t.Helper()
	a := testkit.Post[struct{ ID uuid.UUID }](t, o.admin, "/school-admin/announcement/create",
		map[string]any{"title": "School closes at noon", "body": "On Friday.", "targetAudience": "PARENTS"})
	testkit.Post[any](t, o.admin, "/school-admin/announcement/"+a.ID.String()+"/publish", nil)
	testkit.Eventually(t, "it is published", func() bool { return o.Count(t, "notification", "record_id = ?", a.ID) > 0 })
	o.settled(t, k)
	return a.ID
}

func (o office) reach(t *testing.T, record uuid.UUID) notification.Reached {
	t.Helper()
	return testkit.Get[notification.Reached](t, o.admin, "/school-admin/notification/reach?recordId="+record.String())
}

func (o office) unreached(t *testing.T, record uuid.UUID) []notification.Unreached {
	t.Helper()
	return testkit.Get[api.Page[notification.Unreached]](t, o.admin, "/school-admin/notification/unreached?recordId="+record.String()).Items
}

func TestReach_CountsByWay_AndTheRestGetsItOnce(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 5)
	reads, pushed, without, refused, off := asha.Parents[0], asha.Parents[1], asha.Parents[2], asha.Parents[3], asha.Parents[4]
	o.rule(t, "ANNOUNCEMENT", []string{"PUSH", "EMAIL"})
	sent.without(without.UserID, refused.UserID)
	testkit.Put[any](t, off, "/parent/notification/preferences", map[string]any{"preferences": []any{
		map[string]any{"type": "ANNOUNCEMENT", "push": false, "sms": false, "email": false}}})
	sent.failing(func(m delivery.Message) error {
		if m.Channel == delivery.Email {
			return delivery.Refused("no such mailbox")
		}
		return nil
	})
	if err := o.DB(t).Exec(`update guardian set email = '' where user_id = ?`, without.UserID).Error; err != nil {
		t.Fatal(err)
	}
	id := o.announced(t, clock)
	testkit.Eventually(t, "four pushes and an e-mail are through", func() bool {
		return o.Count(t, "delivery", "user_id is not null and state <> 'QUEUED'") == 5
	})
	testkit.Post[any](t, reads, "/parent/notification/read-all", nil)

	r := o.reach(t, id)
	if got, want := fmt.Sprint(r.People, r.Read, r.Reached, r.Waiting, r.NotReached), "5 1 2 0 3"; got != want {
		t.Errorf("people, read, reached, waiting and not reached are %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(r.Ways), "[{PUSH 2 0 0 0 2} {EMAIL 0 1 0 0 0}]"; got != want {
		t.Errorf("the ways are %s, want %s", got, want)
	}
	reason := map[uuid.UUID]string{}
	for _, u := range o.unreached(t, id) {
		reason[u.UserID] = u.Reason + " " + u.Problem
	}
	want := map[uuid.UUID]string{without.UserID: "NO_DEVICE ", refused.UserID: "FAILED no such mailbox", off.UserID: "TURNED_OFF "}
	if fmt.Sprint(reason) != fmt.Sprint(want) {
		t.Errorf("not reached are %v, want %v (reached: %s)", reason, want, pushed.UserID)
	}
	if len(r.Rest) != 1 || r.Rest[0].Way != "SMS" || r.Rest[0].People != 2 || r.Rest[0].Segments != 2 || r.Rest[0].Cost != nil {
		t.Errorf("the rest without a price is %+v, want two people, two SMS and no cost", r.Rest)
	}
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"smsPrice": 25})
	if r := o.reach(t, id); len(r.Rest) != 1 || r.Rest[0].Cost == nil || *r.Rest[0].Cost != 50 {
		t.Errorf("the rest at 25 each is %+v, want a cost of 50", r.Rest)
	}

	var wait sync.WaitGroup
	people := make(chan int, 3)
	for range 3 {
		wait.Go(func() {
			people <- testkit.Post[notification.Rest](t, o.admin, "/school-admin/notification/send-to-rest", map[string]any{"recordId": id, "way": "SMS"}).People
		})
	}
	wait.Wait()
	close(people)
	total := 0
	for n := range people {
		total += n
	}
	if total != 2 {
		t.Errorf("three clicks at once sent it to %d people, want 2", total)
	}
	testkit.Eventually(t, "both SMS are sent", func() bool { return o.Count(t, "delivery", "channel = 'SMS' and state = 'SENT'") == 2 })
	o.settled(t, clock)
	to := map[string]int{}
	for _, m := range by(delivery.SMS, sent.got(o.ID)) {
		to[m.To]++
	}
	if wanted := map[string]int{o.Phone(t, without): 1, o.Phone(t, refused): 1}; fmt.Sprint(to) != fmt.Sprint(wanted) {
		t.Errorf("SMS went to %v, want %v", to, wanted)
	}
	if r := o.reach(t, id); r.Reached != 4 || r.NotReached != 1 || len(r.Rest) != 0 {
		t.Errorf("after it %+v, want 4 reached, 1 not and no rest", r)
	}
}

func TestReach_MoreThanTheBudget_SendsNothing(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	o.rule(t, "ANNOUNCEMENT", []string{"PUSH"})
	sent.without(asha.Parents[0].UserID, asha.Parents[1].UserID)
	id := o.announced(t, clock)
	testkit.Eventually(t, "the pushes found nobody", func() bool {
		return o.Count(t, "delivery", "channel = 'PUSH' and state = 'SENT' and user_id is not null") == 2
	})
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"smsDailyLimit": 1})
	o.admin.Refuses(t, "POST", "/school-admin/notification/send-to-rest", map[string]any{"recordId": id, "way": "SMS"}, 409, "")
	o.settled(t, clock)
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != 0 {
		t.Errorf("%d SMS went out", n)
	}
	if r := o.reach(t, id); len(r.Rest) == 0 || r.Rest[0].People != 2 {
		t.Errorf("the rest is %+v, want both as before", r.Rest)
	}
}
