package auth_test

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/factor"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// guarded is an instance whose clock stands, and whose operators need a second factor.
func guarded(t *testing.T) (*testkit.App, *wait.Clock) {
	t.Helper()
	clock := wait.NewClock()
	return testkit.Start(t, func(c *config.Config, o *service.Options) { c.SecondFactor, o.Clock = "required", clock.Now }), clock
}

// operator makes a super-admin who signs in with secret.
func operator(t *testing.T, app *testkit.App) string {
	t.Helper()
	email := "o" + uuid.NewString()[:13] + "@test.local"
	if _, err := app.Service.Auth.AddSuperAdmin(context.Background(), email, "Test", secret); err != nil {
		t.Fatal(err)
	}
	return email
}

// halfway is the answer of a sign-in that needs a second factor.
type halfway struct {
	Challenge string
	Methods   []string
	Enrol     bool
}

func halfSignIn(t *testing.T, app *testkit.App, email string) halfway {
	t.Helper()
	a := app.Nobody().Call(t, "POST", "/auth/login", map[string]any{"email": email, "password": secret})
	var body struct {
		Error string
		Data  halfway
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != 403 || body.Error != "SECOND_FACTOR_NEEDED" ||
		body.Data.Challenge == "" {
		t.Fatalf("want a challenge, got %d %s", a.Status, a.Body)
	}
	if strings.Contains(string(a.Body), "Token") {
		t.Errorf("a token is handed out half way: %s", a.Body)
	}
	return body.Data
}

// phoneApp is an authenticator app.
type phoneApp struct {
	secret []byte
	clock  *wait.Clock
}

// shows is the code of so many steps from now.
func (p phoneApp) shows(steps int64) string {
	return factor.Code(p.secret, factor.StepAt(p.clock.Now())+steps)
}

// next waits for the next code: each is good once.
func (p phoneApp) next() string {
	p.clock.Pass(30 * time.Second)
	return p.shows(0)
}

func scanned(t *testing.T, clock *wait.Clock, text string) phoneApp {
	t.Helper()
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return phoneApp{secret, clock}
}

type enrolment struct{ Secret, URI string }

type enrolledSignIn struct {
	AccessToken, RefreshToken string
	RecoveryCodes             []string
}

// enrolAtSignIn adds an authenticator app in the middle of a sign-in.
func enrolAtSignIn(t *testing.T, app *testkit.App, clock *wait.Clock, email string) (phoneApp, enrolledSignIn) {
	t.Helper()
	ch := halfSignIn(t, app, email)
	if !ch.Enrol {
		t.Fatalf("the challenge is not for enrolling: %+v", ch)
	}
	begun := testkit.Post[enrolment](t, app.Nobody(), "/auth/second-factor/enrol", map[string]any{"challenge": ch.Challenge})
	phone := scanned(t, clock, begun.Secret)
	in := testkit.Post[enrolledSignIn](t, app.Nobody(), "/auth/second-factor/enrol/confirm",
		map[string]any{"challenge": ch.Challenge, "code": phone.shows(0)})
	return phone, in
}

// enrolSignedIn adds an authenticator app to an account that is signed in.
func enrolSignedIn(t *testing.T, c *testkit.Client, clock *wait.Clock) (phoneApp, []string) {
	t.Helper()
	begun := testkit.Post[enrolment](t, c, "/auth/second-factor/totp", nil)
	phone := scanned(t, clock, begun.Secret)
	added := testkit.Post[struct{ RecoveryCodes []string }](t, c, "/auth/second-factor/totp/confirm", map[string]any{"code": phone.shows(0)})
	return phone, added.RecoveryCodes
}

const (
	verifyPath  = "/auth/second-factor/verify"
	schoolsPath = "/super-admin/school/list"
)

func verify(t *testing.T, app *testkit.App, challenge, field, value string) testkit.Answer {
	t.Helper()
	return app.Nobody().Call(t, "POST", verifyPath, map[string]any{"challenge": challenge, field: value})
}

func wantRefusal(t *testing.T, what string, a testkit.Answer, status int, code string) {
	t.Helper()
	if a.Status != status || a.Failure(t).Error != code {
		t.Errorf("%s: want %d %s, got %d %s", what, status, code, a.Status, a.Body)
	}
}

func TestOperator_SecondFactorRequired_EnrolsAtTheFirstSignIn(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	phone, in := enrolAtSignIn(t, app, clock, email)
	testkit.Get[any](t, as(app, in.AccessToken), schoolsPath)
	if len(in.RecoveryCodes) != 10 || in.RefreshToken == "" {
		t.Errorf("got %d recovery codes and refresh token %q", len(in.RecoveryCodes), in.RefreshToken)
	}
	ch := halfSignIn(t, app, email)
	if ch.Enrol || strings.Join(ch.Methods, " ") != "TOTP RECOVERY_CODE" {
		t.Errorf("the second challenge is %+v", ch)
	}
	second := read(t, verify(t, app, ch.Challenge, "code", phone.next()))
	testkit.Get[any](t, as(app, second.AccessToken), schoolsPath)
	wantRefusal(t, "a challenge that was used", verify(t, app, ch.Challenge, "code", phone.next()), 400, "SECOND_FACTOR_EXPIRED")
}

func TestChallenge_ForEnrolling_TakesNothingElse(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	fresh, enrolled := operator(t, app), operator(t, app)
	phone, _ := enrolAtSignIn(t, app, clock, enrolled)
	enrolling, verifying := halfSignIn(t, app, fresh).Challenge, halfSignIn(t, app, enrolled).Challenge
	wantRefusal(t, "verifying without a factor", verify(t, app, enrolling, "code", phone.next()), 403, "PERMISSION_DENIED")
	wantRefusal(t, "enrolling beside a factor", app.Nobody().Call(t, "POST", "/auth/second-factor/enrol",
		map[string]any{"challenge": verifying}), 403, "PERMISSION_DENIED")
	for _, token := range []string{enrolling, verifying} {
		as(app, token).Refuses(t, "GET", schoolsPath, nil, 401, "")
		app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": token}, 401, "")
	}
	// Two who enrol at once with one password: the first one's app counts.
	other := halfSignIn(t, app, fresh).Challenge
	begin := func(token string) phoneApp {
		return scanned(t, clock, testkit.Post[enrolment](t, app.Nobody(), "/auth/second-factor/enrol",
			map[string]any{"challenge": token}).Secret)
	}
	first, second := begin(enrolling), begin(other)
	confirm := func(token string, p phoneApp) testkit.Answer {
		return app.Nobody().Call(t, "POST", "/auth/second-factor/enrol/confirm", map[string]any{"challenge": token, "code": p.shows(0)})
	}
	if a := confirm(enrolling, first); a.Status != 200 {
		t.Fatalf("the first: %d %s", a.Status, a.Body)
	}
	wantRefusal(t, "the second", confirm(other, second), 400, "SECOND_FACTOR_EXPIRED")
}

func TestTOTP_CodeUsedBefore_IsRefused(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	phone, _ := enrolAtSignIn(t, app, clock, email)
	wantRefusal(t, "the code of the enrolment", verify(t, app, halfSignIn(t, app, email).Challenge, "code", phone.shows(0)), 400,
		"SECOND_FACTOR_INVALID")
	code, challenges := phone.next(), make([]string, 4)
	// Four at once with one code: one comes in.
	for i := range challenges {
		challenges[i] = halfSignIn(t, app, email).Challenge
	}
	var wg sync.WaitGroup
	statuses := make([]int, len(challenges))
	for i := range statuses {
		wg.Go(func() {
			a, err := app.Nobody().TryCall("POST", verifyPath, map[string]any{"challenge": challenges[i], "code": code})
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.Status
		})
	}
	wg.Wait()
	in := 0
	for _, status := range statuses {
		if status == 200 {
			in++
		}
	}
	if in != 1 {
		t.Errorf("one code opened %d sessions: %v", in, statuses)
	}
}

func TestTOTP_ClockOneStepOff_IsTakenAndTwoAreNot(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	phone, _ := enrolAtSignIn(t, app, clock, email)
	for _, c := range []struct {
		steps int64
		good  bool
	}{{-2, false}, {2, false}, {-1, true}, {1, true}} {
		clock.Pass(5 * time.Minute)
		a := verify(t, app, halfSignIn(t, app, email).Challenge, "code", phone.shows(c.steps))
		if (a.Status == 200) != c.good {
			t.Errorf("%d steps off: %d %s", c.steps, a.Status, a.Body)
		}
	}
}

func TestTOTP_ManyWrongCodes_Wait(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	phone, in := enrolAtSignIn(t, app, clock, email)
	ch := halfSignIn(t, app, email).Challenge
	statuses := map[int]int{}
	for range 20 {
		statuses[verify(t, app, ch, "code", wrong(phone.shows(0))).Status]++
	}
	if statuses[400] != 5 || statuses[429] != 15 {
		t.Errorf("statuses %v, want five looked at", statuses)
	}
	if a := verify(t, app, ch, "code", phone.next()); a.Status != 429 && a.Status != 200 {
		t.Errorf("the right code: %d %s", a.Status, a.Body)
	}
	clock.Pass(16 * time.Minute)
	read(t, verify(t, app, halfSignIn(t, app, email).Challenge, "code", phone.shows(0)))
	if n := len(in.RecoveryCodes); n != 10 {
		t.Errorf("%d recovery codes", n)
	}
}

func TestChallenge_OfAnotherAccount_TakesNoCodeOfOurs(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	mine, theirs := operator(t, app), operator(t, app)
	phone, codes := enrolAtSignIn(t, app, clock, mine)
	enrolAtSignIn(t, app, clock, theirs)
	ch := halfSignIn(t, app, theirs).Challenge
	wantRefusal(t, "my code", verify(t, app, ch, "code", phone.next()), 400, "SECOND_FACTOR_INVALID")
	wantRefusal(t, "my recovery code", verify(t, app, ch, "recoveryCode", codes.RecoveryCodes[0]), 400, "SECOND_FACTOR_INVALID")
	wantRefusal(t, "a challenge of nobody's", verify(t, app, "AAAA", "code", phone.next()), 400, "SECOND_FACTOR_EXPIRED")
	wantRefusal(t, "nothing at all", app.Nobody().Call(t, "POST", verifyPath, map[string]any{"challenge": ch}), 422, "Unprocessable Entity")
}

func TestRecoveryCode_IsGoodOnceAndEndsWithTheNextSet(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	_, in := enrolAtSignIn(t, app, clock, email)
	first, second, third := in.RecoveryCodes[0], in.RecoveryCodes[1], in.RecoveryCodes[2]
	try := func(code string) testkit.Answer {
		return verify(t, app, halfSignIn(t, app, email).Challenge, "recoveryCode", code)
	}
	again := read(t, try(strings.ToUpper(first)))
	wantRefusal(t, "a code that was used", try(first), 400, "SECOND_FACTOR_INVALID")
	c := as(app, again.AccessToken)
	if left := testkit.Get[struct{ RecoveryCodes int }](t, c, "/auth/second-factor").RecoveryCodes; left != 9 {
		t.Errorf("%d codes are left, want 9", left)
	}
	next := testkit.Post[struct{ RecoveryCodes []string }](t, c, "/auth/second-factor/recovery-codes", nil)
	wantRefusal(t, "a code of the set before", try(second), 400, "SECOND_FACTOR_INVALID")
	read(t, try(next.RecoveryCodes[0]))
	if third == next.RecoveryCodes[2] {
		t.Error("the new set is the old one")
	}
}

func TestSecondFactor_LastOneRequired_CannotBeRemoved(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	_, in := enrolAtSignIn(t, app, clock, operator(t, app))
	c := as(app, in.AccessToken)
	c.Refuses(t, "DELETE", "/auth/second-factor/totp", nil, 409, "")
	if state := testkit.Get[struct{ Required, TOTP bool }](t, c, "/auth/second-factor"); !state.Required || !state.TOTP {
		t.Errorf("state %+v", state)
	}
}

func TestSchoolAdmin_AddsAndRemovesASecondFactorFreely(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	phone, codes := enrolSignedIn(t, c, clock)
	if len(codes) != 10 {
		t.Errorf("%d recovery codes, want 10", len(codes))
	}
	read(t, verify(t, app, halfSignIn(t, app, email).Challenge, "code", phone.next()))
	if a := c.Call(t, "DELETE", "/auth/second-factor/totp", nil); a.Status != 204 {
		t.Fatalf("removing: %d %s", a.Status, a.Body)
	}
	login(t, app, email, secret)
	for _, action := range []string{"authenticator app added", "authenticator app removed"} {
		if n := s.Count(t, "audit_event", "action = ?", action); n != 1 {
			t.Errorf("%q is in the audit %d times, want 1", action, n)
		}
	}
	if n := s.Count(t, "audit_event", "action = 'sign-in by PASSWORD'"); n != 3 {
		t.Errorf("%d sign-ins are in the audit, want 3", n)
	}
}

func TestSecondFactor_SignInByPhone_RequiresItToo(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.SchoolAdmin})
	in := byOTP(t, app, "/auth", person.Phone)
	phone, _ := enrolSignedIn(t, as(app, in.AccessToken), clock)
	clock.Pass(time.Minute)
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": person.Phone})
	a := app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": person.Phone, "otp": app.OTP(t, person.Phone)})
	wantRefusal(t, "a code by SMS alone", a, 403, "SECOND_FACTOR_NEEDED")
	var body struct{ Data halfway }
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatal(err)
	}
	read(t, verify(t, app, body.Data.Challenge, "code", phone.next()))
}

