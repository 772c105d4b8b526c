package auth_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

const secret = "a long enough secret"

// admin makes a school whose first administrator signs in with secret.
func admin(t *testing.T, app *testkit.App) (*testkit.School, string) {
	t.Helper()
	email := "a" + uuid.NewString()[:13] + "@Test.local"
	sealed, err := app.Service.Auth.SealAdmin(context.Background(), "Asha", "Rao", email, "", secret)
	if err != nil {
		t.Fatal(err)
	}
	return app.NewSchoolAs(t, lifecycle.NewSchool{Admin: sealed}), email
}

func login(t *testing.T, app *testkit.App, email, password string) signedIn {
	t.Helper()
	return read(t, app.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": password}))
}

func TestAnAdministratorSignsInWithEmailAndPassword(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	in := login(t, s.App, email, secret)
	if in.User.Role != "SCHOOL_ADMIN" || in.User.SchoolID != s.ID.String() || in.User.Email == "" {
		t.Errorf("user %+v", in.User)
	}
	type me struct {
		School      struct{ ID, Name string }
		Permissions map[string]api.Granted
	}
	who := testkit.Get[me](t, as(s.App, in.AccessToken), "/auth/me")
	if who.School.ID != s.ID.String() || !who.Permissions["fee"].CanDelete {
		t.Errorf("me %+v", who)
	}
	if n := s.Count(t, "audit_event", "action = 'sign-in by PASSWORD' and actor_id = ?", in.User.ID); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestAWrongPasswordAndAnUnknownEmailLookTheSame(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	nobody := s.App.Nobody()
	a := nobody.Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": "not the secret at all"})
	b := nobody.Call(t, "POST", "/auth/login", map[string]any{"email": uuid.NewString() + "@test.local", "password": "not the secret at all"})
	if a.Status != 400 || b.Status != 400 || string(a.Body) != string(b.Body) {
		t.Errorf("%d %s / %d %s", a.Status, a.Body, b.Status, b.Body)
	}
	if n := s.Count(t, "audit_event", "action = 'sign-in by password failed'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestPassword_WrongFiveTimes_DelaysAttemptsAndLocksNobodyOut(t *testing.T) {
	t.Parallel()
	// Both instances' clocks stand still: on a busy machine the waits would pass by themselves.
	clock := wait.NewClock()
	still := func(_ *config.Config, o *service.Options) { o.Clock = clock.Now }
	app, second := testkit.Start(t, still), testkit.Start(t, still)
	_, email := admin(t, app)
	var wg sync.WaitGroup
	statuses := make([]int, 20)
	for i := range statuses {
		wg.Go(func() {
			a, err := []*testkit.App{app, second}[i%2].Nobody().TryCall("POST", "/auth/login",
				map[string]any{"email": email, "password": "not the secret at all"})
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.Status
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, s := range statuses {
		count[s]++
	}
	if count[400]+count[503] != 5 || count[429] != 15 {
		t.Errorf("statuses %v, want five looked at", count)
	}
	slow := app.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": secret})
	if slow.Status != 429 || slow.Header.Get("Retry-After") == "" {
		t.Errorf("the next: %d %s", slow.Status, slow.Body)
	}
	clock.Pass(2 * time.Minute)
	login(t, app, email, secret)
	login(t, app, email, secret)
}

var link = regexp.MustCompile(`token=([A-Za-z0-9_-]+)`)

func TestAForgottenPasswordIsSetByALinkOnceAndEndsEverySession(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	in := login(t, s.App, email, secret)
	nobody := s.App.Nobody()
	known := nobody.Call(t, "POST", "/auth/password/forgot", map[string]any{"email": email})
	unknown := nobody.Call(t, "POST", "/auth/password/forgot", map[string]any{"email": uuid.NewString() + "@test.local"})
	if known.Status != 200 || string(known.Body) != string(unknown.Body) {
		t.Errorf("%s / %s", known.Body, unknown.Body)
	}
	token := link.FindStringSubmatch(s.App.Sent(t, in.User.Email)[0].Text)[1]
	for _, bad := range []string{"short", "password1234", "aaaaaaaaaaaaaa", in.User.Email} {
		nobody.Refuses(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": bad}, 422, "")
	}
	var wg sync.WaitGroup
	set := make([]int, 6)
	for i := range set {
		wg.Go(func() {
			a, err := nobody.TryCall("POST", "/auth/password/reset", map[string]any{"token": token, "password": "another long secret"})
			if err != nil {
				t.Error(err)
			}
			set[i] = a.Status
		})
	}
	wg.Wait()
	ok := 0
	for _, status := range set {
		if status == 200 {
			ok++
		}
	}
	if ok != 1 {
		t.Errorf("a link of one use was used %d times: %v", ok, set)
	}
	as(s.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	nobody.Refuses(t, "POST", "/auth/login", map[string]any{"email": email, "password": secret}, 400, "PASSWORD_WRONG")
	login(t, s.App, email, "another long secret")
}

func TestForgot_RequestedAgain_SendsTheSameLinkThreeTimesAnHour(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	to := strings.ToLower(email)
	ask := func() []testkit.Message {
		t.Helper()
		if a := app.Nobody().Call(t, "POST", "/auth/password/forgot", map[string]any{"email": email}); a.Status != 200 {
			t.Fatalf("forgot: %d %s", a.Status, a.Body)
		}
		return app.Sent(t, to)
	}
	first := link.FindStringSubmatch(ask()[0].Text)[1]
	clock.Pass(40 * time.Minute)
	if second := link.FindStringSubmatch(ask()[0].Text)[1]; second != first {
		t.Error("the second e-mail has another link, want the same")
	}
	for range 8 {
		ask()
	}
	if n := len(app.Sent(t, to)); n != 3 {
		t.Errorf("%d e-mails in an hour, want 3", n)
	}
	clock.Pass(59 * time.Minute) // 99 after the first, 59 after it was sent again
	if a := app.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": first, "password": "another long secret"}); a.Status != 200 {
		t.Errorf("the link: %d %s", a.Status, a.Body)
	}
}

func TestALinkEndsAfterAnHourAndWithTheNewPassword(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	ask := func() string {
		app.Nobody().Call(t, "POST", "/auth/password/forgot", map[string]any{"email": email})
		return link.FindStringSubmatch(app.Sent(t, strings.ToLower(email))[0].Text)[1]
	}
	reset := func(token string) int {
		return app.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": "another long secret"}).Status
	}
	first := ask()
	clock.Pass(61 * time.Minute)
	if status := reset(first); status != 400 {
		t.Errorf("a link of 61 minutes: %d, want 400", status)
	}

	_, email = admin(t, app)
	first = ask()
	clock.Pass(59 * time.Minute)
	ask() // it is good for another hour
	clock.Pass(2 * time.Minute)
	second := ask()
	if second == first {
		t.Error("a link of 61 minutes was sent again, want a new one")
	}
	if status := reset(second); status != 200 {
		t.Errorf("the new link: %d, want 200", status)
	}
	if status := reset(first); status != 400 {
		t.Errorf("the link before it, after the password was set: %d, want 400", status)
	}
}

func TestChangingThePasswordWantsTheOldOneAndEndsTheOtherSessions(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	here, elsewhere := login(t, s.App, email, secret), login(t, s.App, email, secret)
	me := as(s.App, here.AccessToken)
	f := me.Refuses(t, "POST", "/auth/password/change", map[string]any{"currentPassword": "wrong", "newPassword": "another long secret"}, 422,
		"")
	if f.Details[0].Field != "currentPassword" {
		t.Errorf("%+v", f)
	}
	if a := me.Call(t, "POST", "/auth/password/change", map[string]any{"currentPassword": secret, "newPassword": "another long secret"}); a.Status != 200 {
		t.Fatalf("change: %d %s", a.Status, a.Body)
	}
	if a := me.Call(t, "GET", "/auth/me", nil); a.Status != 200 {
		t.Errorf("this session: %d", a.Status)
	}
	as(s.App, elsewhere.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	login(t, s.App, email, "another long secret")
	s.As(t, api.Parent).Refuses(t, "POST", "/auth/password/change",
		map[string]any{"currentPassword": secret, "newPassword": "another long secret"}, 403, "")
}

func TestAnAdministratorWithoutAPasswordIsInvitedToSetOne(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	email := "i" + uuid.NewString()[:13] + "@test.local"
	sealed, err := app.Service.Auth.SealAdmin(context.Background(), "Asha", "Rao", email, "", "")
	if err != nil {
		t.Fatal(err)
	}
	s := app.NewSchoolAs(t, lifecycle.NewSchool{Name: "Hill 100% View", Admin: sealed})
	app.Nobody().Refuses(t, "POST", "/auth/login", map[string]any{"email": email, "password": ""}, 422, "")
	sent := app.Sent(t, email)
	if len(sent) != 1 || !regexp.MustCompile(`Hill 100% View`).MatchString(sent[0].Text) {
		t.Fatalf("sent %+v", sent)
	}
	token := link.FindStringSubmatch(sent[0].Text)[1]
	if a := app.Nobody().Call(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": secret}); a.Status != 200 {
		t.Fatalf("reset: %d %s", a.Status, a.Body)
	}
	if in := login(t, app, email, secret); in.User.SchoolID != s.ID.String() {
		t.Errorf("user %+v", in.User)
	}
}

func promises403(t *testing.T, app *testkit.App, method, path string) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(app.Nobody().Call(t, "GET", "/openapi.json", nil).Body, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Paths[path][strings.ToLower(method)].Responses["403"] == nil {
		t.Errorf("%s %s was answered 403, which the document does not promise", method, path)
	}
}

func TestASuspendedSchoolsPeopleCannotSignInAndAreOut(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	second := testkit.Start(t)
	in := login(t, s.App, email, secret)
	there := as(second, in.AccessToken)
	if a := there.Call(t, "GET", "/school-admin/class/list", nil); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	super := s.App.SuperAdmin(t)
	if a := super.Call(t, "POST", "/super-admin/school/"+s.ID.String()+"/suspend", nil); a.Status != 200 {
		t.Fatalf("suspend: %d %s", a.Status, a.Body)
	}
	testkit.Eventually(t, "its tokens are refused on the other instance", func() bool {
		return there.Call(t, "GET", "/school-admin/class/list", nil).Status == 403
	})
	nobody := s.App.Nobody()
	for _, refused := range []struct {
		method, path string
		data         any
	}{
		{"POST", "/auth/login", map[string]any{"email": email, "password": secret}},
		{"POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}},
	} {
		nobody.Refuses(t, refused.method, refused.path, refused.data, 403, "")
		promises403(t, s.App, refused.method, refused.path)
	}
	promises403(t, s.App, "GET", "/auth/me") // when the instance no longer remembers the session
	if a := nobody.Call(t, "POST", "/auth/logout", map[string]any{"refreshToken": in.RefreshToken}); a.Status != 200 {
		t.Errorf("signing out of it: %d %s", a.Status, a.Body)
	}
	super.Call(t, "POST", "/super-admin/school/"+s.ID.String()+"/activate", nil)
	login(t, s.App, email, secret)
}

func TestASuperAdminSignsInAndHasNoSchool(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	email := uuid.NewString() + "@test.local"
	for i, want := range []bool{true, false} {
		made, err := app.Service.Auth.AddSuperAdmin(context.Background(), email, "Ops", secret)
		if err != nil || made != want {
			t.Fatalf("time %d: %v %v", i, made, err)
		}
	}
	in := login(t, app, email, secret)
	if in.User.Role != "SUPER_ADMIN" || in.User.SchoolID != "" {
		t.Errorf("user %+v", in.User)
	}
	me := as(app, in.AccessToken)
	me.Refuses(t, "GET", "/school-admin/class/list", nil, 403, "PERMISSION_DENIED")
	if a := me.Call(t, "GET", "/super-admin/school/list", nil); a.Status != 200 {
		t.Errorf("schools: %d %s", a.Status, a.Body)
	}
}
