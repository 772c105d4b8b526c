package auth_test

import (
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

// ownAccount is the id of the account a sign-in by phone opened.
func ownAccount(t *testing.T, in signedIn) string {
	t.Helper()
	for _, a := range in.Accounts {
		if a.SchoolID == in.User.SchoolID && a.Role == in.User.Role {
			return a.ID
		}
	}
	t.Fatalf("no account of one's own: %+v", in.Accounts)
	return ""
}

func TestWrongPINs_OfOneAccount_AreCountedOverItsSessions(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	s := app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", person.Phone)
	c := as(app, in.AccessToken)
	testkit.Post[any](t, c, "/auth/set-pin", map[string]any{"pin": "482691"})
	clock.Pass(11 * time.Minute)
	lookedAt := 0
	for range 5 {
		for range 6 {
			if a := c.Call(t, "POST", provePath, map[string]any{"pin": "593702"}); a.Status == 422 {
				lookedAt++
			}
		}
		in = read(t, switchTo(t, app, in, ownAccount(t, in)))
		c = as(app, in.AccessToken)
	}
	if lookedAt > 5 {
		t.Errorf("%d wrong PINs of one account were looked at, want 5", lookedAt)
	}
	a := c.Call(t, "POST", provePath, map[string]any{"pin": "482691"})
	if a.Status == 200 {
		t.Errorf("the %d. guess was taken: a stolen token has a fresh proof", lookedAt+1)
	}
}

func TestSwitch_WithoutTheRefreshToken_IsRefused(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	s := testkit.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.Parent})
	in, other := byOTP(t, s.App, "/auth", person.Phone), byOTP(t, s.App, "/auth", person.Phone)
	for what, token := range map[string]string{"none": "", "another session's": other.RefreshToken} {
		thief := in
		thief.RefreshToken = token
		wantRefusal(t, what, switchTo(t, s.App, thief, ownAccount(t, in)), 422, "Unprocessable Entity")
	}
}

func TestFirstPIN_OfAStaleSession_IsRefused(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	s := app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.SchoolAdmin})
	stolen := as(app, byOTP(t, app, "/auth", person.Phone).AccessToken)
	clock.Pass(11 * time.Minute)
	stale(t, stolen)
	stolen.Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": "482691"}, 403, "REAUTHENTICATION_NEEDED")
	if a := verifyPIN(t, elsewhere(t, app), person.Phone, "482691"); a.Status == 200 {
		t.Error("the holder of a stale access token has made themselves a way in")
	}
}

func TestSwitch_MakesNoKnownDevice(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	s := testkit.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, s.App, "/auth", person.Phone)
	if switched := read(t, switchTo(t, s.App, in, ownAccount(t, in))); switched.DeviceToken != "" {
		t.Error("a switch, which shows no secret, answers with a device token")
	}
}

func TestProof_OfHalfAYearAgo_OpensNoOtherAccount(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	s, theirs := app.NewSchool(t), app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", person.Phone)
	for range 30 { // half a year: the number is given to somebody else, the app goes on refreshing
		clock.Pass(6 * 24 * time.Hour)
		in = refresh(t, app, in.RefreshToken)
	}
	theirs.Add(t, testkit.Person{Role: api.SchoolAdmin, Phone: person.Phone})
	new := byOTP(t, app, "/auth", person.Phone) // its new owner signs in, to one of the two
	var office string
	for _, a := range new.Accounts {
		if a.Role == "SCHOOL_ADMIN" {
			office = a.ID
		}
	}
	wantRefusal(t, "who had the number half a year ago", switchTo(t, app, in, office), 403, "REAUTHENTICATION_NEEDED")
}

