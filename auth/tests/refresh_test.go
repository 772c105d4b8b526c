package auth_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

func refresh(t *testing.T, app *testkit.App, token string) signedIn {
	t.Helper()
	return read(t, app.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": token}))
}

func as(app *testkit.App, token string) *testkit.Client {
	c := app.Nobody()
	c.Token = token
	return c
}

func TestARefreshTokenIsChangedForANewPair(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	in := byOTP(t, app, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	second := refresh(t, app, in.RefreshToken)
	if second.RefreshToken == in.RefreshToken || second.AccessToken == in.AccessToken || second.User.ID != in.User.ID {
		t.Errorf("the pair is not new: %+v", second)
	}
	// A phone that asks twice at once gets two pairs: whichever it keeps is good, and the other is not from then on.
	clock.Pass(9 * time.Second)
	third := refresh(t, app, in.RefreshToken)
	fourth := refresh(t, app, third.RefreshToken)
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": second.RefreshToken}, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "")
	// Later it was stolen: the session ends for both.
	clock.Pass(11 * time.Second)
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": second.RefreshToken}, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": fourth.RefreshToken}, 401, "")
	as(app, fourth.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	if n := s.Count(t, "audit_event", "action = 'session ended: refresh token used twice'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

// holder keeps a session's tokens as one kind of client does.
type holder struct {
	access, refresh string // as they were given at sign-in
	// change presents a refresh token and returns the answer with its tokens, if it is one.
	change func(t *testing.T, token string) (a testkit.Answer, access, refresh string)
}

// holders sign in as each kind of client does.
var holders = map[string]func(t *testing.T, app *testkit.App) holder{
	"phone": func(t *testing.T, app *testkit.App) holder {
		in := byOTP(t, app, "/auth", app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent}).Phone)
		return holder{in.AccessToken, in.RefreshToken, func(t *testing.T, token string) (testkit.Answer, string, string) {
			a := app.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": token})
			if a.Status != 200 {
				return a, "", ""
			}
			in := read(t, a)
			return a, in.AccessToken, in.RefreshToken
		}}
	},
	"app": func(t *testing.T, app *testkit.App) holder {
		p := newAppBrowser(app)
		in := p.signIn(t, app.NewSchool(t).Add(t, testkit.Person{Role: api.Parent}).Phone)
		name := "homeroom_app_" + strings.ReplaceAll(in.AccountID.String(), "-", "")
		return holder{in.AccessToken, p.cookies[name].Value, func(t *testing.T, token string) (testkit.Answer, string, string) {
			p.cookies[name] = &http.Cookie{Value: token}
			a := p.call(t, "/auth/app/refresh", "", map[string]any{"accountId": in.AccountID})
			if a.Status != 200 {
				return a, "", ""
			}
			return a, accessOf(t, a), p.cookies[name].Value
		}}
	},
	"console": func(t *testing.T, app *testkit.App) holder {
		_, email := admin(t, app)
		in, cookie := consoleLogin(t, app, email)
		return holder{in.AccessToken, cookie.Value, func(t *testing.T, token string) (testkit.Answer, string, string) {
			a := console(app, token).Call(t, "POST", "/auth/console/refresh", nil)
			if a.Status != 200 {
				return a, "", ""
			}
			return a, accessOf(t, a), kept(t, a).Value
		}}
	},
}

func accessOf(t *testing.T, a testkit.Answer) string {
	t.Helper()
	var in struct{ AccessToken string }
	a.Read(t, &in)
	return in.AccessToken
}

// The line broke after the answer was sent. What was lost nobody has used, so whoever comes with the token from before is its owner,
// however late; once the new one has been used, it is a thief.
func TestRefresh_AnswerLost_TokenIsGoodUntilTheNextIsUsed(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	for name, signIn := range holders {
		t.Run(name, func(t *testing.T) {
			h := signIn(t, app)
			change := func(what, token string) (access, refresh string) {
				t.Helper()
				a, access, refresh := h.change(t, token)
				if a.Status != 200 {
					t.Fatalf("%s: %d %s", what, a.Status, a.Body)
				}
				return access, refresh
			}
			uses := func(token string, want int) {
				t.Helper()
				if a := as(app, token).Call(t, "GET", "/auth/me", nil); a.Status != want {
					t.Errorf("calling: %d %s, want %d", a.Status, a.Body, want)
				}
			}
			uses(h.access, 200) // of before: it says nothing about answers to come
			change("the first time", h.refresh)
			uses(h.access, 200)
			clock.Pass(14 * time.Minute)
			change("minutes later", h.refresh)
			clock.Pass(3 * 24 * time.Hour)
			access, held := change("after days in a drawer", h.refresh)
			// A call that its page no longer waits for, and that the server comes to only now.
			change("a call of a page that was reloaded", h.refresh)
			uses(access, 200)
			clock.Pass(14 * time.Minute)
			access, last := change("the one that arrived", held)
			uses(access, 200)

			clock.Pass(11 * time.Second)
			for i, token := range []string{held, last, h.refresh} { // the first of them was stolen and ends the session
				if a, _, _ := h.change(t, token); a.Status != 401 {
					t.Errorf("token %d after a theft: %d %s, want 401", i, a.Status, a.Body)
				}
			}
			uses(access, 401)
		})
	}
}

func TestOfTwentyRefreshesAtOnceOneTokenLives(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	in := byOTP(t, s.App, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	answers := make([]testkit.Answer, 20)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			a, err := []*testkit.App{s.App, second}[i%2].Nobody().TryCall("POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken})
			if err != nil || a.Status != 200 {
				t.Errorf("%v %d %s", err, a.Status, a.Body)
			}
			answers[i] = a
		})
	}
	wg.Wait()
	living := 0
	for _, a := range answers {
		if s.App.Nobody().Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": read(t, a).RefreshToken}).Status == 200 {
			living++
		}
	}
	if living != 1 {
		t.Errorf("%d of the new tokens are good, want one", living)
	}
}

