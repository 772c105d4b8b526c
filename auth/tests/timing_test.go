package auth_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// samples are the calls of each kind; HOMEROOM_ATTACK_SAMPLES says another number.
func samples() int {
	if n, err := strconv.Atoi(os.Getenv("HOMEROOM_ATTACK_SAMPLES")); err == nil {
		return n
	}
	return 500
}

// TestTheTimeOfAnAnswerDoesNotTellWhoHasAnAccount measures on a machine that does nothing else.
func TestTheTimeOfAnAnswerDoesNotTellWhoHasAnAccount(t *testing.T) {
	n := samples()
	if !testkit.Attack() {
		t.Parallel()
		n = 2 // enough to see that both are answered alike; the time is looked at on a quiet machine
	}
	testkit.Attacked(t, "who has an account, by the time of an answer", 10*n)
	app := testkit.Shared(t)
	s := app.NewSchool(t)
	auth := app.Service.Auth
	password, err := auth.Hasher.Hash(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	pin, err := auth.HashPIN(t.Context(), "4826")
	if err != nil {
		t.Fatal(err)
	}
	type contact struct{ phone, email string }
	var kinds [2][]contact // known, unknown
	for range n {
		p := s.Add(t, testkit.Person{Role: api.Parent})
		a := s.Add(t, testkit.Person{Role: api.SchoolAdmin, Email: uuid.NewString() + "@test.local"})
		kinds[0] = append(kinds[0], contact{p.Phone, a.Email})
		kinds[1] = append(kinds[1], contact{testkit.NewPhone(), uuid.NewString() + "@test.local"})
	}
	if err := s.DB(t).Exec(`update app_user set password_hash = ?, pin_hash = ?`, password, pin).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := app.Service.Cluster.PlatformPool().Exec(t.Context(),
		`update platform.account set phone_proven_at = now() where school_id = $1 and phone is not null`, s.ID); err != nil {
		t.Fatal(err)
	}
	nobody := app.Nobody()
	for _, call := range []struct {
		path   string
		status int
		body   func(contact) map[string]any
	}{
		{"/auth/send-otp", 200, func(c contact) map[string]any { return map[string]any{"phone": c.phone} }},
		{"/auth/verify-otp", 400, func(c contact) map[string]any { return map[string]any{"phone": c.phone, "otp": "000000"} }},
		{"/auth/verify-pin", 400, func(c contact) map[string]any { return map[string]any{"phone": c.phone, "pin": "9753"} }},
		{"/auth/password/forgot", 200, func(c contact) map[string]any { return map[string]any{"email": c.email} }},
		{"/auth/login", 400, func(c contact) map[string]any {
			return map[string]any{"email": c.email, "password": "not the secret"}
		}},
	} {
		var took [2][]time.Duration
		for i := range 2 * n {
			// One of each in turn, the order changing: what else the machine does meets both alike.
			which := (i + i/2) % 2
			began := time.Now()
			a := nobody.Call(t, "POST", call.path, call.body(kinds[which][i/2]))
			took[which] = append(took[which], time.Since(began))
			if a.Status != call.status {
				t.Fatalf("%s: %d %s", call.path, a.Status, a.Body)
			}
		}
		if !testkit.Attack() {
			continue
		}
		area := areaUnderCurve(took[0], took[1])
		t.Logf("attack time: %s %.2f (%d of each; known %s, unknown %s)", call.path, area, n, median(took[0]), median(took[1]))
		if area > 0.6 {
			t.Errorf("%s: the time tells, %.2f, want at most 0.6", call.path, area)
		}
	}
}

// areaUnderCurve is how often one of a takes longer than one of b, or the other way round,
// whichever is more often.
func areaUnderCurve(a, b []time.Duration) float64 {
	longer := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				longer++
			case x == y:
				longer += 0.5
			}
		}
	}
	area := longer / float64(len(a)*len(b))
	return max(area, 1-area)
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2].Round(10 * time.Microsecond)
}
