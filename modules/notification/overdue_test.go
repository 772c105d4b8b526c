package notification_test

import (
	"strconv"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/delivery"
	"homeroom/testkit"
)

// While the push provider is away the next way goes in the rule's time, and the push does not come besides.
func TestRule_PushProviderAway_TheNextWayFollowsAlone(t *testing.T) {
	t.Parallel()
	for _, wait := range []int{0, 30} {
		t.Run(strconv.Itoa(wait), func(t *testing.T) {
			t.Parallel()
			app, sent, clock := apart(t)
			o := newOffice(t, app.NewSchool(t))
			asha := o.Child(t, o.seat, 2)
			hasPhone, has := asha.Parents[0], 5*time.Minute
			if err := o.DB(t).Exec(`update app_user set phone = null where id = ?`, asha.Parents[1].UserID).Error; err != nil {
				t.Fatal(err)
			}
			if wait > 0 {
				o.rule(t, "ATTENDANCE", []string{"PUSH", "SMS"}, "waitMinutes", wait)
				has = time.Duration(wait) * time.Minute
			}
			sent.failing(func(m delivery.Message) error {
				if m.Channel == delivery.Push {
					return errAway
				}
				return nil
			})
			o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
			testkit.Eventually(t, "the provider was tried", func() bool {
				return o.Count(t, "delivery", "channel = 'PUSH'") == 3 && o.Count(t, "delivery", "last_error <> ''") > 0
			})
			clock.turn(has - time.Minute)
			testkit.Eventually(t, "what is due is heard", func() bool { return o.Count(t, "outbox", "next_at <= ?", clock.Now()) == 0 })
			if n := o.Count(t, "delivery", "channel = 'SMS'"); n != 0 {
				t.Errorf("%d SMS a minute early", n)
			}
			clock.turn(2 * time.Minute)
			testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
			sent.failing(nil)
			testkit.Eventually(t, "the rest is sent when it is back", func() bool {
				clock.turn(5 * time.Second)
				return o.Count(t, "delivery", "state = 'QUEUED'") == 0
			})
			texts, pushes := by(delivery.SMS, sent.got(o.ID)), by(delivery.Push, sent.got(o.ID))
			if len(texts) != 1 || texts[0].To != o.Phone(t, hasPhone) {
				t.Errorf("SMS %+v, want one to %s", texts, o.Phone(t, hasPhone))
			}
			if len(pushes) != 1 || pushes[0].To != "user_"+asha.Parents[1].UserID.String() {
				t.Errorf("pushes %+v, want one to the parent without a phone number", pushes)
			}
			o.admin.Token = app.Sign(t, o.School, o.admin, api.SchoolAdmin) // the clock has gone on
			if r := o.reach(t, recordID); r.Reached != 2 {
				t.Errorf("%d are reached, want 2", r.Reached)
			}
		})
	}
}
