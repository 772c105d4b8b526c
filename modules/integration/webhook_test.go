package integration_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/integration"
	"homeroom/modules/roster"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func init() {
	testkit.ShareWith(func(_ *config.Config, o *service.Options) {
		o.HookRetry, o.HookTimeout = 10*time.Millisecond, time.Second
	})
}

// event is a fact as a receiver gets it.
type event struct {
	ID        uuid.UUID
	Type      string
	Timestamp time.Time
	SchoolID  uuid.UUID
	Data      struct {
		Record, Action string
		ID             uuid.UUID
		Version        *int
	}
}

// takenAndForgotten is a failure of a receiver that has kept the fact: it comes again.
const takenAndForgotten = 504

// receiver is another program's server, which facts are sent to.
type receiver struct {
	*httptest.Server
	// answer decides what the nth call is answered, 0 hangs; nil: 200.
	answer func(n int, e event) int
	aside  string // where it sends callers on to

	mu     sync.Mutex
	secret []byte
	calls  int
	header http.Header // of the last call
	bad    []string    // calls that were not signed as they should be
	bodies []string
	taken  []event // answered with 200
}

func newReceiver(t *testing.T, answer func(n int, e event) int) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, call *http.Request) {
	body, _ := io.ReadAll(call.Body)
	var e event
	err := json.Unmarshal(body, &e)
	r.mu.Lock()
	id, at := call.Header.Get("webhook-id"), call.Header.Get("webhook-timestamp")
	mac := hmac.New(sha256.New, r.secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); err != nil || id != e.ID.String() || call.Header.Get("webhook-signature") != want {
		r.bad = append(r.bad, fmt.Sprintf("%s %s %v", id, call.Header.Get("webhook-signature"), err))
	}
	r.calls++
	r.header = call.Header
	status := 200
	if r.answer != nil {
		status = r.answer(r.calls, e)
	}
	if status == 200 || status == takenAndForgotten {
		r.taken, r.bodies = append(r.taken, e), append(r.bodies, string(body))
	}
	r.mu.Unlock()
	if status == 0 {
		<-call.Context().Done()
		return
	}
	if status >= 300 && status < 400 {
		w.Header().Set("Location", r.aside+"/elsewhere")
	}
	w.WriteHeader(status)
}

func (r *receiver) got() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]event{}, r.taken...)
}

