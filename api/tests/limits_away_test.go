package api_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// awayLines is how often an instance has noticed that Redis does not answer.
func awayLines(app *testkit.App) int {
	return strings.Count(app.Log.String(), `"msg":"redis is unavailable","part":"limits"`)
}

// wrongPassword is a sign-in of somebody else each time.
func wrongPassword() map[string]any {
	return map[string]any{"email": api.NewID().String() + "@nowhere.test", "password": "wrong"}
}

// hangUp sends a request n times and closes the connection at once.
func hangUp(t *testing.T, app *testkit.App, n int, request string) {
	t.Helper()
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

func TestWithoutRedisTheServiceGoesOnAndNobodySignsIn(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"stopped", "frozen"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			stack := testkit.Private(t)
			wire := testkit.NewWire(t, stack)
			clock := wait.NewClock()
			app := testkit.StartOn(t, stack, "homeroom", limitReads("40-H"), asInProduction, wire.Watch,
				func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
			s := app.NewSchool(t)
			admin, other := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
			testkit.Get[api.Page[struct{}]](t, other, readPath)
			testkit.Eventually(t, "a sign-in is looked at", func() bool {
				clock.Pass(2 * time.Second) // a busy machine may have made Redis look away
				return app.Nobody().Call(t, "POST", "/auth/login", wrongPassword()).Status == 400
			})
			before := awayLines(app) // a busy machine may have looked like it

			away, back := stack.StopRedis, stack.StartRedis
			if kind == "frozen" {
				away = func(context.Context) error { return stack.FreezeRedis() }
				back = func(context.Context) error { return stack.ThawRedis() }
			}
			if err := away(context.Background()); err != nil {
				t.Fatal(err)
			}

			count := statuses(t, 100, func(int) (testkit.Answer, error) { return admin.TryCall("GET", readPath, nil) })
			if count[200] != 40 || count[429] != 60 {
				t.Errorf("reads: %v, want the process to let 40 through", count)
			}
			// Once a second one call finds out whether Redis is back; the others do not wait for it.
			for most := range 2 {
				asked := bytes.Count(wire.Record(func() {
					for range 50 {
						a := app.Nobody().Call(t, "POST", "/auth/login", wrongPassword())
						if f := a.Failure(t); a.Status != 503 || a.Header.Get("Retry-After") == "" || a.Header.Get("X-RateLimit-Limit") == "" {
							t.Errorf("a sign-in: %d %+v %v", a.Status, f, a.Header)
						}
					}
				}), []byte("homeroom:limit"))
				if asked > most {
					t.Errorf("after %d s %d of 50 calls asked Redis, want at most %d", most, asked, most)
				}
				clock.Pass(time.Second + 1)
			}
			if n := awayLines(app) - before; n != 1 {
				t.Errorf("said %d times that Redis is away, want once", n)
			}
			if got := metric(t, app, `homeroom_redis_unreachable{part="limits"}`); got != "1" {
				t.Errorf("the metric says %s", got)
			}

			if err := back(context.Background()); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "a sign-in is looked at again", func() bool {
				clock.Pass(time.Second + 1)
				return app.Nobody().Call(t, "POST", "/auth/login", wrongPassword()).Status == 400
			})
			if got := metric(t, app, `homeroom_redis_unreachable{part="limits"}`); got != "0" {
				t.Errorf("the metric says %s after the recovery", got)
			}
			if a := other.Call(t, "GET", readPath, nil); a.Status != 200 {
				t.Errorf("after the recovery: %d %s", a.Status, a.Body)
			}
		})
	}
}

func TestAfterAFlushCountingBeginsAnew(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	app := testkit.StartOn(t, stack, "homeroom", limitReads("5-H"))
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	for round := range 2 {
		count := statuses(t, 20, func(int) (testkit.Answer, error) { return admin.TryCall("GET", readPath, nil) })
		if count[200] != 5 || count[429] != 15 {
			t.Errorf("round %d: %v, want 5 × 200 and 15 × 429", round+1, count)
		}
		// Scripts are lost with the flush too, as when a server is replaced.
		if err := app.Service.Redis.FlushAll(context.Background()).Err(); err != nil {
			t.Fatal(err)
		}
		if err := app.Service.Redis.ScriptFlush(context.Background()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if n := awayLines(app); n != 0 {
		t.Errorf("a flushed Redis was thought away %d times", n)
	}
}

// metric is the value of a gauge on the operators' page.
func metric(t *testing.T, app *testkit.App, name string) string {
	t.Helper()
	page := app.Nobody().Call(t, "GET", "/metrics", nil)
	for line := range strings.Lines(string(page.Body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return fmt.Sprintf("nothing of %s", name)
}