func TestSchool_RequiresASecondFactor_OfItsAdministrators(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s, email := admin(t, app)
	before := login(t, app, email, secret)
	clerk := s.As(t, api.SchoolAdmin)
	testkit.Put[any](t, clerk, "/school-admin/setting", map[string]any{"secondFactorRequired": true})
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": before.RefreshToken}, 401, "")
	_, in := enrolAtSignIn(t, app, clock, email)
	read(t, app.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}))
	as(app, in.AccessToken).Refuses(t, "DELETE", "/auth/second-factor/totp", nil, 409, "")
	parent := s.Add(t, testkit.Person{Role: api.Parent})
	byOTP(t, app, "/auth", parent.Phone) // nobody else is asked
	other, otherEmail := admin(t, app)
	if in := login(t, app, otherEmail, secret); in.User.SchoolID != other.ID.String() {
		t.Errorf("another school's administrator: %+v", in.User)
	}
}

func TestSecondFactor_IsForThoseWhoAdminister(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	for _, role := range []api.RoleType{api.Teacher, api.Parent, api.Driver} {
		s.As(t, role).Refuses(t, "POST", "/auth/second-factor/totp", nil, 403, "PERMISSION_DENIED")
	}
}

func TestSecondFactor_InTheDatabase_CannotBeRead(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	phone, in := enrolAtSignIn(t, app, clock, email)
	var text string
	err := app.Service.Cluster.PlatformPool().QueryRow(context.Background(),
		`select encode(t.secret, 'hex') || coalesce((select string_agg(encode(r.code_hash, 'escape'), ' ') from platform.recovery_code r
		where r.account_id = a.id), '')
		from platform.totp t join platform.account a on a.id = t.account_id where a.email = $1`, email).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, string(phone.secret)) || strings.Contains(text, strings.ReplaceAll(in.RecoveryCodes[0], "-", "")) {
		t.Error("a secret is kept as it is")
	}
}

