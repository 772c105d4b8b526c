package auth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// signedIn is a sign-in's answer as a client reads it: at the top level.
type signedIn struct {
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken"`
	DeviceToken  string `json:"deviceToken"`
	User         struct {
		ID, Phone, Email, Role, SchoolID string
	} `json:"user"`
	Accounts []struct{ ID, Role, SchoolID, SchoolName string } `json:"accounts"`
	Message  string                                            `json:"message"`
	Data     json.RawMessage                                   `json:"data"`
}

// switchTo goes on as another account.
func switchTo(t *testing.T, app *testkit.App, in signedIn, account any) testkit.Answer {
	t.Helper()
	return as(app, in.AccessToken).Call(t, "POST", "/auth/switch", map[string]any{"accountId": account, "refreshToken": in.RefreshToken})
}

func read(t *testing.T, a testkit.Answer) signedIn {
	t.Helper()
	var s signedIn
	if err := json.Unmarshal(a.Body, &s); err != nil || a.Status != 200 {
		t.Fatalf("sign-in: %d %s", a.Status, a.Body)
	}
	return s
}

// byOTP signs a person in with a code.
func byOTP(t *testing.T, app *testkit.App, prefix, phone string) signedIn {
	t.Helper()
	nobody := app.Nobody()
	if a := nobody.Call(t, "POST", prefix+"/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
		t.Fatalf("send-otp: %d %s", a.Status, a.Body)
	}
	return read(t, nobody.Call(t, "POST", prefix+"/verify-otp", map[string]any{"phone": phone, "otp": app.OTP(t, phone)}))
}

// ticking is an instance whose clock stands until the test moves it.
func ticking(t *testing.T) (*testkit.App, *wait.Clock) {
	clock := wait.NewClock()
	return testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now }), clock
}

func wrong(code string) string {
	if code == "000000" {
		return "111111"
	}
	return "000000"
}

func TestEveryClientSignsInWithACodeUnderBothPrefixes(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	for prefix, role := range map[string]api.RoleType{
		"/parent/user-auth": api.Parent, "/teacher/user-auth": api.Teacher, "/driver/user-auth": api.Driver, "/auth": api.Parent,
	} {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			p := s.Add(t, testkit.Person{Role: role})
			in := byOTP(t, s.App, prefix, p.Phone)
			if in.User.ID != p.UserID.String() || in.User.Phone != p.Phone || in.User.Role != string(role) || in.User.SchoolID != s.ID.String() {
				t.Errorf("user %+v", in.User)
			}
			if in.AccessToken == "" || in.RefreshToken == "" || in.Message == "" || !strings.Contains(string(in.Data), in.AccessToken) {
				t.Errorf("answer %+v", in)
			}
			client := s.App.Nobody()
			client.Token = in.AccessToken
			if me := client.Call(t, "GET", "/auth/me", nil); me.Status != 200 || !strings.Contains(string(me.Body), p.UserID.String()) {
				t.Errorf("me: %d %s", me.Status, me.Body)
			}
		})
	}
}

func TestAPhoneIsTakenAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	written := p.Phone[:3] + " " + p.Phone[3:8] + "-" + p.Phone[8:]
	if in := byOTPWritten(t, s.App, written, p.Phone); in.User.ID != p.UserID.String() {
		t.Errorf("user %+v", in.User)
	}
	for _, bad := range []string{"98123", "+91x", "+1", "++919812345678", "+9198123456789012345"} {
		s.App.Nobody().Refuses(t, "POST", "/auth/send-otp", map[string]any{"phone": bad}, 422, "")
	}
}

func byOTPWritten(t *testing.T, app *testkit.App, written, phone string) signedIn {
	t.Helper()
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": written})
	return read(t, app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": written, "otp": app.OTP(t, phone)}))
}

func TestAWrongCodeIsInvalidALateOneExpiredAndAUsedOneGone(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	nobody := app.Nobody()
	nobody.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": p.Phone})
	code := app.OTP(t, p.Phone)
	nobody.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": wrong(code)}, 400, "OTP_INVALID")
	clock.Pass(5*time.Minute + time.Second)
	nobody.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}, 400, "OTP_EXPIRED")
	nobody.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": p.Phone})
	code = app.OTP(t, p.Phone)
	read(t, nobody.Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}))
	nobody.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}, 400, "OTP_INVALID")
}

