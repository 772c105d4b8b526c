package auth_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

// elsewhere is somebody at an address of their own.
func elsewhere(t *testing.T, app *testkit.App) *testkit.Client {
	t.Helper()
	n := testkit.Unique()
	return app.Nobody().From(t, fmt.Sprintf("127.%d.%d.%d", 1+n>>16%254, n>>8%256, n%256))
}

// known is the owner's device.
func known(c *testkit.Client, in signedIn) *testkit.Client {
	return c.With(api.DeviceHeader, in.DeviceToken)
}

func sendOTP(t *testing.T, c *testkit.Client, phone string) testkit.Answer {
	t.Helper()
	return c.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": phone})
}

func verifyOTP(t *testing.T, c *testkit.Client, phone, code string) testkit.Answer {
	t.Helper()
	return c.Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": phone, "otp": code})
}

func verifyPIN(t *testing.T, c *testkit.Client, phone, pin string) testkit.Answer {
	t.Helper()
	return c.Call(t, "POST", "/auth/verify-pin", map[string]any{"phone": phone, "pin": pin})
}

// besiege has strangers of four addresses do what they can to shut the owner of a phone out:
// they ask for codes and guess, and try PINs, until none of them is listened to.
func besiege(t *testing.T, app *testkit.App, phone string) {
	t.Helper()
	var wg sync.WaitGroup
	for range 4 {
		stranger := elsewhere(t, app)
		wg.Go(func() {
			try := func(path string, body map[string]any) {
				body["phone"] = phone
				if a, err := stranger.TryCall("POST", path, body); err != nil || a.Status >= 500 && a.Status != 503 {
					t.Errorf("%s: %v %d %s", path, err, a.Status, a.Body)
				}
			}
			for range 5 {
				try("/auth/send-otp", map[string]any{})
				for range 5 {
					try("/auth/verify-otp", map[string]any{"otp": "000000"})
				}
				try("/auth/verify-pin", map[string]any{"pin": "9753"})
			}
		})
	}
	wg.Wait()
	if a := sendOTP(t, elsewhere(t, app), phone); a.Status != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("another stranger asks for a code: %d, want 429 with Retry-After", a.Status)
	}
	if a := verifyPIN(t, elsewhere(t, app), phone, "9753"); a.Status != 429 {
		t.Errorf("another stranger tries a PIN: %d, want 429", a.Status)
	}
}

func TestAKnownDeviceIsNotShutOutByStrangers(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app, clock := ticking(t)
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Driver})
	in := byOTP(t, app, "/auth", p.Phone)
	as(app, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	besiege(t, app, p.Phone)

	owner := known(elsewhere(t, app), in) // at another address than before
	again := read(t, verifyPIN(t, owner, p.Phone, "4826"))
	if again.DeviceToken != in.DeviceToken {
		t.Error("a known device got another token, want its own")
	}
	clock.Pass(time.Minute)
	if a := sendOTP(t, owner, p.Phone); a.Status != 200 {
		t.Fatalf("the owner asks for a code: %d %s", a.Status, a.Body)
	}
	read(t, verifyOTP(t, owner, p.Phone, app.OTP(t, p.Phone)))
}

func TestAForeignDeviceTokenIsNone(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app := testkit.Shared(t)
	s := app.NewSchool(t)
	p, other := s.Add(t, testkit.Person{Role: api.Parent}), s.Add(t, testkit.Person{Role: api.Parent})
	in, theirs := byOTP(t, app, "/auth", p.Phone), byOTP(t, app, "/auth", other.Phone)
	besiege(t, app, p.Phone)
	for what, token := range map[string]string{
		"another phone's": theirs.DeviceToken, "a changed one": "A" + in.DeviceToken[1:], "none": "", "garbage": strings.Repeat("x", 5000),
	} {
		if token == in.DeviceToken {
			continue // the change changed nothing
		}
		if a := sendOTP(t, elsewhere(t, app).With(api.DeviceHeader, token), p.Phone); a.Status != 429 {
			t.Errorf("with %s: %d, want 429", what, a.Status)
		}
	}
}

func TestAKnownDevicesOwnTriesAreCountedToo(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app := testkit.Shared(t)
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", p.Phone)
	as(app, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	device := known(app.Nobody(), in)
	for range 5 {
		if a := verifyPIN(t, device, p.Phone, "9753"); a.Status != 400 {
			t.Fatalf("a wrong PIN: %d %s", a.Status, a.Body)
		}
	}
	if a := verifyPIN(t, device, p.Phone, "4826"); a.Status != 429 {
		t.Errorf("the right PIN after five wrong ones: %d, want 429", a.Status)
	}
	sendOTP(t, device, p.Phone)
	read(t, verifyOTP(t, device, p.Phone, app.OTP(t, p.Phone)))
	read(t, verifyPIN(t, device, p.Phone, "4826"))
}

func TestAStrangerWhoAsksForCodesDoesNotSpoilTheOwners(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app, clock := ticking(t)
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent})
	owner, stranger := elsewhere(t, app), elsewhere(t, app)
	sendOTP(t, owner, p.Phone)
	code := app.OTP(t, p.Phone)
	for range 5 {
		clock.Pass(31 * time.Second)
		sendOTP(t, stranger, p.Phone)
		for range 6 {
			verifyOTP(t, stranger, p.Phone, wrong(code))
		}
	}
	read(t, verifyOTP(t, owner, p.Phone, code))
}