// subscribe makes a webhook of the receiver.
func (r *receiver) subscribe(t *testing.T, c *testkit.Client, kinds ...string) integration.NewWebhook {
	t.Helper()
	made := testkit.Post[integration.NewWebhook](t, c, "/school-admin/integration/webhook/create",
		map[string]any{"name": "Receiver " + uuid.NewString()[:8], "url": r.URL + "/hook", "kinds": kinds})
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	if err != nil || len(secret) != 32 {
		t.Fatalf("the secret is %d bytes: %v", len(secret), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
	return made
}

func (r *receiver) checkSigned(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bad) > 0 {
		t.Errorf("%d of %d calls were not signed as they should be: %s", len(r.bad), r.calls, r.bad[0])
	}
}

func makeClass(t *testing.T, c *testkit.Client, name string) roster.Class {
	t.Helper()
	return testkit.Post[roster.Class](t, c, "/school-admin/class/create", map[string]any{"name": name})
}

func rename(t *testing.T, c *testkit.Client, class uuid.UUID, name string) {
	t.Helper()
	testkit.Put[roster.Class](t, c, "/school-admin/class/"+class.String(), map[string]any{"name": name})
}

func TestWebhook_ChangedRecord_IsToldSignedAndWithoutItsContent(t *testing.T) {
	t.Parallel()
	s, other := testkit.NewSchool(t), testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	r := newReceiver(t, nil)
	r.subscribe(t, admin, "class.changed")
	makeClass(t, other.As(t, api.SchoolAdmin), "Theirs")
	class := makeClass(t, admin, "Secret name")
	testkit.Post[roster.Subject](t, admin, "/school-admin/subject/create", map[string]any{"name": "Physics", "code": "PHY", "type": "CORE"})
	rename(t, admin, class.ID, "Other name")
	testkit.Eventually(t, "both changes are told", func() bool { return len(r.got()) == 2 })
	r.checkSigned(t)
	for i, want := range []string{"create", "update"} {
		e := r.got()[i]
		if e.Type != "class.changed" || e.Data.Action != want || e.Data.ID != class.ID || e.Data.Record != "class" || e.SchoolID != s.ID {
			t.Errorf("fact %d is %+v", i, e)
		}
		if e.Data.Version == nil || *e.Data.Version < i+1 {
			t.Errorf("the version of fact %d is %v", i, e.Data.Version)
		}
	}
	if strings.Contains(r.bodies[0], "name") {
		t.Errorf("it says what is in the record: %s", r.bodies[0])
	}
	log := testkit.Get[api.Page[integration.WebhookDelivery]](t, admin, "/school-admin/integration/webhook/delivery/list")
	if log.Total != 2 || log.Items[0].EventID != r.got()[1].ID {
		t.Errorf("the log has %+v", log.Items)
	}
}

// order fails the test unless every change of every record was taken, in order.
func order(t *testing.T, r *receiver, classes []roster.Class, changes int) {
	t.Helper()
	last, seen := map[uuid.UUID]int{}, map[uuid.UUID]map[uuid.UUID]bool{}
	for _, e := range r.got() {
		if seen[e.Data.ID] == nil {
			seen[e.Data.ID] = map[uuid.UUID]bool{}
		}
		if seen[e.Data.ID][e.ID] {
			continue // again, as may be
		}
		seen[e.Data.ID][e.ID] = true
		if e.Data.Version != nil && *e.Data.Version < last[e.Data.ID] {
			t.Errorf("a record's version %d came after %d", *e.Data.Version, last[e.Data.ID])
		}
		if e.Data.Version != nil {
			last[e.Data.ID] = *e.Data.Version
		}
	}
	for _, c := range classes {
		if n := len(seen[c.ID]); n != changes {
			t.Errorf("%d of %d changes of a record came", n, changes)
		}
	}
}

// TestWebhook_ReceiverFailsHangsAndForgets_GetsEveryFactInOrder: 10,000 facts in `make attack`, some hundred here.
func TestWebhook_ReceiverFailsHangsAndForgets_GetsEveryFactInOrder(t *testing.T) {
	t.Parallel()
	records, changes := 20, 12
	if testkit.Attack() {
		records, changes = 100, 100
	}
	testkit.Attacked(t, "facts to a receiver that fails, hangs and forgets", records*changes)
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	var elsewhere atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(inside.Close)
	r := newReceiver(t, func(n int, _ event) int {
		switch {
		case n%997 == 5:
			return 0 // hangs
		case n%4 == 0:
			return 503
		case n%7 == 0:
			return 302 // to an address inside
		case n%11 == 0:
			return takenAndForgotten
		}
		return 200
	})
	r.aside = inside.URL
	r.subscribe(t, admin, "class.changed")
	classes := make([]roster.Class, records)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := w; i < records; i += 4 {
				classes[i] = makeClass(t, admin, fmt.Sprintf("Class %d", i))
			}
			for n := 1; n < changes; n++ {
				for i := w; i < records; i += 4 {
					rename(t, admin, classes[i].ID, fmt.Sprintf("Class %d, %d", i, n))
				}
			}
		})
	}
	writers.Wait()
	for left, before := records*changes, -1; left > 0 && left != before; { // as long as it goes on
		before = left
		wait.Until(wait.Context(t), func() bool {
			left = records*changes - s.Count(t, "webhook_delivery", "state = 'SENT'")
			return left == 0 || left < before-1000
		})
	}
	testkit.Eventually(t, "nothing waits", func() bool {
		return s.Count(t, "webhook_delivery", "state = 'SENT'") == records*changes && s.Count(t, "outbox", "kind = 'records.changed'") == 0
	})
	r.checkSigned(t)
	order(t, r, classes, changes)
	if n := s.Count(t, "webhook_delivery", "attempts > 1"); n == 0 {
		t.Error("nothing was sent again")
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("an address inside was called %d times", n)
	}
}

