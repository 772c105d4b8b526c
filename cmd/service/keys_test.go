package service_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func TestTheSigningKeyIsChangedUnderPeoplesHands(t *testing.T) {
	t.Parallel()
	one := "k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("1", 48)))
	two := "k2:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("2", 48)))
	with := func(keys ...string) *testkit.App {
		return testkit.Start(t, func(c *config.Config, o *service.Options) {
			c.JWTKeys = keys
			o.Namespace += uuid.NewString()[:8]
		})
	}
	// The three steps of a change, side by side as they are while instances are restarted.
	known, used, gone := with(one, two), with(two, one), with(two)
	school := known.NewSchool(t)

	type tokens struct{ AccessToken, RefreshToken string }
	answered := func(a testkit.Answer) (got tokens) {
		t.Helper()
		if err := json.Unmarshal(a.Body, &got); err != nil || a.Status != 200 || got.AccessToken == "" {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		return got
	}
	signIn := func(app *testkit.App) tokens {
		t.Helper()
		phone := school.Add(t, testkit.Person{Role: api.Driver}).Phone
		if a := app.Nobody().Call(t, "POST", "/auth/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
			t.Fatalf("send-otp: %d %s", a.Status, a.Body)
		}
		return answered(app.Nobody().Call(t, "POST", "/auth/verify-otp", map[string]any{"phone": phone, "otp": app.OTP(t, phone)}))
	}
	me := func(app *testkit.App, with tokens) int {
		t.Helper()
		return app.Nobody().With("Authorization", "Bearer "+with.AccessToken).Call(t, "GET", "/auth/me", nil).Status
	}
	old, fresh := signIn(known), signIn(used)
	for what, status := range map[string]int{
		"a token of the old key where the new one signs": me(used, old), "a token of the new key where the old one signs": me(known, fresh),
		"a token of the new key alone": me(gone, fresh),
	} {
		if status != 200 {
			t.Errorf("%s: %d", what, status)
		}
	}
	if status := me(gone, old); status != 401 {
		t.Errorf("a token of a key that is gone: %d", status)
	}
	// Who is signed in stays so: the next refresh is of the new key.
	next := answered(used.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": old.RefreshToken}))
	if status := me(gone, next); status != 200 {
		t.Errorf("after a refresh where the new key signs: %d", status)
	}
	answered(gone.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": next.RefreshToken}))
}
