package auth_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

func TestAPINSignsInWithoutAMessage(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, s.App, "/parent/user-auth", p.Phone)
	if a := as(s.App, in.AccessToken).Call(t, "POST", "/parent/user-auth/set-pin", map[string]any{"pin": "4826"}); a.Status != 200 {
		t.Fatalf("set-pin: %d %s", a.Status, a.Body)
	}
	sent := len(s.App.Sent(t, p.Phone))
	for _, prefix := range []string{"/parent/user-auth", "/auth"} {
		again := read(t, s.App.Nobody().Call(t, "POST", prefix+"/verify-pin", map[string]any{"phone": p.Phone, "pin": "4826"}))
		if again.User.ID != p.UserID.String() || again.RefreshToken == in.RefreshToken {
			t.Errorf("signed in as %+v", again.User)
		}
	}
	if now := len(s.App.Sent(t, p.Phone)); now != sent {
		t.Errorf("%d messages were sent", now-sent)
	}
	var hash string
	if err := s.DB(t).Raw(`select pin_hash from app_user where id = ?`, p.UserID).Scan(&hash).Error; err != nil ||
		!strings.HasPrefix(hash, "keyed$argon2id$") {
		t.Errorf("stored %q %v", hash, err)
	}
	// A driver's path sees no parent.
	s.App.Nobody().Refuses(t, "POST", "/driver/user-auth/verify-pin", map[string]any{"phone": p.Phone, "pin": "4826"}, 400, "PIN_WRONG")
	as(s.App, in.AccessToken).Refuses(t, "POST", "/driver/user-auth/set-pin", map[string]any{"pin": "4826"}, 403, "")
}

func TestAPINIsFourToSixDigitsAndNotTheObviousOnes(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	me := s.As(t, api.Parent)
	for _, bad := range strings.Fields(`123 1234567 12a4 +123 -123 12.5 ١٢٣٤ 1111 1234 9876 000000 345678 7890
		1212 2580 2000 1990 1950 2029 1122 1221 121212 123123 112233 123321 1004 0852 1357 147258 159753`) {
		f := me.Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": bad}, 422, "")
		if len(f.Details) == 0 || f.Details[0].Field != "pin" {
			t.Errorf("%q: %+v", bad, f)
		}
	}
	s.App.Nobody().Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"}, 401, "")
}

func TestEveryWayAPINCanBeWrongLooksTheSame(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	set, unset := s.Add(t, testkit.Person{Role: api.Parent}), s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, s.App, "/auth", set.Phone)
	as(s.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	messages := map[string]bool{}
	for _, phone := range []string{set.Phone, unset.Phone, testkit.NewPhone()} {
		f := s.App.Nobody().Refuses(t, "POST", "/auth/verify-pin", map[string]any{"phone": phone, "pin": "1593"}, 400, "PIN_WRONG")
		messages[f.Message] = true
	}
	if len(messages) != 1 {
		t.Errorf("messages %v", messages)
	}
}

func TestFiveWrongPINsLockItUntilTheNextCodeHoweverManyComeAtOnce(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	p := s.Add(t, testkit.Person{Role: api.Teacher})
	in := byOTP(t, s.App, "/auth", p.Phone)
	as(s.App, in.AccessToken).Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "4826"})
	var wg sync.WaitGroup
	statuses := make([]int, 16)
	for i := range statuses {
		wg.Go(func() {
			path := []string{"/auth/verify-pin", "/teacher/user-auth/verify-pin"}[i%2]
			a, err := []*testkit.App{s.App, second}[i/2%2].Nobody().TryCall("POST", path, map[string]any{"phone": p.Phone, "pin": "1593"})
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.Status
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if count[400]+count[503] != 5 || count[429] != 11 {
		t.Errorf("statuses %v, want five looked at", count)
	}
	s.App.Nobody().Refuses(t, "POST", "/auth/verify-pin", map[string]any{"phone": p.Phone, "pin": "4826"}, 429, "")
	byOTPAgain(t, s.App, p.Phone)
	read(t, s.App.Nobody().Call(t, "POST", "/auth/verify-pin", map[string]any{"phone": p.Phone, "pin": "4826"}))
}

func TestReplacingAPINWantsTheOldOneOrAFreshCode(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, app, "/auth", p.Phone)
	me := as(app, in.AccessToken)
	for _, pin := range []string{"4826", "4827"} { // the code is fresh: no old PIN needed
		if a := me.Call(t, "POST", "/auth/set-pin", map[string]any{"pin": pin}); a.Status != 200 {
			t.Fatalf("set-pin: %d %s", a.Status, a.Body)
		}
	}
	clock.Pass(11 * time.Minute)
	me.Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": "9513"}, 403, "")
	me.Refuses(t, "POST", "/auth/set-pin", map[string]any{"pin": "9513", "currentPin": "4826"}, 403, "")
	if a := me.Call(t, "POST", "/auth/set-pin", map[string]any{"pin": "9513", "currentPin": "4827"}); a.Status != 200 {
		t.Errorf("with the old one: %d %s", a.Status, a.Body)
	}
	read(t, app.Nobody().Call(t, "POST", "/auth/verify-pin", map[string]any{"phone": p.Phone, "pin": "9513"}))
}