func TestBurntCode_RequestedAgain_IsSentAtOnce(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app, _ := ticking(t) // no time passes
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent})
	owner := elsewhere(t, app)
	sendOTP(t, owner, p.Phone)
	code := app.OTP(t, p.Phone)
	for range 5 {
		verifyOTP(t, owner, p.Phone, wrong(code))
	}
	owner.Refuses(t, "POST", "/auth/verify-otp", map[string]any{"phone": p.Phone, "otp": code}, 400, "OTP_INVALID")
	if a := sendOTP(t, owner, p.Phone); a.Status != 200 {
		t.Fatalf("asking again: %d %s", a.Status, a.Body)
	}
	if n := len(app.Sent(t, p.Phone)); n != 2 {
		t.Errorf("%d messages were sent, want 2", n)
	}
	read(t, verifyOTP(t, owner, p.Phone, app.OTP(t, p.Phone)))
}

func TestCode_EnteredFromAnotherAddress_IsAccepted(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app := testkit.Shared(t)
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent})
	sendOTP(t, elsewhere(t, app), p.Phone)
	read(t, verifyOTP(t, elsewhere(t, app), p.Phone, app.OTP(t, p.Phone)))
}

func TestUnknownSourcesTogetherHaveTwentyWrongPINsADay(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app := testkit.Shared(t)
	p := app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", p.Phone)
	as(app, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	looked := 0
	for range 6 {
		stranger := elsewhere(t, app)
		for range 4 { // and every good sign-in in between changes nothing
			if verifyPIN(t, stranger, p.Phone, "9753").Status == 400 {
				looked++
			}
		}
		verifyPIN(t, known(app.Nobody(), in), p.Phone, "4826")
	}
	if looked != 20 {
		t.Errorf("%d wrong PINs were looked at, want 20", looked)
	}
}

func TestStrangersWrongPasswordsDoNotShutAKnownBrowserOut(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	app, _ := ticking(t) // waits do not end
	_, email := admin(t, app)
	signIn := console(app, "").Call(t, "POST", "/auth/console/login", map[string]any{"email": email, "password": secret})
	var device string
	for _, k := range signIn.Header["Set-Cookie"] {
		if strings.HasPrefix(k, "homeroom_device_") {
			device = strings.SplitN(k, ";", 2)[0]
			for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/auth/console"} {
				if !strings.Contains(k, want) {
					t.Errorf("the device's cookie %q lacks %s", k, want)
				}
			}
		}
	}
	if device == "" {
		t.Fatalf("no cookie for the device: %v", signIn.Header)
	}
	body := map[string]any{"email": email, "password": "not the secret at all"}
	for range 6 {
		app.Nobody().Call(t, "POST", "/auth/login", body)
	}
	body["password"] = secret
	if a := app.Nobody().Call(t, "POST", "/auth/login", body); a.Status != 429 {
		t.Errorf("the right password where the strangers are: %d, want 429", a.Status)
	}
	if a := console(app, "").With("Cookie", device).Call(t, "POST", "/auth/console/login", body); a.Status != 200 {
		t.Errorf("the known browser at the same address: %d %s", a.Status, a.Body)
	}
	if a := elsewhere(t, app).Call(t, "POST", "/auth/login", body); a.Status != 200 {
		t.Errorf("another address: %d %s", a.Status, a.Body)
	}
}

func TestAPINFromBeforeIsTakenAndKeyed(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "shutting an owner out", 1)
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	byOTP(t, s.App, "/auth", p.Phone)
	old, err := s.App.Service.Auth.Hasher.Hash(t.Context(), "4826")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DB(t).Exec(`update app_user set pin_hash = ? where id = ?`, old, p.UserID).Error; err != nil {
		t.Fatal(err)
	}
	for range 2 {
		read(t, verifyPIN(t, s.App.Nobody(), p.Phone, "4826"))
		if n := s.Count(t, "app_user", "id = ? and pin_hash like 'keyed$argon2id$%'", p.UserID); n != 1 {
			t.Error("the PIN is not keyed after a sign-in")
		}
	}
	if a := verifyPIN(t, s.App.Nobody(), p.Phone, "9753"); a.Status != 400 {
		t.Errorf("a wrong PIN: %d, want 400", a.Status)
	}
}
