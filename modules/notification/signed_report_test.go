package notification_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/testkit"
)

// says reports a message's state in our own form, signed with a secret.
func (r reporter) says(t *testing.T, path, secret, status string, m delivery.Message) int {
	t.Helper()
	body := fmt.Sprintf(`{"statuses": [{"messageId": "%s@%s", "status": %q, "to": %q, "reason": "as it said"}]}`, m.ID, m.SchoolID, status, m.To)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return r.post(t, path, "application/json", body, "X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
}

// Of e-mails, and of one's own SMS webhook: what arrived, what was read, what failed and what is not wanted.
func TestReports_OfEmailAndSMSWebhook_AreRecorded(t *testing.T) {
	t.Parallel()
	const smsSecret = "the secret of the SMS webhook"
	app, sent, clock := apart(t, func(c *config.Config, _ *service.Options) {
		c.SMSURL, c.EmailReportSecret = "https://:the%20secret%20of%20the%20SMS%20webhook@sms.test/send", reportSecret
	})
	for _, of := range []struct {
		way, other   delivery.Channel
		path, secret string
	}{{delivery.Email, delivery.SMS, "/delivery-report/email", reportSecret}, {delivery.SMS, delivery.Email, "/delivery-report/sms", smsSecret}} {
		t.Run(string(of.way), func(t *testing.T) {
			o, report := newOffice(t, app.NewSchool(t)), reporter{app}
			asha := o.Child(t, o.seat, 1)
			parent := asha.Parents[0]
			o.rule(t, "ATTENDANCE", []string{string(of.way), string(of.other)})
			tell := func(n int) delivery.Message {
				t.Helper()
				o.tell(t, telling{Type: "ATTENDANCE", Key: fmt.Sprint(n), StudentID: &asha.ID})
				testkit.Eventually(t, "it is sent", func() bool { return len(by(of.way, sent.got(o.ID))) == n })
				o.settled(t, clock)
				return by(of.way, sent.got(o.ID))[n-1]
			}
			state := func(m delivery.Message, is string) bool { return o.Count(t, "delivery", "id = ? and "+is, m.ID) == 1 }

			first := tell(1)
			if status := report.says(t, of.path, "another secret", "read", first); status != 403 {
				t.Errorf("a forged report is answered %d, want 403", status)
			}
			if status := report.says(t, of.path, of.secret, "delivered", first); status != 200 || !state(first, "delivered_at is not null and seen_at is null") {
				t.Errorf("delivered is answered %d, or not recorded", status)
			}
			if n := o.log(t, parent).UnreadCount; n != 1 {
				t.Errorf("%d unread after it was delivered, want 1", n)
			}
			if status := report.says(t, of.path, of.secret, "read", first); status != 200 || !state(first, "seen_at is not null") {
				t.Errorf("read is answered %d, or not recorded", status)
			}
			if n := o.log(t, parent).UnreadCount; n != 0 {
				t.Errorf("%d unread after it was read, want 0", n)
			}

			second := tell(2)
			report.says(t, of.path, of.secret, "failed", second)
			if !state(second, "state = 'FAILED' and last_error = 'as it said'") {
				t.Error("failed is not recorded")
			}
			testkit.Eventually(t, "the next way follows", func() bool { return len(by(of.other, sent.got(o.ID))) == 1 })

			report.says(t, of.path, of.secret, "stopped", second)
			if n := o.Count(t, "suppression", "channel = ? and reason = 'STOPPED'", of.way); n != 1 {
				t.Errorf("%d addresses have stopped it, want 1", n)
			}
		})
	}
}
