package web_test

import (
	"testing"

	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestIntegrations_InABrowser_AreMadeAndEnded has an office make an API key, a webhook and an identity provider, and use all of them.
func TestIntegrations_InABrowser_AreMadeAndEnded(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	_, _, stage := office(t, app, lifecycle.NewSchool{})
	idp := testkit.StartPlainIdentityProvider(t)
	idp.Register("console", "a secret")
	idp.Is(map[string]any{"sub": "1", "email": stage["email"], "email_verified": true})
	stage["issuer"], stage["domain"] = idp.URL, "test.local"
	browse(t, app, "integrations", stage)
}