func TestWebhook_InstanceStops_TheNextSendsWhatWaits(t *testing.T) {
	t.Parallel()
	namespace := "hooks" + uuid.NewString()[:8]
	start := func(t *testing.T) *testkit.App {
		return testkit.Start(t, func(_ *config.Config, o *service.Options) {
			o.Namespace, o.HookRetry, o.HookTimeout = namespace, 10*time.Millisecond, time.Second
		})
	}
	down := true
	r := newReceiver(t, func(int, event) int {
		if down {
			return 500
		}
		return 200
	})
	var s *testkit.School
	var classes []roster.Class
	t.Run("the first instance", func(t *testing.T) {
		app := start(t)
		s = app.NewSchool(t)
		admin := s.As(t, api.SchoolAdmin)
		r.subscribe(t, admin, "class.changed")
		for i := range 4 {
			classes = append(classes, makeClass(t, admin, fmt.Sprintf("Class %d", i)))
			rename(t, admin, classes[i].ID, fmt.Sprintf("Name %d", i))
		}
		testkit.Eventually(t, "the receiver was tried", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.calls > 0 })
	})
	r.mu.Lock()
	down = false
	r.mu.Unlock()
	start(t)
	testkit.Eventually(t, "the next instance has sent all", func() bool { return len(r.got()) >= 8 })
	order(t, r, classes, 2)
}

func TestWebhook_LongFailure_SuspendsItAndTellsTheOffice(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	works := false
	r := newReceiver(t, func(int, event) int {
		if works {
			return 200
		}
		return 500
	})
	hook := r.subscribe(t, admin, "class.changed")
	if err := s.DB(t).Exec(`update webhook set failing_since = now() - interval '4 days'`).Error; err != nil {
		t.Fatal(err)
	}
	makeClass(t, admin, "Class 1")
	path := "/school-admin/integration/webhook/" + hook.ID.String()
	read := func() integration.Webhook { return testkit.Get[integration.Webhook](t, admin, path) }
	testkit.Eventually(t, "the webhook is suspended", func() bool { return read().Status == "SUSPENDED" })
	testkit.Eventually(t, "the office is told", func() bool {
		return s.Count(t, "notice", "user_id = ? and title = 'A webhook is switched off'", admin.UserID) == 1
	})
	makeClass(t, admin, "Class 2")
	testkit.Eventually(t, "facts are kept for it", func() bool { return s.Count(t, "webhook_delivery", "state = 'QUEUED'") == 2 })
	r.mu.Lock()
	works = true
	r.mu.Unlock()
	testkit.Put[integration.Webhook](t, admin, path, map[string]any{"status": "ACTIVE"})
	testkit.Eventually(t, "what waited is sent", func() bool { return len(r.got()) == 2 })
	testkit.Eventually(t, "the webhook works", func() bool { now := read(); return now.FailingSince == nil && now.DeliveredAt != nil })
}

func TestWebhook_ReplayAndRedelivery_SendTheSameFactsAgain(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	r := newReceiver(t, nil)
	hook := r.subscribe(t, admin, "class.changed", "subject.changed")
	class := makeClass(t, admin, "Class 1")
	testkit.Eventually(t, "the first fact came", func() bool { return len(r.got()) == 1 })
	between := s.App.Service.Kernel.Clock()
	rename(t, admin, class.ID, "Class One")
	testkit.Eventually(t, "the second fact came", func() bool { return len(r.got()) == 2 })
	_, key := makeKey(t, admin, s.App, map[string]any{"permissions": may("integration:rw")})
	out := testkit.Post[struct{ Queued int }](t, key, "/school-admin/integration/webhook/"+hook.ID.String()+"/replay",
		map[string]any{"from": between})
	if out.Queued != 1 {
		t.Fatalf("%d facts are replayed, want the one after the moment", out.Queued)
	}
	testkit.Eventually(t, "it came again", func() bool { return len(r.got()) == 3 })
	log := testkit.Get[api.Page[integration.WebhookDelivery]](t, key, "/school-admin/integration/webhook/delivery/list")
	testkit.Post[integration.WebhookDelivery](t, admin,
		"/school-admin/integration/webhook/delivery/"+log.Items[len(log.Items)-1].ID.String()+"/redeliver", nil)
	testkit.Eventually(t, "the first came again", func() bool { return len(r.got()) == 4 })
	got := r.got()
	if got[2].ID != got[1].ID || got[3].ID != got[0].ID {
		t.Errorf("the facts sent again are %v and %v", got[2], got[3])
	}
	r.checkSigned(t)
	admin.Refuses(t, "POST", "/school-admin/integration/webhook/"+hook.ID.String()+"/replay", map[string]any{}, 422, "")
}

