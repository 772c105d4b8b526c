package web_test

import (
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
	browse(t, &named, "factor", map[string]any{"email": superAdmin(t, app), "password": password, "other": superAdmin(t, app)})
}
