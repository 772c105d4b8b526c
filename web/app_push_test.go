package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// TestApp_PushedNotice_OpensItsPage plays on an instance of its own: the others would send to a real push service.
func TestApp_PushedNotice_OpensItsPage(t *testing.T) {
	t.Parallel()
	vendor := testkit.StartPushService(t)
	phone := vendor.NewBrowser()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_push", vendor.With, func(_ *config.Config, o *service.Options) {
		o.Namespace += "_push_" + uuid.NewString()[:8]
	})
	stage := family(t, app)
	got := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "subscriptions" {
			var n int
			err := app.Service.Cluster.PlatformPool().QueryRow(r.Context(), `select count(*) from platform.web_subscription`).Scan(&n)
			if err != nil {
				t.Error(err)
			}
			_, _ = fmt.Fprint(w, n)
			return
		}
		_ = json.NewEncoder(w).Encode(vendor.Texts(phone))
	}))
	t.Cleanup(got.Close)
	s := phone.Subscription()
	s["mark"] = map[string]any{"divisionId": stage["division"], "date": stage["today"],
		"records": []any{map[string]any{"studentId": stage["ashaId"], "status": "ABSENT"}}}
	stage["subscription"], stage["received"] = s, got.URL
	browse(t, app, "app-push", stage)
}
