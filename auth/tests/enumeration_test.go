package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// step is one call of a sequence; what is %s in the body is the contact.
type step struct {
	pass       time.Duration // before it
	from       int           // which of the callers
	path, body string
}

func steps(all ...any) (out []step) {
	for _, part := range all {
		switch part := part.(type) {
		case step:
			out = append(out, part)
		case []step:
			out = append(out, part...)
		}
	}
	return out
}

func times(n int, s step) (out []step) {
	for range n {
		out = append(out, s)
	}
	return out
}

// TestKnownAndUnknownContactsAreAnsweredAlikeInSequence plays the same calls for a contact
// somebody has and one nobody has, and compares every answer with its headers.
func TestKnownAndUnknownContactsAreAnsweredAlikeInSequence(t *testing.T) {
	t.Parallel()
	send := step{path: "/auth/send-otp", body: `{"phone": "%s"}`}
	guess := step{path: "/auth/verify-otp", body: `{"phone": "%s", "otp": "000000"}`}
	pin := step{path: "/auth/verify-pin", body: `{"phone": "%s", "pin": "9753"}`}
	asDriver := step{path: "/driver/user-auth/send-otp", body: `{"phone": "%s"}`}
	login := step{path: "/auth/login", body: `{"email": "%s", "password": "not the secret"}`}
	forgot := step{path: "/auth/password/forgot", body: `{"email": "%s"}`}
	after := func(d time.Duration, s step) step { s.pass = d; return s }
	by := func(n int, s step) step { s.from = n; return s }

	for name, seq := range map[string][]step{
		"codes after 31 s":       steps(send, times(7, after(31*time.Second, send))),
		"codes at once":          times(7, send),
		"guesses without a code": times(7, guess),
		"codes and guesses":      steps(send, times(6, guess), send, times(6, guess), after(time.Minute, send), times(6, guess)),
		"a late guess":           steps(send, after(6*time.Minute, guess), send, guess),
		"two clients": steps(send, asDriver, after(4*time.Minute, asDriver), after(61*time.Second, guess), times(5, guess), asDriver, send,
			times(5, after(31*time.Second, asDriver)), guess),
		"two callers": steps(send, by(1, send), times(6, guess), by(1, guess), by(1, send), times(6, by(1, guess)),
			times(6, by(1, after(31*time.Second, send))), send),
		"PINs":      steps(times(6, pin), by(1, pin), send, times(6, guess), pin),
		"passwords": steps(times(7, login), after(time.Minute, login), by(1, login)),
		"links":     steps(times(5, forgot), after(61*time.Minute, forgot)),
	} {
		testkit.Attacked(t, "who has an account, by the sequence of answers", len(seq))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, clock := ticking(t)
			s, email := admin(t, app)
			contacts := []string{s.Add(t, testkit.Person{Role: api.Parent}).Phone, testkit.NewPhone()}
			if strings.Contains(seq[0].body, "email") {
				contacts = []string{email, uuid.NewString() + "@test.local"}
			}
			callers := []*testkit.Client{elsewhere(t, app), elsewhere(t, app)}
			for i, at := range seq {
				clock.Pass(at.pass)
				var said [2]string
				for which, contact := range contacts {
					a := callers[at.from].Send(t, "POST", at.path, "application/json", fmt.Appendf(nil, at.body, contact))
					said[which] = fmt.Sprintf("%d %s, Retry-After %s", a.Status, a.Body, roughly(t, a.Header.Get("Retry-After")))
				}
				if said[0] != said[1] {
					t.Fatalf("step %d, %s:\nknown:   %s\nunknown: %s", i+1, at.path, said[0], said[1])
				}
			}
		})
	}
}

// roughly rounds seconds to minutes: the two calls are not made in the same moment.
func roughly(t *testing.T, seconds string) string {
	t.Helper()
	if seconds == "" {
		return "none"
	}
	d, err := time.ParseDuration(seconds + "s")
	if err != nil {
		t.Fatalf("Retry-After %q: %v", seconds, err)
	}
	return (d + 30*time.Second).Round(2 * time.Minute).String()
}

func TestAWrongTryAtASuspendedSchoolTellsNothing(t *testing.T) {
	t.Parallel()
	s, email := admin(t, testkit.Shared(t))
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, s.App, "/auth", p.Phone)
	as(s.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	s.App.SuperAdmin(t).Call(t, "POST", "/super-admin/school/"+s.ID.String()+"/suspend", nil)
	sendOTP(t, s.App.Nobody(), p.Phone)
	for path, body := range map[string]map[string]any{
		"/auth/verify-otp": {"phone": p.Phone, "otp": wrong(s.App.OTP(t, p.Phone))},
		"/auth/verify-pin": {"phone": p.Phone, "pin": "9753"},
		"/auth/login":      {"email": email, "password": "not the secret at all"},
	} {
		s.App.Nobody().Refuses(t, "POST", path, body, 400, "")
	}
	if a := verifyPIN(t, s.App.Nobody(), p.Phone, "4826"); a.Status != 403 {
		t.Errorf("the right PIN: %d, want 403", a.Status)
	}
}
