package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// console is a browser's client: it sends the header, and the cookie if there is one.
func console(app *testkit.App, cookie string) *testkit.Client {
	c := app.Nobody().With(api.ConsoleHeader, "1")
	if cookie != "" {
		c = c.With("Cookie", "homeroom_console="+cookie)
	}
	return c
}

func kept(t *testing.T, a testkit.Answer) *http.Cookie {
	t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name == "homeroom_console" {
			return c
		}
	}
	t.Fatalf("no cookie: %d %s", a.Status, a.Body)
	return nil
}

type consoleSession struct {
	AccessToken string
	School      struct{ Name string }
	Permissions map[string]api.Granted
}

func consoleLogin(t *testing.T, app *testkit.App, email string) (consoleSession, *http.Cookie) {
	t.Helper()
	a := console(app, "").Call(t, "POST", "/auth/console/login", map[string]any{"email": email, "password": secret})
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if strings.Contains(string(a.Body), "refreshToken") {
		t.Errorf("the page sees the refresh token: %s", a.Body)
	}
	var in consoleSession
	a.Read(t, &in)
	return in, kept(t, a)
}

func TestTheConsolesRefreshTokenIsACookieNoScriptCanRead(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	in, cookie := consoleLogin(t, s.App, email)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/auth/console" || cookie.Secure ||
		cookie.MaxAge != 7*24*3600 {
		t.Errorf("cookie %v", cookie)
	}
	if in.School.Name != s.Name || !in.Permissions["student"].CanWrite {
		t.Errorf("session %+v", in)
	}
	as(s.App, in.AccessToken).Call(t, "GET", "/auth/me", nil)
	a := console(s.App, cookie.Value).Call(t, "POST", "/auth/console/refresh", nil)
	if a.Status != 200 || kept(t, a).Value == cookie.Value {
		t.Errorf("refresh: %d %s", a.Status, a.Body)
	}
}

func TestOverHTTPSTheConsolesCookieIsSecure(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t, func(c *config.Config, _ *service.Options) { c.Public = "https://homeroom.example" })
	_, email := admin(t, app)
	if _, cookie := consoleLogin(t, app, email); !cookie.Secure {
		t.Errorf("cookie %v", cookie)
	}
}

func TestACookieAloneIsNotEnough(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	_, cookie := consoleLogin(t, s.App, email)
	forged := s.App.Nobody().With("Cookie", "homeroom_console="+cookie.Value)
	for _, path := range []string{"/auth/console/refresh", "/auth/console/logout"} {
		forged.Refuses(t, "POST", path, nil, 403, "PERMISSION_DENIED")
	}
	console(s.App, "").Refuses(t, "POST", "/auth/console/refresh", nil, 401, "")
	if a := console(s.App, cookie.Value).Call(t, "POST", "/auth/console/refresh", nil); a.Status != 200 {
		t.Errorf("the session did not survive the forgery: %d %s", a.Status, a.Body)
	}
}

func TestAReloadedPageGetsItsLostAnswerAndAStolenCookieEndsTheSession(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	_, first := consoleLogin(t, app, email)
	console(app, first.Value).Call(t, "POST", "/auth/console/refresh", nil) // its answer never arrives
	again := console(app, first.Value).Call(t, "POST", "/auth/console/refresh", nil)
	if again.Status != 200 {
		t.Fatalf("the reloaded page: %d %s", again.Status, again.Body)
	}
	clock.Pass(11 * time.Second)
	third := kept(t, console(app, kept(t, again).Value).Call(t, "POST", "/auth/console/refresh", nil))
	stolen := console(app, first.Value).Call(t, "POST", "/auth/console/refresh", nil)
	if stolen.Status != 401 || kept(t, stolen).MaxAge >= 0 {
		t.Errorf("a cookie long changed: %d %s", stolen.Status, stolen.Body)
	}
	clock.Pass(19 * time.Second) // 30 in all
	console(app, first.Value).Refuses(t, "POST", "/auth/console/refresh", nil, 401, "")
	console(app, third.Value).Refuses(t, "POST", "/auth/console/refresh", nil, 401, "")
}

func TestSigningOutOfTheConsoleEndsTheSessionAndTheCookie(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	in, cookie := consoleLogin(t, s.App, email)
	for range 2 { // the second time nobody is signed in any more, which is well too
		a := console(s.App, cookie.Value).Call(t, "POST", "/auth/console/logout", nil)
		if a.Status != 200 || kept(t, a).MaxAge >= 0 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	console(s.App, cookie.Value).Refuses(t, "POST", "/auth/console/refresh", nil, 401, "")
	as(s.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	if n := s.Count(t, "audit_event", "action = 'sign-out'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}
