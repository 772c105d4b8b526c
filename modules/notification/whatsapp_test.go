package notification_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/testkit"
)

func TestWhatsApp_WhoHasAgreed_GetsTheTemplateAndItsStatesAreKept(t *testing.T) {
	t.Parallel()
	meta := testkit.NewWhatsApp(t)
	app, sent, clock := apart(t, func(c *config.Config, o *service.Options) {
		c.WhatsAppSecret, c.WhatsAppVerify = meta.Secret, "verify"
		o.Drivers[delivery.WhatsApp] = meta.Driver([]string{"notice", "ATTENDANCE=absence"}, []string{"en", "hi"})
	})
	o := newOffice(t, app.NewSchool(t))
	asha := o.Child(t, o.seat, 2)
	agreed, not := asha.Parents[0], asha.Parents[1]
	o.rule(t, "ATTENDANCE", []string{"WHATSAPP", "SMS"})
	if now := testkit.Put[notification.PreferencesNow](t, agreed, "/parent/notification/preferences",
		map[string]any{"preferences": []any{}, "whatsApp": true}); !now.WhatsApp {
		t.Error("who agreed has not")
	}
	tell := func(key string, whatsApps, texts int) {
		t.Helper()
		o.tell(t, telling{Type: "ATTENDANCE", Key: key, StudentID: &asha.ID})
		testkit.Eventually(t, fmt.Sprintf("there are %d messages by WhatsApp and %d SMS", whatsApps, texts), func() bool {
			return len(meta.Sent()) == whatsApps && len(by(delivery.SMS, sent.got(o.ID))) == texts
		})
		o.settled(t, clock)
	}

	tell("1", 1, 1)
	m := meta.Sent()[0]
	if got, want := fmt.Sprint(m.Template.Name, m.Template.Language.Code, m.Words()), fmt.Sprint("absence", "en", []string{o.Name, "Asha", "The whole truth, with 42 marks"}); got != want {
		t.Errorf("Meta got %s, want %s", got, want)
	}
	if got, want := "+"+m.To, o.Phone(t, agreed); got != want {
		t.Errorf("it went to %s, want %s", got, want)
	}
	if to := by(delivery.SMS, sent.got(o.ID))[0].To; to != o.Phone(t, not) {
		t.Errorf("the SMS went to %s, want to who has not agreed", to)
	}
	if status := meta.Report(app, m, "read", 0); status != 200 {
		t.Fatalf("a report is answered %d, want 200", status)
	}
	if r := o.reach(t, recordID); r.Read != 1 || r.Ways[0].Way != "WHATSAPP" || r.Ways[0].Delivered != 1 {
		t.Errorf("after it was read there it is %+v", r)
	}

	tell("2", 2, 2)
	meta.Report(app, meta.Sent()[1], "failed", 131026)
	testkit.Eventually(t, "an SMS follows to a number without WhatsApp", func() bool { return len(by(delivery.SMS, sent.got(o.ID))) == 3 })
	tell("3", 2, 5)
	meta.Write(app, o.Phone(t, agreed), "Start")
	tell("4", 3, 6)

	// Three were sent today: over the limit the next way is used.
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"whatsAppDailyLimit": 3})
	tell("5", 3, 8)
	testkit.Put[any](t, o.admin, "/school-admin/setting", map[string]any{"whatsAppDailyLimit": 4})
	tell("6", 4, 9)
	o.admin.Refuses(t, "PUT", "/school-admin/setting", map[string]any{"whatsAppDailyLimit": -1}, 422, "")

	answer, err := http.Get(app.URL + "/delivery-report/whatsapp?hub.mode=subscribe&hub.verify_token=verify&hub.challenge=1158201444") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, _ := io.ReadAll(answer.Body); string(body) != "1158201444" {
		t.Errorf("Meta's challenge is answered %d %q", answer.StatusCode, body)
	}
	meta.Secret = "another"
	if status := meta.Report(app, m, "failed", 0); status != 403 {
		t.Errorf("a report with another's signature is answered %d, want 403", status)
	}
}
