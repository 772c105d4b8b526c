package web_test

import (
	"testing"

	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestIntegrations_InABrowser_AreMadeAndEnded has an office make an API key and a webhook, and use both.
func TestIntegrations_InABrowser_AreMadeAndEnded(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	_, _, stage := office(t, app, lifecycle.NewSchool{})
	browse(t, app, "integrations", stage)
}
