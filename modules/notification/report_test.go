package notification_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // it is how Twilio signs
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/tenancy"
	"homeroom/testkit"
)

const reportSecret = "a secret of thirty-two characters"

// reporter posts what providers report, signed as they sign.
type reporter struct{ app *testkit.App }

func (r reporter) post(t *testing.T, path, contentType, body string, header ...string) int {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.app.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	call.Header.Set("Content-Type", contentType)
	for i := 0; i < len(header); i += 2 {
		call.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// twilio says what became of a message, or that somebody wrote.
func (r reporter) twilio(t *testing.T, m delivery.Message, fields ...string) int {
	t.Helper()
	path := "/delivery-report/sms?ref=" + url.QueryEscape(m.ID.String()+"@"+m.SchoolID.String())
	form := url.Values{"To": {m.To}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	mac := hmac.New(sha1.New, []byte("twilio's token"))
	_, _ = mac.Write([]byte(r.app.Service.Config.Public + path))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		_, _ = mac.Write([]byte(name + form.Get(name)))
	}
	return r.post(t, path, "application/x-www-form-urlencoded", form.Encode(),
		"X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// email says that an e-mail bounced.
func (r reporter) email(t *testing.T, secret, body string) int {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return r.post(t, "/delivery-report/email", "application/json", body, "X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
}

func TestReports_OfProviders_AreBelievedAndRespected(t *testing.T) {
	t.Parallel()
	app, sent, clock := apart(t, func(c *config.Config, _ *service.Options) {
		c.SMSURL, c.EmailReportSecret = "twilio://AC1:twilio%27s%20token@api.twilio.com?from=%2B15550100", reportSecret
	})
	o, report := newOffice(t, app.NewSchool(t)), reporter{app}
	asha := o.Child(t, o.seat, 1)
	parent := asha.Parents[0]
	o.rule(t, "ATTENDANCE", []string{"SMS", "EMAIL"})
	told := 0
	tell := func(want delivery.Channel) delivery.Message {
		t.Helper()
		told++
		before := len(by(want, sent.got(o.ID)))
		o.tell(t, telling{Type: "ATTENDANCE", Key: fmt.Sprint(told), StudentID: &asha.ID})
		testkit.Eventually(t, fmt.Sprintf("notice %d is sent by %s", told, want), func() bool { return len(by(want, sent.got(o.ID))) == before+1 })
		o.settled(t, clock)
		return by(want, sent.got(o.ID))[before]
	}
	suppressed := func() string {
		t.Helper()
		out := ""
		for _, s := range testkit.Get[notification.Suppressions](t, o.admin, "/school-admin/notification/suppressed?userId="+parent.UserID.String()).Items {
			out += s.Channel + " " + s.Reason + " "
		}
		return out
	}
	lift := func(channel string) {
		t.Helper()
		testkit.Post[notification.Suppressions](t, o.admin, "/school-admin/notification/suppressed/lift",
			map[string]any{"userId": parent.UserID, "channel": channel})
	}

	first := tell(delivery.SMS)
	if status := report.twilio(t, first, "MessageStatus", "delivered"); status != 200 {
		t.Fatalf("a report is answered %d, want 200", status)
	}
	if r := o.reach(t, recordID); len(r.Ways) != 1 || r.Ways[0].Delivered != 1 {
		t.Errorf("reached by %+v, want one SMS that arrived", r.Ways)
	}
	report.twilio(t, first, "MessageStatus", "undelivered", "ErrorCode", "30008")
	if n := o.Count(t, "delivery", "state = 'FAILED'"); n != 0 {
		t.Error("what was delivered failed after all")
	}

	second := tell(delivery.SMS)
	report.twilio(t, second, "MessageStatus", "undelivered", "ErrorCode", "30005")
	testkit.Eventually(t, "an e-mail follows an SMS that did not arrive", func() bool { return len(by(delivery.Email, sent.got(o.ID))) == 1 })
	if got := suppressed(); got != "SMS BOUNCED " {
		t.Errorf("nothing is sent by %q, want SMS, which bounced", got)
	}
	calls := len(by(delivery.SMS, sent.got(o.ID)))
	letter := tell(delivery.Email)
	if n := len(by(delivery.SMS, sent.got(o.ID))); n != calls {
		t.Errorf("%d SMS went to a number that does not exist", n-calls)
	}
	if n := o.Count(t, "outbox", "kind = ?", delivery.Failed); n != 0 {
		t.Error("what is not sent on purpose is a dead letter")
	}
	list := testkit.Get[api.Page[notification.Suppressed]](t, o.admin, "/school-admin/notification/suppressed/list?filters[reason]=BOUNCED")
	if len(list.Items) != 1 || list.Items[0].UserID == nil || *list.Items[0].UserID != parent.UserID || list.Items[0].Name == "" {
		t.Errorf("the office's list has %+v, want the parent", list.Items)
	}
	lift("SMS")
	tell(delivery.SMS)

	bounce := fmt.Sprintf(`{"statuses": [{"messageId": "<%s@%s.school.test>", "status": "bounced", "to": %q, "reason": "550 no such user"}]}`, letter.ID, letter.SchoolID,
		strings.ToUpper(letter.To))
	if status := report.email(t, "another secret", bounce); status != 403 {
		t.Errorf("a report with another's signature is answered %d, want 403", status)
	}
	if got := suppressed(); got != "" {
		t.Errorf("a forged report stops %q", got)
	}
	report.email(t, reportSecret, bounce)
	if got := suppressed(); got != "EMAIL BOUNCED " {
		t.Errorf("nothing is sent by %q, want e-mail, which bounced", got)
	}

	// An answer names no message: every school of the number hears it. A code is sent all the same.
	report.twilio(t, delivery.Message{ID: uuid.New()}, "Body", " stop", "From", o.Phone(t, parent))
	if got := suppressed(); got != "EMAIL BOUNCED SMS STOPPED " {
		t.Errorf("after STOP nothing is sent by %q", got)
	}
	report.twilio(t, delivery.Message{ID: uuid.New()}, "Body", "START", "From", o.Phone(t, parent))
	if got := suppressed(); got != "EMAIL BOUNCED " {
		t.Errorf("after START nothing is sent by %q", got)
	}

	// A report may come before the sender has written down that the message is sent.
	for _, early := range []struct {
		says, then string
		answer     error
	}{{"undelivered", "FAILED", nil}, {"delivered", "SENT", nil}, {"delivered", "SENT", errAway}} {
		var id uuid.UUID
		sent.failing(func(m delivery.Message) error {
			if m.Channel != delivery.SMS {
				return nil
			}
			id = m.ID
			report.twilio(t, m, "MessageStatus", early.says, "ErrorCode", "30008")
			return early.answer
		})
		calls := sent.called()
		told++
		o.tell(t, telling{Type: "ATTENDANCE", Key: fmt.Sprint(told), StudentID: &asha.ID})
		testkit.Eventually(t, "it is tried", func() bool { return sent.called() > calls })
		clock.turn(2 * time.Minute) // a lease is over by then, and a pause
		o.settled(t, clock)
		if n := o.Count(t, "delivery", "id = ? and state = ? and attempts = 1", id, early.then); n != 1 {
			t.Errorf("%s before the answer %v: the message is not %s after one attempt", early.says, early.answer, early.then)
		}
	}
	sent.failing(nil)

	// A school that cannot be written to holds up no other.
	sender := *app.Service.Sender
	sender.Schools = someDown{sender.Schools, o.ID}
	last := tell(delivery.SMS)
	statuses := []delivery.Status{{SchoolID: last.SchoolID, ID: last.ID, Status: "delivered"}}
	for range 8 {
		statuses = append(statuses, delivery.Status{SchoolID: uuid.New(), ID: uuid.New(), Status: "delivered"})
	}
	if err := sender.Record(t.Context(), delivery.SMS, statuses); !errors.Is(err, errAway) {
		t.Errorf("the provider is answered %v, want that it reports again", err)
	}
	if n := o.Count(t, "delivery", "id = ? and delivered_at is not null", last.ID); n != 1 {
		t.Error("a school that is up did not hear that a message was delivered")
	}
}

// someDown opens one school, and no other.
type someDown struct {
	delivery.Schools
	up uuid.UUID
}

func (s someDown) Open(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error) {
	if id != s.up {
		return nil, nil, errAway
	}
	return s.Schools.Open(ctx, id, mode)
}
