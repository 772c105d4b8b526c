package notification_test

import (
	"encoding/base64"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

func subscribe(t *testing.T, c *testkit.Client, role string, b *testkit.Browser) {
	t.Helper()
	testkit.Post[api.Nothing](t, c, "/"+role+"/notification/web-push", b.Subscription())
}

// anotherSession is a parent on another device.
func (o office) anotherSession(t *testing.T, c *testkit.Client) *testkit.Client {
	t.Helper()
	other := c.With("X-Device", "2")
	err := o.App.Service.Cluster.PlatformPool().QueryRow(t.Context(), `insert into platform.session (id, account_id, token_hash, expires_at,
			proven_phone, proven_by, proved_at)
		select gen_random_uuid(), account_id, '', expires_at, proven_phone, proven_by, proved_at from platform.session where id = $1
		returning id`, c.SessionID).Scan(&other.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	other.Token = o.App.Sign(t, o.School, other, api.Parent)
	return other
}

func webPush(t *testing.T, c *testkit.Client) notification.WebPush {
	t.Helper()
	return testkit.Get[notification.WebPush](t, c, "/parent/notification/web-push")
}

func TestWebPush_Notice_IsEncryptedForTheBrowser(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, sent, _ := apart(t, vendor.With)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 1)
	parent, b := asha.Parents[0], vendor.NewBrowser()
	before := webPush(t, parent)
	if key, err := base64.RawURLEncoding.DecodeString(before.PublicKey); err != nil || len(key) != 65 || before.Subscribed {
		t.Errorf("before: %+v", before)
	}
	subscribe(t, parent, "parent", b)
	subscribe(t, parent, "parent", b) // on every start of the app
	if after := webPush(t, parent); !after.Subscribed || after.PublicKey != before.PublicKey {
		t.Errorf("after: %+v, the key was %s", after, before.PublicKey)
	}
	o.tell(t, telling{Type: "TRANSPORT", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "the browser shows it", func() bool { return len(vendor.ShownOn(b)) == 1 })
	n := vendor.ShownOn(b)[0]
	if n.Title != "Asha" || n.Body != "Something happened" || n.Badge != 1 || n.Type != "TRANSPORT" || *n.ID != recordID ||
		*n.StudentID != asha.ID || n.AccountID == uuid.Nil {
		t.Errorf("it shows %+v", n)
	}
	if n.Urgency != "high" || n.TTL > 3600 || n.TTL < 3000 || len(n.Topic) != 22 {
		t.Errorf("urgency %s, ttl %d, topic %s", n.Urgency, n.TTL, n.Topic)
	}
	testkit.Eventually(t, "the phones' provider has it too", func() bool { return len(sent.got(o.ID)) == 2 })
	o.tell(t, telling{Type: "FEE", Key: "2", StudentID: &asha.ID})
	testkit.Eventually(t, "what can wait comes as well", func() bool { return len(vendor.ShownOn(b)) == 2 })
	if n := vendor.ShownOn(b)[1]; n.Urgency != "normal" || n.TTL < 24*3600 || n.Badge != 2 {
		t.Errorf("urgency %s, ttl %d, badge %d", n.Urgency, n.TTL, n.Badge)
	}
}

func TestWebPush_WithoutAProviderForPhones_IsSent(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, _, _ := apart(t, vendor.With, func(_ *config.Config, o *service.Options) { delete(o.Drivers, delivery.Push) })
	o := newOffice(t, app.NewSchool(t))
	b := vendor.NewBrowser()
	teacher := o.Teacher(t, o.seat)
	subscribe(t, teacher, "teacher", b)
	o.tell(t, telling{Type: "LEAVE_REQUEST", Key: "1", UserID: &teacher.UserID})
	testkit.Eventually(t, "the browser shows it", func() bool { return len(vendor.ShownOn(b)) == 1 })
	testkit.Eventually(t, "it counts as sent, the topic not", func() bool {
		return o.Count(t, "delivery", "state = 'SENT' and recipient like 'user%'") == 1 &&
			o.Count(t, "delivery", "state = 'FAILED' and last_error = ?", delivery.ErrNoProvider.Error()) == 1
	})
}

func TestWebPush_GoneSubscription_IsPruned(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 410} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			vendor := testkit.StartPushService(t)
			app, _, _ := apart(t, vendor.With)
			o := newOffice(t, app.NewSchool(t))
			asha, b := o.Child(t, o.seat, 1), vendor.NewBrowser()
			parent := asha.Parents[0]
			subscribe(t, parent, "parent", b)
			vendor.Answer(b, status)
			o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
			testkit.Eventually(t, "the subscription is removed", func() bool { return !webPush(t, parent).Subscribed })
			if n := vendor.Called(b); n != 1 {
				t.Errorf("it was called %d times", n)
			}
		})
	}
}

