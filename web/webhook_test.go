package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"homeroom/modules/roster"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// facts is another program that a webhook calls: it keeps the ids of what it gets, in order, and lists them to the story.
type facts struct {
	mu  sync.Mutex
	ids []string
}

func (f *facts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id := r.Header.Get("webhook-id"); id != "" {
		f.ids = append(f.ids, id)
	}
	_ = json.NewEncoder(w).Encode(f.ids)
}

func (f *facts) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.ids)
}

// TestWebhook_InABrowser_IsReplayedFromADayAndOneFactIsSentAgain has a browser in another time zone than the school's: days are the school's.
func TestWebhook_InABrowser_IsReplayedFromADayAndOneFactIsSentAgain(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, clerk, stage := office(t, app, lifecycle.NewSchool{TimeZone: "America/New_York"})
	got := &facts{}
	receiver := httptest.NewServer(got)
	t.Cleanup(receiver.Close)
	testkit.Post[struct{ Secret string }](t, clerk, "/school-admin/integration/webhook/create",
		map[string]any{"name": "Payroll", "url": receiver.URL, "kinds": []string{"class.changed"}})
	for n, name := range []string{"Class 1", "Class 2"} {
		testkit.Post[roster.Class](t, clerk, "/school-admin/class/create", map[string]any{"name": name})
		testkit.Eventually(t, "the receiver has "+name, func() bool {
			return got.count() == n+1 && s.Count(t, "webhook_delivery", "state = 'SENT'") == n+1
		})
	}
	// The first happened late on the day before yesterday, which in the browser's zone is yesterday.
	err := s.DB(t).Exec(`update webhook_delivery set occurred_at = (date_trunc('day', now() at time zone 'America/New_York') -
		interval '25 hours') at time zone 'America/New_York' where event_id = ?`, got.ids[0]).Error
	if err != nil {
		t.Fatal(err)
	}
	stage["receiver"] = receiver.URL
	browse(t, app, "webhook", stage)
}
