package api_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.9":              "203.0.113.9",
		"::ffff:203.0.113.9":       "203.0.113.9",
		"::ffff:cb00:7109":         "203.0.113.9",
		"2001:db8:1:2::1":          "2001:db8:1:2::/64",
		"2001:DB8:1:2:a:b:c:d":     "2001:db8:1:2::/64",
		"2001:db8:1:3::1":          "2001:db8:1:3::/64",
		"fe80::1%eth0":             "fe80::/64",
		"not an address":           "not an address",
		"":                         "",
		"0:0:0:0:0:ffff:127.0.0.1": "127.0.0.1",
	} {
		if got := api.AddressKey(address); got != want {
			t.Errorf("%q is counted as %q, want %q", address, got, want)
		}
	}
}

func TestAHouseWithIPv6IsOneCaller(t *testing.T) {
	t.Parallel()
	proxy := loopback()
	app := startLab(t, limitSignIns("3-H"), trust(proxy))
	house := fmt.Sprintf("2001:db8:%x:%x", rand.IntN(1<<16), rand.IntN(1<<16))
	four := fmt.Sprintf("198.51.%d.%d", rand.IntN(256), rand.IntN(256))
	for what, from := range map[string]func(i int) string{
		"addresses of one /64":     func(i int) string { return fmt.Sprintf("%s:%x::%x", house, i, i) },
		"one IPv4, written as two": func(i int) string { return []string{four, "::ffff:" + four}[i%2] },
	} {
		count := statuses(t, 20, func(i int) (testkit.Answer, error) {
			return app.Nobody().From(t, proxy).With("X-Forwarded-For", from(i)).TryCall("POST", knockPath, nil)
		})
		if count[200] != 3 || count[429] != 17 {
			t.Errorf("%s: %v, want 3 × 200 and 17 × 429", what, count)
		}
	}
}

func TestOneHeaderOfATrustedProxyIsBelieved(t *testing.T) {
	t.Parallel()
	proxy := loopback()
	app := startLab(t, limitSignIns("3-H"), trust(proxy))
	through := app.Nobody().From(t, proxy)
	count := statuses(t, 10, func(i int) (testkit.Answer, error) {
		return through.With("X-Forwarded-For", "broken").With("X-Real-Ip", fmt.Sprintf("203.0.113.%d", i)).TryCall("POST", knockPath, nil)
	})
	if count[200] != 3 || count[429] != 7 {
		t.Errorf("a broken X-Forwarded-For and an X-Real-IP: %v, want 3 × 200 and 7 × 429", count)
	}
	// A proxy that adds a line of its own instead of adding to the client's.
	client := fmt.Sprintf("192.0.2.%d", rand.IntN(256))
	count = statuses(t, 10, func(i int) (testkit.Answer, error) {
		c := through.With("X-Forwarded-For", "")
		c.Header["X-Forwarded-For"] = []string{fmt.Sprintf("203.0.113.%d", i), client}
		return c.TryCall("POST", knockPath, nil)
	})
	if count[200] != 3 || count[429] != 7 {
		t.Errorf("two lines: %v, want 3 × 200 and 7 × 429", count)
	}
}

func TestWhoIsSignedInCountsForThemselves(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitSignIns("2-H"), limitReads("4-H"))
	s := app.NewSchool(t)
	school := loopback() // all of them have it
	for range 4 {
		teacher := s.As(t, api.Teacher).From(t, school)
		for i, want := range []int{200, 200, 200, 200, 429} {
			if a := teacher.Call(t, "GET", "/auth/me", nil); a.Status != want {
				t.Errorf("who I am, call %d: %d, want %d", i+1, a.Status, want)
			}
		}
	}
}

func TestARefreshCountsForItsSession(t *testing.T) {
	t.Parallel()
	// Signing in takes two calls of the address.
	app := startLab(t, limitSignIns("8-H"))
	s := app.NewSchool(t)
	school := app.Nobody().From(t, loopback())
	var tokens []string
	for range 4 {
		p := s.Add(t, testkit.Person{Role: api.Parent})
		if a := school.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": p.Phone}); a.Status != 200 {
			t.Fatalf("send-otp: %d %s", a.Status, a.Body)
		}
		in := testkit.Post[struct{ RefreshToken string }](t, school, "/auth/verify-otp",
			map[string]any{"phone": p.Phone, "otp": app.OTP(t, p.Phone)})
		tokens = append(tokens, in.RefreshToken)
	}
	if a := school.Call(t, "POST", "/auth/send-otp", map[string]any{"phone": testkit.NewPhone()}); a.Status != 429 {
		t.Fatalf("the address has tries left: %d", a.Status)
	}
	for i, token := range tokens {
		if a := school.Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": token}); a.Status != 200 {
			t.Errorf("refresh %d: %d %s", i+1, a.Status, a.Body)
		}
	}
	if a := school.Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": "made up"}); a.Status != 429 {
		t.Errorf("a made-up token counts for its address: %d, want 429", a.Status)
	}
}

func TestATokenThatIsOverIs401HoweverManyAreAtItsAddress(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := startLab(t, limitReads("3-H"), limitSignIns("2-H"), func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	s := app.NewSchool(t)
	school := loopback()
	var parents []*testkit.Client
	for range 8 {
		parents = append(parents, s.As(t, api.Parent).From(t, school))
	}
	clock.Pass(16 * time.Minute)
	for i, parent := range parents {
		for _, path := range []string{"/auth/me", "/parent/notification/delivered-notifications"} {
			if a := parent.Call(t, "GET", path, nil); a.Status != 401 {
				t.Errorf("parent %d, %s: %d, want 401", i+1, path, a.Status)
			}
		}
	}
	made := app.Nobody().From(t, school)
	made.Token = "made.up.token"
	for i, want := range []int{401, 401, 401, 429} {
		if a := made.Call(t, "GET", "/auth/me", nil); a.Status != want {
			t.Errorf("a made-up token, call %d: %d, want %d", i+1, a.Status, want)
		}
	}
}
