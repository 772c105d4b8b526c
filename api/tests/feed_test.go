package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

// tickRequest names a feed, so that a test knows its own.
type tickRequest struct {
	Name string `json:"name"`
	Fail bool   `json:"fail"`
}

type tick struct {
	N int `json:"n"`
}

var ended sync.Map // name → chan struct{}, closed when the feed's work has ended

var errNothingToTell = api.Conflict("Nothing to tell")

// ticks counts until nobody listens.
func ticks(_ api.PlatformCtx, r tickRequest) (api.Feed[tick], error) {
	over, _ := ended.LoadOrStore(r.Name, make(chan struct{}))
	return api.Feed[tick]{Run: func(ctx context.Context, tell func(tick) error) error {
		defer close(over.(chan struct{}))
		if r.Fail {
			return errNothingToTell
		}
		for n := 1; ; n++ {
			if err := tell(tick{n}); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5 * time.Millisecond):
			}
		}
	}}, nil
}

// listen opens a feed.
func listen(t *testing.T, c *testkit.Client, app *testkit.App, name string) (*bufio.Scanner, context.CancelFunc) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, app.URL+"/super-admin/lab/feed?name="+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hangUp(); _ = resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	return bufio.NewScanner(resp.Body), hangUp
}

func TestAFeedGoesOnUntilTheListenerHangsUpOrIsSignedOut(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	over := func(name string) {
		t.Helper()
		ch, _ := ended.Load(name)
		testkit.Eventually(t, "the feed's work ends", func() bool {
			select {
			case <-ch.(chan struct{}):
				return true
			default:
				return false
			}
		})
	}
	first, hangUp := listen(t, app.SuperAdmin(t), app, "hung-up")
	for _, want := range []string{`data: {"n":1}`, "", `data: {"n":2}`, ""} {
		if !first.Scan() || first.Text() != want {
			t.Fatalf("%q, want %q", first.Text(), want)
		}
	}
	hangUp()
	over("hung-up")

	super := app.SuperAdmin(t)
	second, _ := listen(t, super, app, "signed-out")
	second.Scan()
	super.Call(t, "POST", "/auth/logout", map[string]any{})
	for second.Scan() { // what was told before it ended
		if text := second.Text(); text != "" && !strings.HasPrefix(text, "data: ") {
			t.Errorf("%q", text)
		}
	}
	if err := second.Err(); err != nil {
		t.Errorf("the feed ends with %v", err)
	}
	over("signed-out")

	app.SuperAdmin(t).Refuses(t, "GET", "/super-admin/lab/feed?name=failed&fail=true", nil, 409, "")
	app.NewSchool(t).As(t, api.SchoolAdmin).Refuses(t, "GET", "/super-admin/lab/feed?name=denied", nil, 403, "PERMISSION_DENIED")
	if _, begun := ended.Load("denied"); begun {
		t.Error("it was begun for somebody who may not hear it")
	}
}
