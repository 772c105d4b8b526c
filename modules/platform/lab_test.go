package platform_test

import (
	"net/url"
	"testing"

	"homeroom/api"
	"homeroom/modules/platform"
	"homeroom/testkit"
)

// asked is a list's address with filters, in pairs.
func asked(path string, filters ...string) string {
	q := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		q.Set("filters["+filters[i]+"]", filters[i+1])
	}
	return path + "?" + q.Encode()
}

func booked(t *testing.T, super *testkit.Client, filters ...string) api.Page[platform.PlatformEvent] {
	t.Helper()
	return testkit.Get[api.Page[platform.PlatformEvent]](t, super, asked("/super-admin/audit/list", filters...))
}

// linkToken is what the last link sent to an e-mail carries.
func linkToken(t *testing.T, app *testkit.App, email string) string {
	t.Helper()
	sent := app.Sent(t, email)
	if len(sent) == 0 {
		t.Fatalf("nothing was sent to %s", email)
	}
	return linkPattern.FindStringSubmatch(sent[0].Text)[1]
}

func escape(text string) string { return url.QueryEscape(text) }

// join is more of a query, in pairs.
func join(pairs []string) string {
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		text += "&" + pairs[i] + "=" + url.QueryEscape(pairs[i+1])
	}
	return text
}
