package delivery_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/delivery"
	"homeroom/delivery/fcm"
	"homeroom/testkit"
)

func message(channel delivery.Channel, to string) delivery.Message {
	record, student := uuid.New(), uuid.New()
	return delivery.Message{
		ID: uuid.New(), SchoolID: uuid.New(), School: "Green Valley", Locale: "en-IN", Channel: channel, To: to, Type: "LEAVE_REQUEST",
		Title: "Leave", Body: "Asha's leave was approved <b>today</b>", RecordID: &record, StudentID: &student, Badge: 3,
	}
}

var addresses = map[delivery.Channel]string{delivery.SMS: "+919812300001", delivery.WhatsApp: "+919812300001", delivery.Push: "student_1"}

// asked is one request a provider got.
type asked struct {
	path, auth, key, contentType string
	body                         string
}

// server speaks as a provider would, and remembers what it was asked.
func server(t *testing.T, answer func(w http.ResponseWriter, n int)) (*url.URL, func() []asked) {
	t.Helper()
	got := make(chan asked, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- asked{r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), string(body)}
		answer(w, len(got))
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u, func() (all []asked) {
		for len(got) > 0 {
			all = append(all, <-got)
		}
		return all
	}
}

// drivers are all that speak HTTP, with what their provider says when it takes a message.
func drivers(t *testing.T) map[string]struct {
	channel delivery.Channel
	taken   string
	make    func(*url.URL) delivery.Driver
} {
	t.Helper()
	must := func(d delivery.Driver, err error) delivery.Driver {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return map[string]struct {
		channel delivery.Channel
		taken   string
		make    func(*url.URL) delivery.Driver
	}{
		"twilio": {delivery.SMS, `{"sid":"SM1","status":"queued"}`, func(u *url.URL) delivery.Driver {
			return must(delivery.NewTwilio(&url.URL{Scheme: "twilio", User: url.UserPassword("AC1", "secret"), Host: u.Host,
				RawQuery: "insecure=true&from=%2B15550100"}))
		}},
		"webhook": {delivery.SMS, `{"id":"SM1"}`, func(u *url.URL) delivery.Driver {
			return must(delivery.NewWebhook(&url.URL{Scheme: "http", User: url.UserPassword("", "secret"), Host: u.Host, Path: "/send"}))
		}},
		"whatsapp": {delivery.WhatsApp, `{"messaging_product":"whatsapp","messages":[{"id":"SM1"}]}`, func(u *url.URL) delivery.Driver {
			return must(delivery.NewWhatsApp(&url.URL{Scheme: "http", User: url.UserPassword("", "secret"), Host: u.Host, Path: "/v23.0/42"},
				[]string{"notice", "ATTENDANCE=absence"}, []string{"en", "hi"}))
		}},
		"fcm": {delivery.Push, `{"name":"projects/p/messages/SM1"}`, func(u *url.URL) delivery.Driver {
			return must(fcm.New(context.Background(), fcm.Options{Project: "p", Endpoint: u.String()}))
		}},
	}
}

// The example is of Twilio's documentation.
func TestTwilio_ItsOwnExample_IsSignedAsItSays(t *testing.T) {
	t.Parallel()
	form := url.Values{"CallSid": {"CA1234567890ABCDE"}, "Caller": {"+12349013030"}, "Digits": {"1234"}, "From": {"+12349013030"}, "To": {"+18005551212"}}
	const address, signature = "https://mycompany.com/myapp.php?foo=1&bar=2", "0/KCTR6DLpKmkAf8muzZqo1nDgQ="
	if err := delivery.CheckTwilio("12345", signature, address, form); err != nil {
		t.Error(err)
	}
	if err := delivery.CheckTwilio("12345", signature, address+"&x=1", form); !errors.Is(err, delivery.ErrBadSignature) {
		t.Errorf("of another address: %v", err)
	}
}

func TestProvider_Failing_KeepsTheMessage_Refusing_FailsIt(t *testing.T) {
	t.Parallel()
	elsewhere, visited := server(t, func(w http.ResponseWriter, _ int) { _, _ = io.WriteString(w, `{"sid":"stolen"}`) })
	for name, d := range drivers(t) {
		for what, c := range map[string]struct {
			answer  func(http.ResponseWriter, int)
			message bool // the message is at fault
			after   time.Duration
		}{
			"429": {func(w http.ResponseWriter, _ int) {
				w.Header().Set("Retry-After", "42")
				w.WriteHeader(429)
			}, false, 42 * time.Second},
			"503 with a time": {func(w http.ResponseWriter, _ int) {
				w.Header().Set("Retry-After", "7200")
				w.WriteHeader(503)
			}, false, time.Hour},
			"500":              {func(w http.ResponseWriter, _ int) { http.Error(w, "oops", 500) }, false, 0},
			"garbage":          {func(w http.ResponseWriter, _ int) { _, _ = io.WriteString(w, "<html>hello</html>") }, false, 0},
			"a wrong password": {func(w http.ResponseWriter, _ int) { w.WriteHeader(401) }, false, time.Minute},
			"a redirect": {func(w http.ResponseWriter, _ int) {
				w.Header().Set("Location", elsewhere.String())
				w.WriteHeader(307)
			}, false, 0},
			"a broken connection": {func(http.ResponseWriter, int) { panic(http.ErrAbortHandler) }, false, 0},
			"a bad number": {func(w http.ResponseWriter, _ int) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(400)
				_, _ = io.WriteString(w, `{"code":21211,"message":"not a number","error":{"status":"INVALID_ARGUMENT","message":"not a topic"}}`)
			}, true, 0},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				u, got := server(t, c.answer)
				id, err := d.make(u).Send(t.Context(), message(d.channel, addresses[d.channel]))
				var fault *delivery.Fault
				if !errors.As(err, &fault) || fault.Permanent != c.message || fault.RetryAfter != c.after || id != "" {
					t.Errorf("answered %q, %#v %v", id, fault, err)
				}
				if n := len(got()); n != 1 {
					t.Errorf("it was asked %d times", n)
				}
			})
		}
		t.Run(name+" takes it", func(t *testing.T) {
			t.Parallel()
			u, _ := server(t, func(w http.ResponseWriter, _ int) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, d.taken)
			})
			if id, err := d.make(u).Send(t.Context(), message(d.channel, addresses[d.channel])); err != nil || !strings.HasSuffix(id, "SM1") {
				t.Errorf("answered %q %v", id, err)
			}
		})
		t.Run(name+" hangs", func(t *testing.T) {
			t.Parallel()
			held := make(chan struct{})
			u, _ := server(t, func(http.ResponseWriter, int) { <-held })
			t.Cleanup(func() { close(held) }) // before the server is closed, which waits for it
			driver := d.make(u)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := driver.Send(ctx, message(d.channel, addresses[d.channel]))
			var fault *delivery.Fault
			if !errors.As(err, &fault) || fault.Permanent {
				t.Errorf("answered %v", err)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(visited()); n != 0 {
			t.Errorf("%d redirects were followed", n)
		}
	})
}