func TestWebPush_NoBrowserTakesIt_TheNextWayFollows(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 410, 400} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			vendor := testkit.StartPushService(t)
			app, sent, _ := apart(t, vendor.With)
			o := newOffice(t, app.NewSchool(t))
			asha := o.Child(t, o.seat, 3)
			lost, hasAnother, hasPhone := asha.Parents[0], asha.Parents[1], asha.Parents[2]
			sent.without(lost.UserID, hasAnother.UserID)
			for _, p := range asha.Parents {
				b := vendor.NewBrowser()
				subscribe(t, p, "parent", b)
				vendor.Answer(b, status)
			}
			working := vendor.NewBrowser()
			subscribe(t, o.anotherSession(t, hasAnother), "parent", working)
			o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
			testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
			testkit.Eventually(t, "nothing waits", func() bool { return o.Count(t, "delivery", "state = 'QUEUED'") == 0 })
			if n := len(vendor.ShownOn(working)); n != 1 {
				t.Errorf("the other browser shows %d, want 1", n)
			}
			texts := by(delivery.SMS, sent.got(o.ID))
			if len(texts) != 1 || texts[0].To != o.Phone(t, lost) {
				t.Errorf("SMS %+v, want one to %s alone, not to %s", texts, o.Phone(t, lost), o.Phone(t, hasPhone))
			}
			r := o.reach(t, recordID)
			for _, w := range r.Ways {
				if w.Way == "PUSH" && (w.Sent != 2 || w.Failed+w.NoWay != 1) {
					t.Errorf("the pushes came to %+v, want 2 sent and 1 not", w)
				}
			}
		})
	}
}

func TestWebPush_ServiceIsDown_TheNextWayFollowsAlone(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, sent, clock := apart(t, vendor.With)
	o := newOffice(t, app.NewSchool(t))
	asha, b := o.Child(t, o.seat, 1), vendor.NewBrowser()
	parent := asha.Parents[0]
	sent.without(parent.UserID)
	subscribe(t, parent, "parent", b)
	vendor.Answer(b, 503)
	o.tell(t, telling{Type: "ATTENDANCE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "it waits for the browser", func() bool {
		return vendor.Called(b) > 0 && o.Count(t, "delivery", "state = 'QUEUED' and provider_id = 'to browsers'") == 1
	})
	if r := o.reach(t, recordID); r.Waiting != 1 || r.Reached != 0 {
		t.Errorf("%d wait and %d are reached, want one who waits", r.Waiting, r.Reached)
	}
	clock.turn(6 * time.Minute)
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	vendor.Answer(b, 0)
	clock.turn(time.Hour)
	app.Service.Sender.WakeBrowsers()
	o.settled(t, clock)
	if n := len(vendor.ShownOn(b)); n != 0 {
		t.Errorf("the browser shows it late, beside the SMS")
	}
}

func TestWebPush_AnnouncementToABrowserThatIsGone_GoesByTheNextWay(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, sent, clock := apart(t, vendor.With)
	o := newOffice(t, app.NewSchool(t))
	asha, gone, working := o.Child(t, o.seat, 2), vendor.NewBrowser(), vendor.NewBrowser()
	sent.without(asha.Parents[0].UserID, asha.Parents[1].UserID)
	subscribe(t, asha.Parents[0], "parent", gone)
	subscribe(t, asha.Parents[1], "parent", working)
	vendor.Answer(gone, 410)
	o.rule(t, "ANNOUNCEMENT", []string{"PUSH", "SMS"})
	o.announced(t, clock)
	testkit.Eventually(t, "an SMS is sent", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 1 })
	testkit.Eventually(t, "the other browser shows it", func() bool { return len(vendor.ShownOn(working)) == 1 })
	o.settled(t, clock)
	if texts := by(delivery.SMS, sent.got(o.ID)); len(texts) != 1 || texts[0].To != o.Phone(t, asha.Parents[0]) {
		t.Errorf("SMS %+v, want one to the parent whose browser is gone", texts)
	}
}

