package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/fleet"
	"homeroom/modules/message"
	"homeroom/modules/roster"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// load calls through nginx without end, and keeps what went wrong.
type load struct {
	ctx   context.Context
	calls atomic.Int64
	again atomic.Int64 // sockets that connected once more
	moved atomic.Int64 // positions that were acknowledged

	mu       sync.Mutex
	slowest  time.Duration
	failures []string
	done     sync.WaitGroup
}

func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// caller is the same user on connections of their own.
func caller(t *testing.T, c *testkit.Client) *testkit.Client {
	t.Helper()
	other, transport := *c, &http.Transport{MaxIdleConnsPerHost: 2}
	t.Cleanup(transport.CloseIdleConnections)
	other.HTTP = &http.Client{Transport: transport, Timeout: wait.Limit}
	return &other
}

// keep makes one call after another, so many a second; done counts those with an answer.
func (l *load) keep(c *testkit.Client, every time.Duration, call func(c *testkit.Client, n int) (testkit.Answer, error)) *atomic.Int64 {
	var done atomic.Int64
	l.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-l.ctx.Done():
				return
			case <-tick.C:
			}
			began := time.Now()
			a, err := call(c, n)
			l.calls.Add(1)
			l.mu.Lock()
			l.slowest = max(l.slowest, time.Since(began))
			l.mu.Unlock()
			if err != nil || a.Status >= 300 {
				l.fail("after %v: %d %s %v", time.Since(began).Round(time.Millisecond), a.Status, a.Body, err)
				continue
			}
			done.Add(1)
		}
	})
	return &done
}

// stay keeps a socket connected, as an app does: when the service lets it go it comes back
// at once, and does what it was doing.
func (l *load) stay(at string, c *testkit.Client, live func(s *ioclient.Client) error) {
	l.done.Go(func() {
		for n := 0; l.ctx.Err() == nil; n++ {
			if n > 0 {
				l.again.Add(1)
			}
			s, err := ioclient.Dial(l.ctx, at, c.Token)
			if err != nil {
				// One that was just taken may be let go before it is let in; a refusal is wrong.
				if errors.Is(err, ioclient.ErrRefused) && l.ctx.Err() == nil {
					l.fail("a socket: %v", err)
				}
				select {
				case <-l.ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
				continue
			}
			err = live(s)
			var refused *refusal
			if errors.As(err, &refused) {
				l.fail("a socket: %v", err)
			}
			s.Close()
		}
	})
}

// begin starts the load and returns what checks afterwards that nothing was lost or doubled.
func (h *house) begin(t *testing.T, l *load) (check func(t *testing.T)) {
	s := h.school
	reads := []string{"/parent/message/list", "/parent/transport/my-buses", "/bus-tracking/bus/" + s.Bus.String() + "/live"}
	for _, parent := range s.Parents {
		l.keep(caller(t, parent), 50*time.Millisecond, func(c *testkit.Client, n int) (testkit.Answer, error) {
			return c.TryCall("GET", reads[n%len(reads)], nil)
		})
	}
	// One caller meets one instance, and some instance may be nobody's; who has no token meets all.
	l.keep(caller(t, h.App().Nobody()), 30*time.Millisecond, func(c *testkit.Client, n int) (testkit.Answer, error) {
		return c.TryCall("GET", "/api-docs/reference.js", nil)
	})
	thread := testkit.Post[message.Message](t, s.Teacher, "/teacher/message/send", map[string]any{
		"recipientIds": []any{s.Guardians[0]}, "studentId": s.Children[0], "subject": "All day", "body": "I will write often."}).ThreadID
	written := l.keep(caller(t, s.Teacher), 60*time.Millisecond, func(c *testkit.Client, n int) (testkit.Answer, error) {
		return c.With("Idempotency-Key", uuid.NewString()).TryCall("POST", "/teacher/message/send",
			map[string]any{"threadId": thread, "body": fmt.Sprint(n)})
	})
	classes := testkit.Get[api.Page[roster.Class]](t, s.Office, "/school-admin/class/list").Total
	name := uuid.NewString()[:8]
	made := l.keep(caller(t, s.Office), 100*time.Millisecond, func(c *testkit.Client, n int) (testkit.Answer, error) {
		return c.TryCall("POST", "/school-admin/class/create", map[string]any{"name": fmt.Sprintf("%s %d", name, n)})
	})
	l.keep(caller(t, s.Office), 100*time.Millisecond, func(c *testkit.Client, n int) (testkit.Answer, error) {
		return c.TryCall("PUT", "/school-admin/class/"+s.Class.String(), map[string]any{"level": 1 + n%12})
	})
	for _, parent := range s.Parents {
		l.stay(h.URL(), parent, func(w *ioclient.Client) error {
			if err := ask(l.ctx, w, "join-bus-room", s.Room()); err != nil {
				return err
			}
			select {
			case <-w.Closed:
			case <-l.ctx.Done():
			}
			return nil
		})
	}
	l.stay(h.URL(), s.Driver, func(d *ioclient.Client) error {
		for tick := time.NewTicker(300 * time.Millisecond); ; {
			select {
			case <-d.Closed:
				return nil
			case <-l.ctx.Done():
				return nil
			case <-tick.C:
			}
			h.metres++
			if err := ask(l.ctx, d, "update-location", fleet.At(h.metres)); err != nil {
				return err
			}
			l.moved.Add(1)
		}
	})
	return func(t *testing.T) {
		if got := testkit.Get[message.Thread](t, s.Teacher, "/teacher/message/thread/"+thread.String()); got.Total != int(written.Load())+1 {
			t.Errorf("the thread has %d messages; %d were acknowledged", got.Total, written.Load()+1)
		}
		if got := testkit.Get[api.Page[roster.Class]](t, s.Office, "/school-admin/class/list").Total - classes; int64(got) != made.Load() {
			t.Errorf("%d classes more; %d were acknowledged", got, made.Load())
		}
	}
}

// restarts stops and starts every instance, one after another, under constant calls.
func (h *house) restarts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &load{ctx: ctx}
	check := h.begin(t, l)
	began := time.Now()
	for range rounds(t) {
		for _, i := range h.Instances {
			i.Stop(t)
			i.Start(t)
			// nginx has to have found that it is back before the next one goes.
			testkit.Eventually(t, "the instance gets its share again", func() bool { return i.Served(t) > 0 })
		}
	}
	took := time.Since(began)
	cancel()
	l.done.Wait()
	check(t)
	if len(l.failures) > 0 {
		slices.Sort(l.failures)
		t.Errorf("%d of %d calls failed, first of all\n%s", len(l.failures), l.calls.Load(), l.failures[0])
		for _, f := range l.failures[1:min(len(l.failures), 20)] {
			t.Log(f)
		}
	}
	if l.again.Load() == 0 {
		t.Error("no socket had to connect again, so that nothing was proved of them")
	}
	t.Logf("%d instances restarted in %.1f s: %d calls, %d failed, the slowest took %v; sockets came back %d times, %d positions",
		rounds(t)*len(h.Instances), took.Seconds(),
		l.calls.Load(), len(l.failures), l.slowest.Round(time.Millisecond), l.again.Load(), l.moved.Load())
}