func TestTwilioAndWebhook_Requests_HaveTheirOwnFormats(t *testing.T) {
	t.Parallel()
	m := message(delivery.SMS, "+919812300001")
	all := drivers(t)
	u, got := server(t, func(w http.ResponseWriter, _ int) { _, _ = io.WriteString(w, `{"sid":"SM1"}`) })
	if _, err := all["twilio"].make(u).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r := got()[0]
	form, err := url.ParseQuery(r.body)
	if err != nil || r.path != "/2010-04-01/Accounts/AC1/Messages.json" || r.auth != "Basic QUMxOnNlY3JldA==" || form.Get("To") != m.To ||
		form.Get("From") != "+15550100" || form.Get("Body") != "Leave: "+m.Body {
		t.Errorf("Twilio was asked %+v", r)
	}
	if _, err := all["webhook"].make(u).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r = got()[0]
	var body struct {
		ID, SchoolID uuid.UUID
		To, Text     string
		Segments     int
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.path != "/send" || r.auth != "Bearer secret" || r.key != m.ID.String() ||
		body.ID != m.ID || body.To != m.To || body.Segments != 1 || body.SchoolID != m.SchoolID {
		t.Errorf("the webhook was asked %+v", r)
	}
}

func TestAPushHasTheSpecificationsShape(t *testing.T) {
	t.Parallel()
	u, got := server(t, func(w http.ResponseWriter, _ int) { _, _ = io.WriteString(w, `{"name":"projects/p/messages/1"}`) })
	m := message(delivery.Push, "student_"+uuid.NewString())
	if _, err := drivers(t)["fcm"].make(u).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r := got()[0]
	var sent struct {
		Message struct {
			Topic        string
			Notification struct{ Title, Body string }
			Data         map[string]string
			Android      struct {
				Notification struct {
					ChannelID string `json:"channel_id"`
				}
			}
			APNS struct {
				Payload struct {
					APS struct {
						Sound string
						Badge int
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(r.body), &sent); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	p := sent.Message
	if p.Topic != m.To || p.Notification.Title != m.Title || p.Notification.Body != m.Body || p.Data["type"] != "LEAVE_REQUEST" ||
		p.Data["id"] != m.RecordID.String() ||
		p.Data["studentId"] != m.StudentID.String() || p.Android.Notification.ChannelID != "service_leave_requests" ||
		p.APNS.Payload.APS.Sound != "default" || p.APNS.Payload.APS.Badge != 3 {
		t.Errorf("sent %s", r.body)
	}
	if r.path != "/projects/p/messages:send" {
		t.Errorf("to %s", r.path)
	}
}

func TestDeviceThatIsGone_IsRemovedAndTheOthersGetThePush(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	teacher := s.As(t, "TEACHER")
	gone, here := "gone-"+uuid.NewString(), "here-"+uuid.NewString()
	for _, token := range []string{gone, here} {
		testkit.Post[map[string]any](t, teacher, "/teacher/notification/token", map[string]any{"fcmToken": token})
	}
	var notified []string
	google := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent struct{ Message struct{ Token string } }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		w.Header().Set("Content-Type", "application/json")
		if notified = append(notified, sent.Message.Token); sent.Message.Token == gone {
			w.WriteHeader(404)
			_, _ = io.WriteString(w,
				`{"error":{"status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}`)
			return
		}
		_, _ = io.WriteString(w, `{"name":"projects/p/messages/1"}`)
	}))
	t.Cleanup(google.Close)
	driver, err := fcm.New(t.Context(), fcm.Options{Project: "p", Endpoint: google.URL, Devices: s.App.Service.Devices})
	if err != nil {
		t.Fatal(err)
	}
	m := message(delivery.Push, "user_"+teacher.UserID.String())
	m.SchoolID = s.ID
	if _, err := driver.Send(t.Context(), m); err != nil || len(notified) != 2 {
		t.Errorf("%v: notified %v", err, notified)
	}
	if left, err := s.App.Service.Devices.Of(t.Context(), s.ID, teacher.UserID); err != nil || len(left) != 1 || left[0] != here {
		t.Errorf("left are %v (%v)", left, err)
	}
	nobody := message(delivery.Push, "user_"+uuid.NewString())
	if _, err := driver.Send(t.Context(), nobody); err != nil || len(notified) != 2 {
		t.Errorf("somebody without a device: %v", err)
	}
}

func TestSegmentsAreCountedAsProvidersDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 1, strings.Repeat("a", 160): 1, strings.Repeat("a", 161): 2, strings.Repeat("a", 306): 2, strings.Repeat("a", 307): 3,
		strings.Repeat("€", 80): 1, strings.Repeat("€", 81): 2, strings.Repeat("अ", 70): 1, strings.Repeat("अ", 71): 2,
		strings.Repeat("₹", 53): 1, strings.Repeat("₹", 54): 2, // in an SMS it is Rs
		strings.Repeat("अ", 135): 3, strings.Repeat("😀", 35): 1, strings.Repeat("😀", 36): 2,
	} {
		if n := delivery.Segments(text); n != want {
			t.Errorf("%.10q × %d: %d segments, want %d", text, len([]rune(text)), n, want)
		}
	}
}