func TestWebPush_FailingService_IsRetriedAndDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 503} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			vendor := testkit.StartPushService(t)
			app, sent, clock := apart(t, vendor.With)
			o := newOffice(t, app.NewSchool(t))
			asha := o.Child(t, o.seat, 2)
			failing, working := vendor.NewBrowser(), vendor.NewBrowser()
			subscribe(t, asha.Parents[0], "parent", failing)
			subscribe(t, asha.Parents[1], "parent", working)
			vendor.Answer(failing, status)
			for i := range 3 {
				o.tell(t, telling{Type: "FEE", Key: strconv.Itoa(i), StudentID: &asha.ID})
			}
			testkit.Eventually(t, "the other browser shows all", func() bool { return len(vendor.ShownOn(working)) == 3 })
			testkit.Eventually(t, "the phones have all", func() bool { return len(sent.got(o.ID)) == 9 })
			testkit.Eventually(t, "each was tried", func() bool { return vendor.Called(failing) == 3 })
			// What is not written down yet would be sent again by a clock that has moved.
			testkit.Eventually(t, "that is written down", func() bool {
				var sentOnes, tried int
				err := app.Service.Cluster.PlatformPool().QueryRow(t.Context(), `select count(*) filter (where m.state = 'SENT'),
					count(*) filter (where m.state = 'QUEUED' and m.last_error <> '') from platform.web_message m
					join platform.web_subscription w on w.id = m.subscription_id where w.school_id = $1`, o.ID).Scan(&sentOnes, &tried)
				return err == nil && sentOnes == 3 && tried == 3
			})
			vendor.Answer(failing, 0)
			clock.turn(time.Hour) // once: what is being sent would be sent again by a clock that moves on
			testkit.Eventually(t, "they come when it works again", func() bool {
				app.Service.Sender.WakeBrowsers()
				return len(vendor.ShownOn(failing)) == 3
			})
			if n := len(vendor.ShownOn(working)); n != 3 {
				t.Errorf("the other browser shows %d", n)
			}
			if n := len(sent.got(o.ID)); n != 9 {
				t.Errorf("the phones got %d", n)
			}
		})
	}
}

func TestWebPush_SignedOut_ShowsNothing(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, _, _ := apart(t, vendor.With)
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	out, stays := vendor.NewBrowser(), vendor.NewBrowser()
	subscribe(t, asha.Parents[0], "parent", out)
	subscribe(t, asha.Parents[1], "parent", stays)
	if a := asha.Parents[0].Call(t, "POST", "/auth/logout-all", nil); a.Status != 200 {
		t.Fatalf("signing out: %d %s", a.Status, a.Body)
	}
	o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "who is signed in sees it", func() bool { return len(vendor.ShownOn(stays)) == 1 })
	testkit.Post[api.Nothing](t, asha.Parents[1], "/parent/notification/web-push/end", nil)
	if webPush(t, asha.Parents[1]).Subscribed {
		t.Error("it is still subscribed")
	}
	if n := vendor.Called(out); n != 0 {
		t.Errorf("the other browser was called %d times", n)
	}
}

func TestWebPush_BrowserOfAnotherPerson_IsTheLastOnes(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	app, _, _ := apart(t, vendor.With)
	o := newOffice(t, app.NewSchool(t))
	asha, b := o.Child(t, o.seat, 2), vendor.NewBrowser()
	subscribe(t, asha.Parents[0], "parent", b)
	subscribe(t, asha.Parents[1], "parent", b)
	if webPush(t, asha.Parents[0]).Subscribed || !webPush(t, asha.Parents[1]).Subscribed {
		t.Error("the browser is not the second parent's alone")
	}
	o.tell(t, telling{Type: "FEE", Key: "1", StudentID: &asha.ID})
	testkit.Eventually(t, "it shows it", func() bool { return len(vendor.ShownOn(b)) > 0 })
	if n := vendor.ShownOn(b); len(n) != 1 {
		t.Errorf("it shows %d", len(n))
	}
}

func TestWebPush_BadSubscription_IsRefused(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	o := newOffice(t, testkit.NewSchool(t))
	parent := o.Child(t, o.seat, 1).Parents[0]
	for name, change := range map[string]func(map[string]any){
		"private network": func(s map[string]any) { s["endpoint"] = "https://169.254.169.254/latest" },
		"no https":        func(s map[string]any) { s["endpoint"] = "http://push.example.com/x" },
		"no key":          func(s map[string]any) { s["keys"].(map[string]any)["p256dh"] = "AAAA" },
		"no secret":       func(s map[string]any) { s["keys"].(map[string]any)["auth"] = "!" },
	} {
		bad := vendor.NewBrowser().Subscription()
		change(bad)
		if a := parent.Call(t, "POST", "/parent/notification/web-push", bad); a.Status != 422 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
}
