package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// appBrowser is a browser with the people's app: it keeps the cookies it is given.
type appBrowser struct {
	app     *testkit.App
	cookies map[string]*http.Cookie
}

type appSession struct {
	AccessToken string
	AccountID   uuid.UUID
	User        struct{ Role string }
	School      struct{ Name string }
	Accounts    []struct {
		ID               uuid.UUID
		Role, SchoolName string
	}
}

func (p *appBrowser) call(t *testing.T, path, token string, body any) testkit.Answer {
	t.Helper()
	c := p.app.Nobody().With(api.ConsoleHeader, "1")
	if token != "" {
		c = as(p.app, token).With(api.ConsoleHeader, "1")
	}
	var sent []string
	for name, k := range p.cookies {
		sent = append(sent, name+"="+k.Value)
	}
	a := c.With("Cookie", strings.Join(sent, "; ")).Call(t, "POST", path, body)
	for _, k := range (&http.Response{Header: a.Header}).Cookies() {
		if p.cookies[k.Name] = k; k.MaxAge < 0 {
			delete(p.cookies, k.Name)
		}
	}
	return a
}

func (p *appBrowser) session(t *testing.T, path, token string, body any) appSession {
	t.Helper()
	a := p.call(t, path, token, body)
	if a.Status != 200 {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	if strings.Contains(string(a.Body), "refreshToken") {
		t.Errorf("%s: the page sees the refresh token: %s", path, a.Body)
	}
	var in appSession
	a.Read(t, &in)
	return in
}

func (p *appBrowser) signIn(t *testing.T, phone string) appSession {
	t.Helper()
	p.call(t, "/auth/app/send-otp", "", map[string]any{"phone": phone})
	return p.session(t, "/auth/app/verify-otp", "", map[string]any{"phone": phone, "otp": p.app.OTP(t, phone)})
}

func (p *appBrowser) refreshes(t *testing.T, account uuid.UUID) int {
	t.Helper()
	return p.call(t, "/auth/app/refresh", "", map[string]any{"accountId": account}).Status
}

func newAppBrowser(app *testkit.App) *appBrowser { return &appBrowser{app, map[string]*http.Cookie{}} }

// accountOf is the directory's entry of a user.
func (s appSession) accountOf(t *testing.T, role api.RoleType) uuid.UUID {
	t.Helper()
	for _, a := range s.Accounts {
		if a.Role == string(role) {
			return a.ID
		}
	}
	t.Fatalf("no account of a %s in %+v", role, s.Accounts)
	return uuid.Nil
}

func TestApp_RefreshTokenIsACookieNoScriptCanRead(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	parent := s.Add(t, testkit.Person{Role: api.Parent})
	p := newAppBrowser(s.App)
	in := p.signIn(t, parent.Phone)
	if in.School.Name != s.Name || in.User.Role != "PARENT" {
		t.Errorf("session %+v", in)
	}
	found := 0
	for name, k := range p.cookies {
		if !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Path != "/auth/app" {
			t.Errorf("cookie %v", k)
		}
		if strings.HasPrefix(name, "homeroom_app_") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d cookies of sessions, want 1", found)
	}
	if got := p.refreshes(t, in.AccountID); got != 200 {
		t.Errorf("refresh: %d", got)
	}
}

func TestApp_TwoAccountsOfAPhone_AreSignedInSideBySide(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	phone := testkit.NewPhone()
	s.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
	other := s.App.NewSchool(t)
	other.Add(t, testkit.Person{Role: api.Teacher, Phone: phone})
	p := newAppBrowser(s.App)
	first := p.signIn(t, phone)
	next := api.Teacher
	if first.User.Role == "TEACHER" {
		next = api.Parent
	}
	second := p.session(t, "/auth/app/switch", first.AccessToken, map[string]any{"accountId": first.accountOf(t, next)})
	if second.User.Role != string(next) || len(second.Accounts) != 2 {
		t.Errorf("switched to %+v", second)
	}
	for _, id := range []uuid.UUID{first.AccountID, second.AccountID} {
		if got := p.refreshes(t, id); got != 200 {
			t.Errorf("refresh of %s: %d", id, got)
		}
	}
	if a := p.call(t, "/auth/app/logout", "", map[string]any{"accountId": second.AccountID}); a.Status != 200 {
		t.Errorf("logout: %d %s", a.Status, a.Body)
	}
	if got := p.refreshes(t, second.AccountID); got != 401 {
		t.Errorf("refresh after signing out: %d", got)
	}
	if got := p.refreshes(t, first.AccountID); got != 200 {
		t.Errorf("refresh of the other account: %d", got)
	}
}

func TestApp_PINSignsIn(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	parent := s.Add(t, testkit.Person{Role: api.Parent})
	p := newAppBrowser(s.App)
	in := p.signIn(t, parent.Phone)
	if a := as(s.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"}); a.Status != 200 {
		t.Fatalf("set-pin: %d %s", a.Status, a.Body)
	}
	p.call(t, "/auth/app/logout", "", map[string]any{"accountId": in.AccountID})
	again := p.session(t, "/auth/app/verify-pin", "", map[string]any{"phone": parent.Phone, "pin": "4826"})
	if again.AccountID != in.AccountID {
		t.Errorf("account %s, want %s", again.AccountID, in.AccountID)
	}
}

func TestApp_AdministratorsAccount_IsNotOffered(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	phone := testkit.NewPhone()
	s.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
	office := s.App.NewSchool(t)
	office.Add(t, testkit.Person{Role: api.SchoolAdmin, Phone: phone})
	p := newAppBrowser(s.App)
	in := p.signIn(t, phone)
	if len(in.Accounts) != 1 || in.User.Role != "PARENT" {
		t.Errorf("session %+v", in)
	}
	all := byOTP(t, s.App, "/auth", phone)
	for _, a := range all.Accounts {
		if a.Role == "SCHOOL_ADMIN" {
			wantRefusal(t, "a switch to an administrator", p.call(t, "/auth/app/switch", in.AccessToken, map[string]any{"accountId": a.ID}), 404,
				"Not Found")
		}
	}
}

func TestApp_ACookieOfAnotherAccount_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := newAppBrowser(s.App)
	mine := p.signIn(t, s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	theirs := newAppBrowser(s.App).signIn(t, s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	for name, k := range p.cookies {
		if strings.HasPrefix(name, "homeroom_app_") {
			p.cookies["homeroom_app_"+strings.ReplaceAll(theirs.AccountID.String(), "-", "")] = k
		}
	}
	if got := p.refreshes(t, theirs.AccountID); got != 401 {
		t.Errorf("refresh by a cookie of %s: %d", mine.AccountID, got)
	}
	wantRefusal(t, "a cookie alone", s.App.Nobody().Call(t, "POST", "/auth/app/refresh", map[string]any{"accountId": mine.AccountID}), 403,
		"PERMISSION_DENIED")
}