func TestWebhook_NewSecret_SignsWhatFollows(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	r := newReceiver(t, nil)
	hook := r.subscribe(t, admin, "class.changed")
	again := testkit.Post[integration.NewWebhook](t, admin, "/school-admin/integration/webhook/"+hook.ID.String()+"/secret", nil)
	if again.Secret == hook.Secret {
		t.Fatal("the secret is the same")
	}
	r.mu.Lock()
	r.secret, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(again.Secret, "whsec_"))
	r.mu.Unlock()
	makeClass(t, admin, "Class 1")
	testkit.Eventually(t, "the fact came", func() bool { return len(r.got()) == 1 })
	r.checkSigned(t)
}

func TestWebhook_Kinds_NeedTheRightToReadThem(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	clerk, _ := narrow(t, s, admin, "integration:rwd", "class:r")
	body := func(kinds ...string) map[string]any {
		return map[string]any{"name": "Website", "url": "https://example.org/hook", "kinds": kinds, "status": "OFF"}
	}
	clerk.Refuses(t, "POST", "/school-admin/integration/webhook/create", body("class.changed", "fee-receipt.changed"), 403, "PERMISSION_DENIED")
	clerk.Refuses(t, "POST", "/school-admin/integration/webhook/create", body("no.kind"), 422, "")
	if a := clerk.Call(t, "POST", "/school-admin/integration/webhook/create", body("class.changed")); a.Status != 201 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	list := testkit.Get[struct{ Kinds []integration.FactKind }](t, clerk, "/school-admin/integration/webhook/kinds")
	for _, k := range list.Kinds {
		if k.Module != "class" {
			t.Errorf("%s is offered, of %s", k.Kind, k.Module)
		}
	}
	var all []string
	for _, k := range testkit.Get[struct{ Kinds []integration.FactKind }](t, admin, "/school-admin/integration/webhook/kinds").Kinds {
		all = append(all, k.Kind)
	}
	for _, of := range []any{integration.FactKind{}, integration.WebhookDelivery{}} {
		field, _ := reflect.TypeOf(of).FieldByName("Kind")
		if said := field.Tag.Get("enum"); said != strings.Join(all, ",") {
			t.Errorf("%T says its kinds are %s, they are %v", of, said, all)
		}
	}
}

func TestWebhook_AddressChanged_NeedsTheRightToReadAllItsKinds(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	clerk, _ := narrow(t, s, admin, "integration:rwd", "class:r")
	hook := newReceiver(t, nil).subscribe(t, admin, "class.changed", "fee-receipt.changed")
	path := "/school-admin/integration/webhook/" + hook.ID.String()
	clerk.Refuses(t, "PUT", path, map[string]any{"url": newReceiver(t, nil).URL}, 403, "PERMISSION_DENIED")
	if a := clerk.Call(t, "PUT", path, map[string]any{"name": "Other"}); a.Status != 200 {
		t.Errorf("another name: %d %s", a.Status, a.Body)
	}
	if a := clerk.Call(t, "PUT", path, map[string]any{"url": newReceiver(t, nil).URL, "kinds": []string{"class.changed"}}); a.Status != 200 {
		t.Errorf("another address of what they may read: %d %s", a.Status, a.Body)
	}
}