func TestARefreshTokenOfEightDaysHasExpired(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	s := app.NewSchool(t)
	in := byOTP(t, app, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	clock.Pass(16 * time.Minute)
	as(app, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	clock.Pass(7 * 24 * time.Hour)
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "REFRESH_TOKEN_EXPIRED")
}

func TestNeitherTokenPassesForTheOther(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	in := byOTP(t, s.App, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	as(s.App, in.RefreshToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	s.App.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.AccessToken}, 401, "")
	s.App.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": "garbage"}, 401, "")
}

func TestTwoSignInsInOneSecondGiveFourDifferentTokens(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	a, b := byOTP(t, s.App, "/auth", p.Phone), byOTPAgain(t, s.App, p.Phone)
	tokens := map[string]bool{a.AccessToken: true, a.RefreshToken: true, b.AccessToken: true, b.RefreshToken: true}
	if len(tokens) != 4 {
		t.Errorf("%d different tokens", len(tokens))
	}
}

func TestALogoutIsInForceOnEveryInstance(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	second := testkit.Start(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	in := byOTP(t, s.App, "/auth", p.Phone)
	here, there := as(s.App, in.AccessToken), as(second, in.AccessToken)
	if a := there.Call(t, "GET", "/auth/me", nil); a.Status != 200 {
		t.Fatalf("me: %d %s", a.Status, a.Body)
	}
	if a := here.Call(t, "POST", "/auth/logout", nil); a.Status != 200 {
		t.Fatalf("logout: %d %s", a.Status, a.Body)
	}
	here.Refuses(t, "GET", "/auth/me", nil, 401, "")
	testkit.Eventually(t, "the other instance refuses too", func() bool { return there.Call(t, "GET", "/auth/me", nil).Status == 401 })
	s.App.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": in.RefreshToken}, 401, "")
}

func TestALogoutTakesTheRefreshTokenWhenTheAccessTokenIsOver(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	in := byOTP(t, s.App, "/auth", s.Add(t, testkit.Person{Role: api.Parent}).Phone)
	if a := s.App.Nobody().Call(t, "POST", "/auth/logout", map[string]any{"refreshToken": in.RefreshToken}); a.Status != 200 {
		t.Fatalf("logout: %d %s", a.Status, a.Body)
	}
	as(s.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	s.App.Nobody().Refuses(t, "POST", "/auth/logout", map[string]any{}, 401, "")
}

func TestSessionsAreListedEndedOneByOneAndAllTogether(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	var all []signedIn
	for range 3 {
		all = append(all, byOTPAgain(t, s.App, p.Phone))
	}
	type list struct {
		Sessions []struct {
			ID      string
			Current bool
			Method  string
		}
	}
	me := as(s.App, all[0].AccessToken)
	sessions := testkit.Get[list](t, me, "/auth/sessions").Sessions
	if len(sessions) != 3 {
		t.Fatalf("sessions %+v", sessions)
	}
	stranger := s.As(t, api.Parent)
	for _, one := range sessions {
		stranger.Refuses(t, "DELETE", "/auth/sessions/"+one.ID, nil, 404, "")
		if one.Method != "OTP" {
			t.Errorf("method %q", one.Method)
		}
	}
	for _, one := range sessions {
		if !one.Current {
			if a := me.Call(t, "DELETE", "/auth/sessions/"+one.ID, nil); a.Status != 204 {
				t.Errorf("ending: %d %s", a.Status, a.Body)
			}
			break
		}
	}
	if left := testkit.Get[list](t, me, "/auth/sessions").Sessions; len(left) != 2 {
		t.Errorf("left %+v", left)
	}
	if a := me.Call(t, "POST", "/auth/logout-all", nil); a.Status != 200 {
		t.Fatalf("logout-all: %d %s", a.Status, a.Body)
	}
	for _, in := range all {
		as(s.App, in.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	}
}

func TestARedisFlushBringsNoSessionBackAndLocksNobodyOut(t *testing.T) {
	t.Parallel()
	stack := hurtableStack(t)
	app := testkit.StartOn(t, stack, "flush")
	s := app.NewSchool(t)
	p := s.Add(t, testkit.Person{Role: api.Parent})
	out, used := byOTP(t, app, "/auth", p.Phone), byOTPAgain(t, app, p.Phone)
	as(app, out.AccessToken).Call(t, "POST", "/auth/logout", nil)
	live := refresh(t, app, refresh(t, app, used.RefreshToken).RefreshToken)
	if err := app.Service.Redis.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	as(app, out.AccessToken).Refuses(t, "GET", "/auth/me", nil, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": out.RefreshToken}, 401, "")
	app.Nobody().Refuses(t, "POST", "/auth/refresh", map[string]any{"refreshToken": used.RefreshToken}, 401, "")
	if a := as(app, live.AccessToken).Call(t, "GET", "/auth/me", nil); a.Status != 200 {
		t.Errorf("a living session: %d %s", a.Status, a.Body)
	}
	byOTP(t, app, "/auth", p.Phone)
}
