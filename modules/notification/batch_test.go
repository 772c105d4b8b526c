package notification_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

func (o office) batches(t *testing.T) []notification.NoticeBatch {
	t.Helper()
	return testkit.Get[api.Page[notification.NoticeBatch]](t, o.admin, "/school-admin/notification/batch/list").Items
}

// Reminders of fees tell each family of its own debt: whom they reached is seen together, and the rest is reached by one act.
func TestBatch_Reminders_AreSeenTogether_AndTheRestGetsThemOnce(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	o := newOffice(t, app.NewSchool(t))
	asha, ravi := o.Child(t, o.seat, 1), o.Child(t, o.seat, 1)
	without := ravi.Parents[0]
	sibling := o.Child(t, o.seat, 0)
	o.Link(t, without, sibling.ID)
	for _, child := range []testkit.Child{asha, ravi, sibling} {
		o.Owe(t, child.ID, 100, api.DateOf(clock.Now().In(o.Location())))
	}
	o.rule(t, "FEE", []string{"PUSH"})
	sent.without(without.UserID)
	testkit.Post[any](t, o.admin, "/school-admin/fee/reminder/send", map[string]any{"all": true})
	testkit.Eventually(t, "both pushes are through", func() bool {
		return o.Count(t, "delivery", "user_id is not null and state <> 'QUEUED'") == 2
	})

	list := o.batches(t)
	if len(list) != 1 || list[0].Kind != "FEE_REMINDER" || list[0].People != 2 || list[0].SentByName == "" {
		t.Fatalf("the batches are %+v, want one of two people", list)
	}
	batch := list[0].ID
	r := o.reach(t, batch)
	if got, want := fmt.Sprint(r.People, r.Reached, r.NotReached, r.Ways), "2 1 1 [{PUSH 1 0 0 0 1}]"; got != want {
		t.Errorf("people, reached, not reached and ways are %s, want %s", got, want)
	}
	if rest := o.unreached(t, batch); len(rest) != 1 || rest[0].UserID != without.UserID {
		t.Errorf("not reached are %+v, want the parent without the app", rest)
	}
	for i, want := range []int{1, 0} {
		if got := testkit.Post[notification.Rest](t, o.admin, "/school-admin/notification/send-to-rest",
			map[string]any{"recordId": batch, "way": "SMS"}); got.People != want {
			t.Errorf("time %d sends it to %d, want %d", i+1, got.People, want)
		}
	}
	testkit.Eventually(t, "the SMS is sent", func() bool { return o.Count(t, "delivery", "channel = 'SMS' and state = 'SENT'") == 1 })
	o.settled(t, clock)
	texts := by(delivery.SMS, sent.got(o.ID))
	if len(texts) != 1 || texts[0].To != o.Phone(t, without) {
		t.Errorf("SMS %+v, want one to %s", texts, o.Phone(t, without))
	}
	if r := o.reach(t, batch); r.Reached != 2 || r.NotReached != 0 || len(r.Rest) != 0 {
		t.Errorf("after it %+v, want both reached", r)
	}
}

// What waits for the morning is of its batch still.
func TestBatch_InQuietHours_WaitsAndIsReachedInTheMorning(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t)
	school := app.NewSchool(t)
	clock.at(school, 22, 30)
	o := newOffice(t, school)
	o.QuietHours(t, "21:00", "07:00")
	asha := o.Child(t, o.seat, 1)
	o.Owe(t, asha.ID, 100, api.DateOf(clock.Now().In(o.Location())))
	o.rule(t, "FEE", []string{"PUSH"})
	testkit.Post[any](t, o.admin, "/school-admin/fee/reminder/send", map[string]any{"all": true})
	batch := o.batches(t)[0].ID
	testkit.Eventually(t, "it waits", func() bool { return o.reach(t, batch).Waiting == 1 })
	clock.turn(9 * time.Hour)
	o.admin.Token = app.Sign(t, o.School, o.admin, api.SchoolAdmin) // the clock has gone on
	testkit.Eventually(t, "it is sent", func() bool { return len(by(delivery.Push, sent.got(o.ID))) > 0 })
	testkit.Eventually(t, "it has reached them", func() bool { return o.reach(t, batch).Reached == 1 })
}