func TestOfAHundredGuessesAtOnceFiveAreLookedAt(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	p := s.Add(t, testkit.Person{Role: api.Teacher})
	s.App.Nobody().Call(t, "POST", "/teacher/user-auth/send-otp", map[string]any{"phone": p.Phone})
	code := s.App.OTP(t, p.Phone)
	// Both path families and both instances share one count.
	paths := []string{"/auth/verify-otp", "/teacher/user-auth/verify-otp"}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			client := []*testkit.App{s.App, second}[i%2].Nobody()
			a, err := client.TryCall("POST", paths[i/2%2], map[string]any{"phone": p.Phone, "otp": wrong(code)})
			if err != nil || a.Status != 400 {
				t.Errorf("a guess: %v %d %s", err, a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	tries, err := s.App.Service.Redis.HGet(context.Background(), "homeroom:code:{"+p.Phone+"}", "tries address 127.0.0.1").Int()
	if err != nil || tries != 100 {
		t.Errorf("%d tries were counted: %v", tries, err)
	}
	s.App.Nobody().Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}, 400, "OTP_INVALID")
}

func TestOfTwentyRightCodesAtOnceOneStartsASession(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	s.App.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": p.Phone})
	code := s.App.OTP(t, p.Phone)
	var in atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			a, err := []*testkit.App{s.App, second}[i%2].Nobody().TryCall("POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code})
			if err != nil || (a.Status != 200 && a.Status != 400) {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
			if a.Status == 200 {
				in.Add(1)
			}
		})
	}
	wg.Wait()
	if in.Load() != 1 {
		t.Errorf("%d sessions", in.Load())
	}
}

func TestADoubleTapSendsOneMessageAndASixthInAnHourNone(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	send := func() testkit.Answer {
		return app.Nobody().Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": p.Phone})
	}
	send()
	code := app.OTP(t, p.Phone)
	if again := send(); again.Status != 200 || len(app.Sent(t, p.Phone)) != 1 {
		t.Errorf("a double tap: %d, %d messages", again.Status, len(app.Sent(t, p.Phone)))
	}
	read(t, app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}))
	for i := 2; i <= 5; i++ {
		clock.Pass(31 * time.Second)
		if a := send(); a.Status != 200 {
			t.Fatalf("message %d: %d", i, a.Status)
		}
	}
	clock.Pass(31 * time.Second)
	if sixth := send(); sixth.Status != 429 || sixth.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth: %d %s", sixth.Status, sixth.Body)
	}
	if n := len(app.Sent(t, p.Phone)); n != 5 {
		t.Errorf("%d messages were sent", n)
	}
}

func TestAnUnknownPhoneIsAnsweredLikeAKnownOne(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	known, unknown := s.Add(t, testkit.Person{Role: api.Parent}).Phone, testkit.NewPhone()
	nobody := s.App.Nobody()
	a := nobody.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": known})
	b := nobody.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": unknown})
	if a.Status != 200 || a.Status != b.Status || string(a.Body) != string(b.Body) {
		t.Errorf("%d %s / %d %s", a.Status, a.Body, b.Status, b.Body)
	}
	if n := len(s.App.Sent(t, unknown)); n != 0 {
		t.Errorf("%d messages went to a phone nobody has", n)
	}
	f := nobody.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": unknown, "otp": "123456"}, 400, "OTP_INVALID")
	if g := nobody.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": known, "otp": wrong(s.App.OTP(t, known))}, 400,
		"OTP_INVALID"); f.Message != g.Message {
		t.Errorf("%q / %q", f.Message, g.Message)
	}
}