func TestPhoneTypedElsewhere_DivertsNoSignIn(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	s, theirs := app.NewSchool(t), app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.SchoolAdmin})
	in := byOTP(t, app, "/auth", person.Phone)
	enrolSignedIn(t, as(app, in.AccessToken), clock)
	theirs.Add(t, testkit.Person{Role: api.Parent, Phone: person.Phone}) // another school's office types the phone
	clock.Pass(6 * time.Minute)
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": person.Phone})
	a := app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": person.Phone, "otp": app.OTP(t, person.Phone)})
	if a.Status == 200 {
		t.Errorf("the administrator is signed in to %s of a school that only typed their phone", read(t, a).User.Role)
	}
	if a := app.SuperAdmin(t).Call(t, "POST", "/super-admin/school/"+theirs.ID.String()+"/suspend", nil); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	clock.Pass(6 * time.Minute)
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": person.Phone})
	a = app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": person.Phone, "otp": app.OTP(t, person.Phone)})
	wantRefusal(t, "with the other school suspended", a, 403, "SECOND_FACTOR_NEEDED")
}

func TestPhoneTypedAtASuspendedSchool_HidesNoChallenge(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	s, theirs := app.NewSchool(t), app.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.SchoolAdmin})
	enrolSignedIn(t, as(app, byOTP(t, app, "/auth", person.Phone).AccessToken), clock)
	theirs.Add(t, testkit.Person{Role: api.Parent, Phone: person.Phone})
	if a := app.SuperAdmin(t).Call(t, "POST", "/super-admin/school/"+theirs.ID.String()+"/suspend", nil); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	clock.Pass(6 * time.Minute)
	app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": person.Phone})
	a := app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": person.Phone, "otp": app.OTP(t, person.Phone)})
	wantRefusal(t, "an administrator with a factor", a, 403, "SECOND_FACTOR_NEEDED")
}

func TestPasswordLink_EndsWithAChangedPassword(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, _ := ticking(t)
	_, email := admin(t, app)
	in := login(t, app, email, secret)
	app.Nobody().Call(t, "POST", "/auth/password/forgot", map[string]any{"email": email})
	token := link.FindStringSubmatch(app.Sent(t, in.User.Email)[0].Text)[1]
	if a := as(app, in.AccessToken).Call(t, "POST", "/auth/password/change",
		map[string]any{"currentPassword": secret, "newPassword": "another long secret"}); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	app.Nobody().Refuses(t, "POST", "/auth/password/reset", map[string]any{"token": token, "password": "a third long secret"}, 400, "")
}

func TestStaleSession_MakesNoAdministratorAndExportsNothing(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	app, clock := ticking(t)
	_, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	testkit.Put[any](t, c, "/school-admin/setting", map[string]any{"secondFactorRequired": false})
	clock.Pass(11 * time.Minute)
	stale(t, c)
	if a := c.Call(t, "POST", "/school-admin/employee/create",
		map[string]any{"firstName": "Eve", "phone": testkit.NewPhone(), "email": address(), "employeeType": "ADMIN"}); a.Status != 403 {
		t.Errorf("an administrator is added: %d", a.Status)
	}
	if a := c.Call(t, "PUT", "/school-admin/setting", map[string]any{"secondFactorRequired": true}); a.Status != 403 {
		t.Errorf("the requirement of a second factor is changed: %d", a.Status)
	}
	for _, path := range []string{"/school-admin/student/export", "/school-admin/employee/export"} {
		if a := c.Call(t, "GET", path, nil); a.Status != 403 {
			t.Errorf("GET %s: %d", path, a.Status)
		}
	}
}

func TestProof_OfTwoAtOnce_IsRefused(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "what a stale or stolen token opens", 1)
	s := testkit.NewSchool(t)
	person := s.Add(t, testkit.Person{Role: api.Parent})
	c := as(s.App, byOTP(t, s.App, "/auth", person.Phone).AccessToken)
	testkit.Post[any](t, c, "/auth/set-pin", map[string]any{"pin": "482691"})
	// The PIN is right; the code, which would renew the proof of the phone, is a guess.
	c.Refuses(t, "POST", provePath, map[string]any{"pin": "482691", "otp": "000000"}, 422, "")
}
