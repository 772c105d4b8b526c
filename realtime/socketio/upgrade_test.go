package socketio

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// polled is a connected polling session, its query and its socket.
func (f *fixture) polled(eio int) (string, *Socket) {
	f.t.Helper()
	query := f.polling(eio, "&token=anna")
	if eio == 4 {
		f.post(query, "40")
		f.get(query)
	}
	return query, f.only()
}

func asWebsocket(query string) string {
	return strings.Replace(query, "transport=polling", "transport=websocket", 1)
}

func TestPollingBecomesAWebsocket(t *testing.T) {
	t.Parallel()
	for _, eio := range []int{3, 4} {
		f := serve(t)
		query, s := f.polled(eio)
		got := make(chan string)
		go func() { got <- f.get(query) }()
		wait.Eventually(t, "the GET waits", func() bool { return s.session.isWaiting() })
		c, status := f.websocket(asWebsocket(query))
		if status != 101 {
			t.Fatal(status)
		}
		c.send("2probe")
		c.expect("3probe")
		if text := <-got; text != map[int]string{3: "1:6", 4: "6"}[eio] {
			t.Errorf("the waiting GET got %q", text)
		}
		for i := range 3 { // between the probe and the decision
			_ = s.Emit("n", i)
		}
		text := f.get(query)
		_ = s.Emit("n", 3)
		c.send("5")
		c.expect(`42["n",3]`) // and nothing before
		if want := (map[int]string{3: `9:42["n",0]9:42["n",1]9:42["n",2]`, 4: "42[\"n\",0]\x1e42[\"n\",1]\x1e42[\"n\",2]"})[eio]; text != want {
			t.Errorf("%q", text)
		}
		for _, method := range []string{"GET", "POST"} {
			if status, body, _ := f.ask(method, query, "3"); status != 400 || !strings.Contains(body, `"code":3`) {
				t.Error(method, status, body)
			}
		}
		if _, status := f.websocket(asWebsocket(query)); status != 400 {
			t.Error("a second websocket:", status)
		}
		c.send(`420["echo",1]`)
		c.expect(`430[1]`)
	}
}

func TestAPollDuringAProbeIsSoonAnswered(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query, _ := f.polled(4)
	c, _ := f.websocket(asWebsocket(query))
	c.send("2probe")
	c.expect("3probe")
	for range 3 {
		if got := f.get(query); got != "6" { // no ping is near
			t.Errorf("%q", got)
		}
	}
	if _, status := f.websocket(asWebsocket(query)); status != 400 {
		t.Error("a second probe:", status)
	}
	c.send("5")
	c.send(`420["echo",1]`)
	c.expect(`430[1]`)
}

func TestAProbeThatComesToNothingLeavesThePollingAlone(t *testing.T) {
	t.Parallel()
	for what, fail := range map[string]func(*wsClient){
		"it says nothing":           func(*wsClient) {},
		"it only probes":            func(c *wsClient) { c.send("2probe"); c.expect("3probe") },
		"it decides without a try":  func(c *wsClient) { c.send("5"); c.expectEnd() },
		"it says something else":    func(c *wsClient) { c.send(`42["echo",1]`); c.expectEnd() },
		"it hangs up":               func(c *wsClient) { _ = c.conn.Close() },
		"it closes in good order":   func(c *wsClient) { c.raw(clientFrame(0x88, nil)); c.expectEnd() },
		"it hangs up after a probe": func(c *wsClient) { c.send("2probe"); c.expect("3probe"); _ = c.conn.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := serve(t)
			query, s := f.polled(4)
			c, _ := f.websocket(asWebsocket(query))
			fail(c)
			wait.Eventually(t, "the probe is given up", func() bool {
				s.session.mu.Lock()
				defer s.session.mu.Unlock()
				if strings.HasPrefix(what, "it only") || strings.HasPrefix(what, "it says nothing") {
					s.session.expireProbe()
				}
				return !s.session.upgrading
			})
			f.post(query, `420["echo",1]`)
			if got := f.get(query); got != `430[1]` {
				t.Errorf("%q", got)
			}
			again, status := f.websocket(asWebsocket(query))
			if status != 101 {
				t.Fatal(status)
			}
			again.send("2probe")
			again.expect("3probe")
			again.send("5")
			again.send(`421["echo",2]`)
			again.expect(`431[2]`)
		})
	}
}

// expireProbe has the time that the client has to decide for the websocket run out now.
func (s *session) expireProbe() {
	if s.upgrading && s.probing != nil {
		_ = s.probing.net.SetReadDeadline(time.Now())
	}
}

func TestProbe_PastItsTime_IsGivenUp(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) { o.UpgradeTimeout = time.Millisecond })
	query, _ := f.polled(4)
	c, _ := f.websocket(asWebsocket(query))
	c.expectEnd()
	f.post(query, `420["echo",1]`)
	if got := f.get(query); got != `430[1]` {
		t.Errorf("%q", got)
	}
}

func TestNothingIsLostOrTurnedAroundByAnUpgrade(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query, s := f.polled(4)
	const all = 100
	go func() {
		for i := range all {
			_ = s.Emit("n", i)
		}
		_ = s.Emit("last")
	}()
	var got []string
	c, _ := f.websocket(asWebsocket(query))
	got = append(got, strings.Split(f.get(query), "\x1e")...)
	c.send("2probe")
	c.expect("3probe")
	got = append(got, strings.Split(f.get(query), "\x1e")...)
	c.send("5")
	for !slices.Contains(got, `42["last"]`) {
		got = append(got, c.text())
	}
	n := 0
	for _, text := range got {
		if text == "6" || text == `42["last"]` {
			continue
		}
		if text != fmt.Sprintf(`42["n",%d]`, n) {
			t.Fatalf("%s instead of %d", text, n)
		}
		n++
	}
	if n != all {
		t.Errorf("%d of %d", n, all)
	}
}

// Clients hold their pongs back while they change over: to poll and to probe is to be alive.
func TestAClientThatUpgradesIsNotTakenForSilent(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	f := serve(t, func(o *Options) { o.now, o.PingInterval, o.PingTimeout = clock.Now, 50*time.Millisecond, 2*time.Second })
	query, _ := f.polled(4)
	c, _ := f.websocket(asWebsocket(query))
	c.send("2probe")
	c.expect("3probe")
	for range 5 { // together more than a silent client is given; in larger steps the server thinks that it was asleep
		clock.Pass(f.o.PingTimeout / 2)
		for !strings.Contains(f.get(query), "2") { // the server has looked who is silent
		}
	}
	c.send("5")
	c.send(`420["echo",1]`)
	for c.text() != `430[1]` {
	}
}