func TestAClientSeesAccountsOfItsOwnRoleOnly(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	s.App.Nobody().Call(t, "POST", "/driver/user-auth/send-otp", map[string]any{"phone": p.Phone})
	if n := len(s.App.Sent(t, p.Phone)); n != 0 {
		t.Errorf("a parent was sent a driver's code")
	}
}

func TestAnotherRolesRequestDoesNotReplaceTheCodeOnItsWay(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	app.Nobody().Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": p.Phone})
	code := app.OTP(t, p.Phone)
	clock.Pass(time.Minute)
	app.Nobody().Call(t, "POST", "/driver/user-auth/send-otp", map[string]any{"phone": p.Phone})
	read(t, app.Nobody().Call(t, "POST", "/parent/user-auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}))
}

func TestSeveralAccountsOfAPhoneAreNamedAndSwitchedBetween(t *testing.T) {
	t.Parallel()
	one, two := testkit.NewSchool(t), testkit.NewSchool(t)
	phone := testkit.NewPhone()
	parent := one.Add(t, testkit.Person{Role: api.Parent, Phone: phone})
	teacher := two.Add(t, testkit.Person{Role: api.Teacher, Phone: phone})
	in := byOTP(t, one.App, "/auth", phone)
	if len(in.Accounts) != 2 {
		t.Fatalf("accounts %+v", in.Accounts)
	}
	var other string
	for _, a := range in.Accounts {
		if a.SchoolID != in.User.SchoolID {
			other = a.ID
		}
	}
	switched := read(t, switchTo(t, one.App, in, other))
	users := map[string]bool{in.User.ID: true, switched.User.ID: true}
	if !users[parent.UserID.String()] || !users[teacher.UserID.String()] {
		t.Errorf("signed in as %v", users)
	}
	stranger := one.As(t, api.Parent)
	wantRefusal(t, "a stranger's account", switchTo(t, one.App, in, stranger.AccountID), 404, "Not Found")
	// The one used last is the one signed in to next.
	if last := byOTPAgain(t, one.App, phone); last.User.ID != switched.User.ID {
		t.Errorf("signed in as %s, used last %s", last.User.ID, switched.User.ID)
	}
}

func byOTPAgain(t *testing.T, app *testkit.App, phone string) signedIn {
	t.Helper()
	// Within 30 s no second message goes out; forget the first.
	app.Service.Redis.Del(context.Background(), "homeroom:code:{"+phone+"}")
	return byOTP(t, app, "/auth", phone)
}

func TestNoCodePhoneOrTokenIsLogged(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t)
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", p.Phone)
	client := app.Nobody()
	client.Token = in.AccessToken
	client.Call(t, "GET", "/auth/me", nil)
	log := app.Log.String()
	if !strings.Contains(log, "verify-otp") {
		t.Fatal("nothing was logged")
	}
	for _, secret := range []string{p.Phone, p.Phone[1:], app.OTP(t, p.Phone), in.AccessToken, in.RefreshToken, "Test"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestSignInIsRefusedWithoutRedisButASessionGoesOn(t *testing.T) {
	t.Parallel()
	stack := hurtableStack(t)
	app := testkit.StartOn(t, stack, "otp")
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", p.Phone)
	if err := stack.StopRedis(context.Background()); err != nil {
		t.Fatal(err)
	}
	nobody := app.Nobody()
	for path, body := range map[string]map[string]any{
		"/auth/send-otp":   {"phone": p.Phone},
		"/auth/verify-otp": {"phone": p.Phone, "otp": "123456"},
		"/auth/verify-pin": {"phone": p.Phone, "pin": "4826"},
		"/auth/login":      {"email": "a@b.co", "password": "whatever it is"},
	} {
		nobody.Refuses(t, "POST", path, body, http.StatusServiceUnavailable, "")
	}
	again := read(t, nobody.Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}))
	client := app.Nobody()
	client.Token = again.AccessToken
	if a := client.Call(t, "POST", "/auth/logout", nil); a.Status != 200 {
		t.Errorf("logout: %d %s", a.Status, a.Body)
	}
	nobody.Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": again.RefreshToken}, 401, "")
}
