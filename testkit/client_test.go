package testkit_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// listener hears what a test of its own would say, and ends nobody.
type listener struct {
	testing.TB
	said strings.Builder
}

func (l *listener) Helper()                      {}
func (l *listener) Logf(f string, args ...any)   { fmt.Fprintf(&l.said, f+"\n", args...) }
func (l *listener) Fatalf(f string, args ...any) { l.Logf(f, args...); panic(l) }
func (l *listener) hears(f func(t testing.TB)) string {
	defer func() { _ = recover() }()
	f(l)
	return l.said.String()
}

func TestClient_Answered500_ShowsTheInstancesErrors(t *testing.T) {
	t.Parallel()
	fails := func(api.OpenCtx, api.Nothing) (api.Nothing, error) {
		return api.Nothing{}, errors.New("the well is dry")
	}
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) {
		o.ExtraRows = []api.Row{api.Open("GET", "/auth/fails", "Fail on purpose", api.Read, fails)}
	})
	const path = "/auth/fails"
	nobody := app.Nobody()
	for what, call := range map[string]func(t testing.TB){
		"Get":     func(t testing.TB) { testkit.Get[api.Nothing](t, nobody, path) },
		"Call":    func(t testing.TB) { nobody.Call(t, "GET", path, nil) },
		"Refuses": func(t testing.TB) { nobody.Refuses(t, "GET", path, nil, 404, "") },
	} {
		l := &listener{TB: t}
		l.hears(call)
		if said := l.said.String(); !strings.Contains(said, "GET "+path+" was answered 500") || !strings.Contains(said, "the well is dry") {
			t.Errorf("%s does not say why: %q", what, said)
		}
	}
	l := &listener{TB: t}
	l.hears(func(t testing.TB) { nobody.Refuses(t, "GET", path, nil, 500, "") })
	if l.said.Len() != 0 {
		t.Errorf("a 500 that was asked for: %q", l.said.String())
	}
}

func TestClient_ReadToldToComeBack_ComesBack(t *testing.T) {
	t.Parallel()
	for what, call := range map[string]func(*testkit.Client) testkit.Answer{
		"Call": func(c *testkit.Client) testkit.Answer { return c.Call(t, "GET", "/", nil) },
		"Send": func(c *testkit.Client) testkit.Answer { return c.Send(t, "GET", "/", "", nil) },
	} {
		var calls atomic.Int32
		busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) < 3 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		t.Cleanup(busy.Close)
		if a := call((&testkit.App{URL: busy.URL}).Nobody()); a.Status != http.StatusOK {
			t.Errorf("%s: answered %d after %d tries", what, a.Status, calls.Load())
		}
	}
}

func TestLog_Errors_LeaveOutOtherRequests(t *testing.T) {
	t.Parallel()
	var log testkit.Log
	errors := log.Errors()
	write := func(line string) {
		if _, err := log.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"level":"ERROR","msg":"mine","requestId":"one"}`)
	write(`{"level":"ERROR","msg":"theirs","requestId":"another"}`)
	write(`{"level":"WARN","msg":"anybody's"}`)
	write(`{"level":"INFO","msg":"quiet","requestId":"one"}`)
	shown := errors("one")
	for word, want := range map[string]bool{"mine": true, "theirs": false, "anybody's": true, "quiet": false} {
		if got := strings.Contains(shown, word); got != want {
			t.Errorf("%q shown: %v, want %v; all:\n%s", word, got, want, shown)
		}
	}
}

func TestNewPhone_IsNewInARun(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 5000 {
		phone := testkit.NewPhone()
		if given[phone] {
			t.Fatalf("%s was given out twice", phone)
		}
		given[phone] = true
	}
}
