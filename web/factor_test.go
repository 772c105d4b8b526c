package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// TestSecondFactors_InABrowser plays the whole of it: an operator who must have one sets it
// up, signs in by code, passkey and recovery code, and proves it again before what hurts.
// Passkeys want a name: the browser opens localhost.
func TestSecondFactors_InABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.SecondFactor = "required" })
	named := *app
	named.URL = strings.Replace(app.URL, "127.0.0.1", "localhost", 1)
	email := superAdmin(t, app)
	// Whoever asks it makes every proof an hour old.
	age := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := app.Service.Cluster.PlatformPool().Exec(r.Context(), `update platform.session set proved_at = proved_at - interval '1 hour'
			where account_id in (select id from platform.account where email = $1)`, email)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	t.Cleanup(age.Close)
	browse(t, &named, "factor", map[string]any{"email": email, "password": password, "other": superAdmin(t, app), "age": age.URL})
}