// A school may be made of another one's archive: its records then have the same ids.
func TestWebhook_CopyOfASchool_HasNothingOfTheSecret(t *testing.T) {
	t.Parallel()
	s, copied := testkit.NewSchool(t), testkit.NewSchool(t)
	admin, other := s.As(t, api.SchoolAdmin), copied.As(t, api.SchoolAdmin)
	r, foreign := newReceiver(t, nil), newReceiver(t, nil)
	hook := r.subscribe(t, admin, "class.changed")
	err := copied.DB(t).Exec(`insert into webhook (id, name, url, kinds, status, created_at, updated_at)
		values (?, 'Copy', ?, '["class.changed"]', 'ACTIVE', now(), now())`, hook.ID, foreign.URL).Error
	if err != nil {
		t.Fatal(err)
	}
	webhook := "/school-admin/integration/webhook/" + hook.ID.String()
	other.Call(t, "PUT", webhook, map[string]any{"name": "Mine"}) // instances learn that the copy has webhooks
	makeClass(t, other, "Class 1")
	testkit.Eventually(t, "the copy's fact was not sent", func() bool {
		return copied.Count(t, "webhook_delivery", "last_error like '%has no secret here%'") > 0
	})
	if n := len(foreign.got()); n != 0 {
		t.Errorf("the copy sent %d facts with the secret of the school it was made of", n)
	}
	other.Refuses(t, "POST", webhook+"/secret", nil, 409, "")
	makeClass(t, admin, "Class 1")
	testkit.Eventually(t, "the school's fact came", func() bool { return len(r.got()) == 1 })
	r.checkSigned(t)
}

func TestWebhook_PrivateAddress_IsNeverCalled(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(c *config.Config, o *service.Options) {
		c.WebhookLoopback, o.HookRetry = false, time.Minute
		o.Namespace += uuid.NewString()[:8]
	})
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	create := func(address string) testkit.Answer {
		return admin.Call(t, "POST", "/school-admin/integration/webhook/create",
			map[string]any{"name": "Hook " + uuid.NewString()[:8], "url": address, "kinds": []string{"class.changed"}})
	}
	for _, address := range []string{"http://example.org/", "https://127.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.1.1/",
		"https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:10.0.0.1]/", "https://[fd00::1]/",
		"https://[fe80::1]/", "https://0.0.0.0/", "https://100.64.0.1/", "https://[64:ff9b::7f00:1]/", "https://[fec0::1]/",
		"https://[::7f00:1]/", "https://[::ffff:0:7f00:1]/", "https://[2001::7f00:1]/", "https://user:secret@example.org/", "ftp://example.org/",
		"no address"} {
		if a := create(address); a.Status != 422 || a.Failure(t).Details[0].Field != "url" {
			t.Errorf("%s: %d %s", address, a.Status, a.Body)
		}
	}
	// A name that leads to this machine is refused when it is connected to. So are spellings of addresses that only a
	// resolver understands.
	var called sync.Map
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called.Store(r.URL.Path, true) }))
	defer server.Close()
	port := strings.TrimPrefix(server.URL, "https://127.0.0.1")
	names := []string{"https://localhost" + port + "/named", "https://127.1" + port + "/short", "https://2130706433" + port + "/number"}
	for _, address := range names {
		if _, err := url.Parse(address); err != nil {
			t.Fatal(err)
		}
		if a := create(address); a.Status != 201 {
			t.Fatalf("%s: %d %s", address, a.Status, a.Body)
		}
	}
	makeClass(t, admin, "Class 1")
	testkit.Eventually(t, "each was tried and refused", func() bool {
		return s.Count(t, "webhook_delivery", "attempts > 0 and last_error <> ''") == len(names)
	})
	called.Range(func(path, _ any) bool { t.Errorf("%v was called", path); return true })
	if n := s.Count(t, "webhook_delivery", "last_error like '%not on the internet%'"); n < 1 {
		t.Errorf("%d were refused for their address", n)
	}
}
