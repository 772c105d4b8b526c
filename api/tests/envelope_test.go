package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

func TestAnUnknownPathIsA404InTheSpecsBody(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, path := range []string{
		"/nothing", "/school-admin", "/school-admin/class", "/school-admin/class/list/", "/school-admin//class/list", "/School-Admin/class/list",
		"/v2/school-admin/class/list", "/v1/school-admin/class/list", "/v2/auth/login", "/school-admin/class/list/%00", "/%ff",
	} {
		for _, c := range []*testkit.Client{admin, testkit.Shared(t).Nobody()} {
			f := c.Refuses(t, "GET", path, nil, 404, "Not Found")
			if f.Message != "No such endpoint" {
				t.Errorf("%s: %q", path, f.Message)
			}
		}
	}
}

func TestAWrongMethodIsA405ThatSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for path, allow := range map[string]string{
		"/school-admin/class/create":                  "POST",
		"/school-admin/class/list":                    "GET, HEAD, POST",
		"/school-admin/class/" + api.NewID().String(): "DELETE, GET, HEAD, PUT",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"} {
			if strings.Contains(allow, method) {
				continue
			}
			a := admin.Call(t, method, path, nil)
			if f := a.Failure(t); a.Status != 405 || f.Error != "Method Not Allowed" {
				t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
			if got := sorted(a.Header.Get("Allow")); got != allow {
				t.Errorf("%s %s: Allow %q, want %q", method, path, got, allow)
			}
		}
	}
}

func sorted(list string) string {
	parts := strings.Split(list, ", ")
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func TestEverySuccessHasDataAndAMessage(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	a := admin.Call(t, "POST", "/school-admin/class/create", map[string]any{"name": "Class 5"})
	var body struct {
		Data    *roster.Class
		Message string
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 201 || body.Data == nil || body.Message != "Class created" {
		t.Errorf("create: %d %s", a.Status, a.Body)
	}
	if got := a.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	if a := admin.Call(t, "DELETE", "/school-admin/class/"+body.Data.ID.String(), nil); a.Status != 204 || len(a.Body) != 0 {
		t.Errorf("delete: %d %q", a.Status, a.Body)
	}
	empty := admin.Call(t, "GET", "/school-admin/class/list", nil)
	if !strings.Contains(string(empty.Body), `"items":[]`) {
		t.Errorf("a list of nothing is %s", empty.Body)
	}
}

func TestASaneRequestIDIsEchoedAndAnyOtherIsReplaced(t *testing.T) {
	t.Parallel()
	c := testkit.Shared(t).Nobody()
	for id, kept := range map[string]bool{
		"app-7f3a.1_0": true, strings.Repeat("a", 64): true,
		"": false, "short": false, strings.Repeat("a", 65): false, "has a space": false, "<script>alert(1)</script>": false, "naïve-name": false,
	} {
		got := c.With("X-Request-Id", id).Call(t, "GET", "/nothing", nil).Header.Get("X-Request-Id")
		if kept && got != id {
			t.Errorf("%q came back as %q", id, got)
		}
		if !kept && (got == id || len(got) != 36) {
			t.Errorf("%q was answered with %q, want one of ours", id, got)
		}
	}
}

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	for name, a := range map[string]testkit.Answer{
		"200": admin.Call(t, "GET", "/school-admin/class/list", nil),
		"401": testkit.Shared(t).Nobody().Call(t, "GET", "/school-admin/class/list", nil),
		"404": admin.Call(t, "GET", "/nothing", nil),
		"405": admin.Call(t, "PATCH", "/school-admin/class/list", nil),
		"422": admin.Call(t, "POST", "/school-admin/class/create", map[string]any{}),
		"500": admin.Call(t, "GET", "/school-admin/report/panic", nil),
	} {
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := a.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
		if a.Header.Get("X-Request-Id") == "" || a.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s: no request id or no limit in %v", name, a.Header)
		}
		if a.Header.Get("Server") != "" || a.Header.Get("X-Powered-By") != "" {
			t.Errorf("%s says what it runs on: %v", name, a.Header)
		}
	}
}

func TestTransportSecurity_IsSaidWherePeopleComeOverHTTPS(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{"https://school.example.org": "max-age=31536000", "http://localhost:3001": ""} {
		app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.Public = public })
		for _, path := range []string{"/auth/me", "/nothing", "/console/", "/api-docs"} {
			if got := app.Nobody().Call(t, "GET", path, nil).Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s, %s: %q", public, path, got)
			}
		}
	}
}

func TestASecondVersionOfARowLivesUnderItsPrefix(t *testing.T) {
	t.Parallel()
	parent := testkit.NewSchool(t).As(t, api.Parent)
	path := "/parent/event/days?from=2026-11-30&divisionId=" + api.NewID().String()
	got := testkit.Get[question](t, parent, "/v2"+path)
	if got.From.String() != "2026-11-30" {
		t.Errorf("got %+v", got)
	}
	parent.Refuses(t, "GET", path, nil, 404, "")
	parent.Refuses(t, "GET", "/v3"+path, nil, 404, "")
	testkit.NewSchool(t).As(t, api.Teacher).Refuses(t, "GET", "/v2"+path, nil, 403, "PERMISSION_DENIED")
}

func TestOriginsAreAllowedByConfigurationOnly(t *testing.T) {
	t.Parallel()
	plain := testkit.Shared(t).Nobody().With("Origin", "https://console.example").Call(t, "GET", "/nothing", nil)
	if got := plain.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("by default an origin is allowed: %q", got)
	}
	c := startLab(t, allowOrigin("https://console.example")).Nobody()
	for origin, want := range map[string]string{"https://console.example": "https://console.example", "https://console.example.evil.test": "",
		"null": ""} {
		a := c.With("Origin", origin).With("Access-Control-Request-Method", "POST").Call(t, "OPTIONS", "/school-admin/class/create", nil)
		if got := a.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("origin %s: allowed %q", origin, got)
		}
		if want != "" && (a.Status != 204 || !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Idempotency-Key")) {
			t.Errorf("preflight: %d %v", a.Status, a.Header)
		}
		if a.Header.Get("Vary") != "Origin" {
			t.Errorf("origin %s: Vary %q", origin, a.Header.Get("Vary"))
		}
	}
}
