package realtime_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
)

func TestSockets_OfOneUser_AreTen(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "sockets and joins without end", 1)
	app := testkit.Shared(t)
	l := newLine(t, app)
	var mu sync.Mutex
	var open []*ioclient.Client
	var refused atomic.Int64
	var dialling sync.WaitGroup
	for range 30 { // at once: whoever looks before they count lets too many in
		dialling.Go(func() {
			c, err := ioclient.Dial(t.Context(), app.URL, l.parent.Token)
			switch {
			case err == nil:
				mu.Lock()
				open = append(open, c)
				mu.Unlock()
			case errors.Is(err, ioclient.ErrRefused) && strings.Contains(err.Error(), `"statusCode":429`):
				refused.Add(1)
			default:
				t.Errorf("connecting: %v", err)
			}
		})
	}
	dialling.Wait()
	for _, c := range open {
		t.Cleanup(c.Close)
	}
	if len(open) != 10 || refused.Load() != 20 {
		t.Fatalf("%d sockets are open and %d were refused, want 10 and 20", len(open), refused.Load())
	}
	must(t, open[0], "join-bus-room", l.room()) // who was there before stays
	dial(t, app, l.admin)                       // others of the address are let in
	open[9].Close()
	testkit.Eventually(t, "there is a place again", func() bool {
		c, err := ioclient.Dial(t.Context(), app.URL, l.parent.Token)
		if err == nil {
			t.Cleanup(c.Close)
		}
		return err == nil
	})
}

func TestJoins_OfAllSocketsAndInstances_AreCountedTogether(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "sockets and joins without end", 1)
	const most = 12
	limited := func(c *config.Config, _ *service.Options) { c.LimitLive = "12-M" }
	one, two := testkit.Start(t, limited), testkit.Start(t, limited)
	l := newLine(t, one)
	sockets := []*ioclient.Client{dial(t, one, l.parent), dial(t, two, l.parent)} // which are counted too
	good, refused := len(sockets), ioclient.Answer{}
	for n := range 2 * most {
		if a := call(t, sockets[n%2], "join-bus-room", l.room()); a.OK {
			good++
		} else {
			refused = a
		}
	}
	if good != most {
		t.Errorf("%d connections and joins were let through, the limit is %d", good, most)
	}
	if refused.StatusCode != 429 || refused.Error != "Too Many Requests" || refused.Message == "" || refused.RetryAfter < 1 ||
		refused.RetryAfter > 60 {
		t.Errorf("a join too many is answered %+v", refused)
	}
	if a := call(t, sockets[0], "renew", map[string]any{"token": l.parent.Token}); a.StatusCode != 429 {
		t.Errorf("a renewal too many is answered %+v", a)
	}
	if _, err := ioclient.Dial(t.Context(), one.URL, l.parent.Token); !errors.Is(err, ioclient.ErrRefused) ||
		!strings.Contains(err.Error(), `"statusCode":429`) {
		t.Errorf("a connection too many: %v", err)
	}
	must(t, sockets[0], "leave-bus-room", l.room())
	must(t, dial(t, one, l.admin), "join-bus-room", l.room())
	if a := l.parent.Call(t, "GET", l.livePath(), nil); a.Status != 200 {
		t.Errorf("reads are counted with joins: %d %s", a.Status, a.Body)
	}
}

func TestEvents_OfAllSocketsOfAUser_HaveOnePace(t *testing.T) {
	t.Parallel()
	testkit.Attacked(t, "sockets and joins without end", 1)
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.PositionsPerSecond = 0 })
	l := newLine(t, app)
	began, good := time.Now(), 0
	var answers []<-chan json.RawMessage
	for range 5 {
		socket := dial(t, app, l.parent)
		for range 30 {
			answer, err := socket.Ask("leave-bus-room", l.room())
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, answer)
		}
	}
	for _, answer := range answers {
		var a ioclient.Answer
		if err := json.Unmarshal(<-answer, &a); err != nil {
			t.Fatal(err)
		}
		if a.OK {
			good++
		} else if a.StatusCode != 429 {
			t.Errorf("%+v", a)
		}
	}
	if most := 41 + int(20*time.Since(began).Seconds()); good < 40 || good > most {
		t.Errorf("%d of %d were taken, want 40 to %d", good, len(answers), most)
	}
	must(t, dial(t, app, l.As(t, api.Parent)), "leave-bus-room", l.room())
}
