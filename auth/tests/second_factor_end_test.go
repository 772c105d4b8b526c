package auth_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

func TestFirstFactor_EndsSessionsBegunWithoutOne(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := ticking(t)
	_, email := admin(t, app)
	thief, owner := login(t, app, email, secret), login(t, app, email, secret)
	enrolSignedIn(t, as(app, owner.AccessToken), clock)
	a := app.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": thief.RefreshToken})
	if a.Status != 200 {
		return
	}
	t.Error("a session that was begun with the password alone goes on beside a second factor")
	c := as(app, read(t, a).AccessToken)
	testkit.Post[any](t, c, provePath, map[string]any{"password": secret})
	if a := c.Call(t, "DELETE", "/auth/second-factor/totp", nil); a.Status == 204 {
		t.Error("and takes the factor away, which it never showed")
	}
}

func TestProof_OfAnAccountWithAFactor_IsTheFactor(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := ticking(t)
	_, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	enrolSignedIn(t, c, clock)
	clock.Pass(11 * time.Minute)
	c.Refuses(t, "DELETE", "/auth/second-factor/totp", nil, 403, "REAUTHENTICATION_NEEDED")
	c.Refuses(t, "POST", provePath, map[string]any{"password": secret}, 422, "")
	c.Refuses(t, "POST", "/auth/second-factor/recovery-codes", nil, 403, "REAUTHENTICATION_NEEDED")
}

func TestRemovedFactor_MeetsNoRequirement(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := ticking(t)
	s, email := admin(t, app)
	in := login(t, app, email, secret)
	c := as(app, in.AccessToken)
	enrolSignedIn(t, c, clock)
	if a := c.Call(t, "DELETE", "/auth/second-factor/totp", nil); a.Status != 204 {
		t.Fatalf("removing: %d %s", a.Status, a.Body)
	}
	testkit.Put[any](t, s.As(t, api.SchoolAdmin), "/school-admin/setting", map[string]any{"secondFactorRequired": true})
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "")
}

func TestChallenge_EndsWithThePasswordItCameFrom(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := ticking(t)
	s, email := admin(t, app)
	owner := login(t, app, email, secret)
	testkit.Put[any](t, s.As(t, api.SchoolAdmin), "/school-admin/setting", map[string]any{"secondFactorRequired": true})
	thief := halfSignIn(t, app, email) // knows the password
	app.Nobody().Call(t, "POST", "/auth/password/forgot", map[string]any{"email": email})
	token := link.FindStringSubmatch(app.Sent(t, owner.User.Email)[0].Text)[1]
	testkit.Post[any](t, app.Nobody(), "/auth/password/reset", map[string]any{"token": token, "password": "another long secret"})
	a := app.Nobody().Call(t, "POST", "/auth/second-factor/enrol", map[string]any{"challenge": thief.Challenge})
	if a.Status != 200 {
		return
	}
	var begun enrolment
	a.Read(t, &begun)
	a = app.Nobody().Call(t, "POST", "/auth/second-factor/enrol/confirm",
		map[string]any{"challenge": thief.Challenge, "code": scanned(t, clock, begun.Secret).shows(0)})
	if a.Status == 200 {
		t.Error("a sign-in with the old password is ended after the new one was set, with an authenticator app of the thief's")
	}
}

func TestConsole_WithASecondFactor_IsAKnownDevice(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := ticking(t)
	_, email := admin(t, app)
	phone, _ := enrolSignedIn(t, as(app, login(t, app, email, secret).AccessToken), clock)
	a := console(app, "").Call(t, "POST", "/auth/console/login", map[string]any{"email": email, "password": secret})
	var body struct{ Data halfway }
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatal(err)
	}
	a = console(app, "").Call(t, "POST", "/auth/console/second-factor/verify",
		map[string]any{"challenge": body.Data.Challenge, "code": phone.next()})
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasPrefix(c.Name, "homeroom_device_") {
			return
		}
	}
	t.Errorf("no device cookie: strangers' wrong passwords shut this browser out. %v", a.Header["Set-Cookie"])
}

func TestEnrolment_TwoAtOnce_OneCounts(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "ways round a second factor", 1)
	app, clock := guarded(t)
	both := 0
	for range 10 {
		email := operator(t, app)
		var challenges [2]string
		var phones [2]phoneApp
		for i := range challenges {
			challenges[i] = halfSignIn(t, app, email).Challenge
			phones[i] = scanned(t, clock, testkit.Post[enrolment](t, app.Nobody(), "/auth/second-factor/enrol",
				map[string]any{"challenge": challenges[i]}).Secret)
		}
		var wg sync.WaitGroup
		var statuses [2]int
		for i := range challenges {
			wg.Go(func() {
				a, err := app.Nobody().TryCall("POST", "/auth/second-factor/enrol/confirm",
					map[string]any{"challenge": challenges[i], "code": phones[i].shows(0)})
				if err != nil {
					t.Error(err)
				}
				statuses[i] = a.Status
			})
		}
		wg.Wait()
		if statuses == [2]int{200, 200} {
			both++
		}
	}
	if both > 0 {
		t.Errorf("in %d of 10 rounds both enrolments were taken: the second replaced the first one's app and recovery codes", both)
	}
}