func TestConsole_SecondFactor_EndsInACookie(t *testing.T) {
	t.Parallel()
	app, clock := guarded(t)
	email := operator(t, app)
	half := func() halfway {
		t.Helper()
		a := console(app, "").Call(t, "POST", "/auth/console/login", map[string]any{"email": email, "password": secret})
		wantRefusal(t, "the password alone", a, 403, "SECOND_FACTOR_NEEDED")
		if a.Header.Get("Set-Cookie") != "" {
			t.Errorf("a cookie is set half way: %s", a.Header.Get("Set-Cookie"))
		}
		var body struct{ Data halfway }
		if err := json.Unmarshal(a.Body, &body); err != nil {
			t.Fatal(err)
		}
		return body.Data
	}
	first := half()
	begun := testkit.Post[enrolment](t, app.Nobody(), "/auth/second-factor/enrol", map[string]any{"challenge": first.Challenge})
	phone := scanned(t, clock, begun.Secret)
	a := console(app, "").Call(t, "POST", "/auth/console/second-factor/enrol/confirm",
		map[string]any{"challenge": first.Challenge, "code": phone.shows(0)})
	if a.Status != 200 || !kept(t, a).HttpOnly || strings.Contains(string(a.Body), "refreshToken") ||
		!strings.Contains(string(a.Body), "recoveryCodes") {
		t.Errorf("enrolled: %d %s", a.Status, a.Body)
	}
	a = console(app, "").Call(t, "POST", "/auth/console/second-factor/verify",
		map[string]any{"challenge": half().Challenge, "code": phone.next()})
	if a.Status != 200 || !kept(t, a).HttpOnly {
		t.Errorf("verified: %d %s", a.Status, a.Body)
	}
	if a := console(app, kept(t, a).Value).Call(t, "POST", "/auth/console/refresh", nil); a.Status != 200 {
		t.Errorf("refreshed: %d %s", a.Status, a.Body)
	}
}
