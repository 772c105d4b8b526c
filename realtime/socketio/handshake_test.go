package socketio

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

func TestARequestThatCannotBeServedSaysWhy(t *testing.T) {
	t.Parallel()
	f := serve(t)
	sid := f.polling(4, "")
	for _, c := range []struct {
		method, query string
		status        int
		body          string
	}{
		{"GET", "transport=polling", 400, `{"code":5,"message":"Unsupported protocol version"}`},
		{"GET", "EIO=2&transport=polling", 400, `{"code":5,"message":"Unsupported protocol version"}`},
		{"GET", "EIO=4", 400, `{"code":0,"message":"Transport unknown"}`},
		{"GET", "EIO=4&transport=flashsocket", 400, `{"code":0,"message":"Transport unknown"}`},
		{"GET", "EIO=4&transport=polling&j=0", 400, `{"code":3,"message":"Bad request"}`},
		{"GET", "EIO=4&transport=polling&sid=nobody", 400, `{"code":1,"message":"Session ID unknown"}`},
		{"GET", "EIO=4&transport=websocket&sid=nobody", 400, `{"code":1,"message":"Session ID unknown"}`},
		{"POST", "EIO=4&transport=polling", 400, `{"code":2,"message":"Bad handshake method"}`},
		{"GET", "EIO=4&transport=websocket", 400, `{"code":3,"message":"Bad request"}`},
		{"PUT", sid, 400, `{"code":3,"message":"Bad request"}`},
		{"GET", strings.Replace(sid, "EIO=4", "EIO=3", 1), 400, `{"code":3,"message":"Bad request"}`},
	} {
		status, body, header := f.ask(c.method, c.query, "")
		if status != c.status || body != c.body || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s ?%s: %d %s", c.method, c.query, status, body)
		}
	}
}

func TestASessionOpensWithWhatTheClientMustKnow(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) { o.PingInterval, o.PingTimeout = 0, 0 }) // as it is served
	body := f.get("EIO=4&transport=polling")
	var open struct {
		SID                                   string
		Upgrades                              []string
		PingInterval, PingTimeout, MaxPayload int
	}
	if err := json.Unmarshal([]byte(body[1:]), &open); err != nil || body[0] != '0' {
		t.Fatal(err, body)
	}
	if len(open.SID) < 20 || strings.Join(open.Upgrades, " ") != "websocket" || open.PingInterval != 15000 || open.PingTimeout != 10000 ||
		open.MaxPayload != 16384 {
		t.Errorf("%+v", open)
	}
	c, _ := f.websocket("EIO=4&transport=websocket")
	if text := c.expectPrefix(`0{"sid":"`); !strings.Contains(text, `"upgrades":[]`) {
		t.Error(text)
	}
	_, _, header := f.ask("GET", "EIO=4&transport=polling", "")
	if header.Get("Content-Type") != "text/plain; charset=UTF-8" || header.Get("Cache-Control") != "no-store" {
		t.Error(header)
	}
}

func TestTheSocketsIDIsNotTheSessionsSecret(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c, _ := f.websocket("EIO=4&transport=websocket")
	var open, socket struct{ SID string }
	_ = json.Unmarshal([]byte(c.text()[1:]), &open)
	c.send(`40{"token":"anna"}`)
	_ = json.Unmarshal([]byte(c.text()[2:]), &socket)
	if s := f.only(); open.SID == "" || socket.SID == "" || open.SID == socket.SID || s.ID() != socket.SID || s.User() != "anna" {
		t.Errorf("session %q, socket %q, known as %q", open.SID, socket.SID, s.ID())
	}
}

func TestAnOldClientIsConnectedWithoutAsking(t *testing.T) {
	t.Parallel()
	f := serve(t)
	body := f.get("EIO=3&transport=polling&token=anna")
	if !strings.HasSuffix(body, "}2:40") {
		t.Fatal(body)
	}
	c, _ := f.websocket("EIO=3&transport=websocket&token=ben")
	c.expectPrefix("0{")
	c.expect("40")
	f.until("both connect", func() bool { return len(f.sockets) == 2 })
}

func TestWhoIsRefusedIsToldAndThenCutOff(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	f := serve(t, func(o *Options) {
		o.now, o.ConnectTimeout, o.PingInterval = clock.Now, 2*time.Second, 50*time.Millisecond
	})
	late, _ := f.websocket("EIO=4&transport=websocket")
	late.expectPrefix("0{")
	late.send(`40{"token":"mallory"}`)
	old, _ := f.websocket("EIO=3&transport=websocket&token=mallory")
	old.expectPrefix("0{")
	old.expect(`44{"code":"NOBODY"}`)
	late.expectPastBeats(`44{"message":"who are you?","data":{"code":"NOBODY"}}`)
	silent, _ := f.websocket("EIO=4&transport=websocket")
	silent.expectPrefix("0{")
	clock.Pass(f.o.ConnectTimeout + 1)
	old.expectClose(codePolicy)
	late.expectClose(codePolicy)
	silent.expectClose(codePolicy)
	if n := f.Counts(); n.Refused != 2 || n.Sockets != 0 {
		t.Errorf("%+v", n)
	}
}

func TestARefusedClientMayTryAgainAFewTimes(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c, _ := f.websocket("EIO=4&transport=websocket")
	c.expectPrefix("0{")
	c.send(`40{"token":"mallory"}`)
	c.expectPrefix("44")
	c.send(`40{"token":"anna"}`)
	c.expectPrefix("40")
	again, _ := f.websocket("EIO=4&transport=websocket")
	for range 5 {
		again.send("40")
	}
	again.expectClose(codePolicy)
}

func TestAnotherNamespaceIsRefused(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	c.send("40/admin,")
	c.expect(`44/admin,{"message":"Invalid namespace"}`)
	c.send(`42/admin,["echo",1]`)
	old := f.connected(3, "anna")
	old.send("40/admin?token=x")
	old.expect(`44/admin,"Invalid namespace"`)
	old.send(`420["echo",1]`)
	old.expect(`430[1]`)
	c.send(`420["echo",1]`)
	c.expect(`430[1]`)
}

func TestOnlyListedOriginsAreServed(t *testing.T) {
	t.Parallel()
	f := serve(t)
	for _, c := range []struct {
		origin string
		ok     bool
	}{
		{"", true}, {"https://console.example", true}, {f.http.URL, true},
		{"https://evil.example", false}, {"null", false}, {"https://console.example.evil.example", false}, {"http://console.example", false},
	} {
		for _, query := range []string{"EIO=4&transport=polling", "EIO=4&transport=polling&sid=nobody"} {
			status, body, header := f.ask("GET", query, "", "Origin", c.origin)
			want := c.origin
			if !c.ok {
				want = ""
				if status != 403 || body != `{"code":4,"message":"Forbidden"}` {
					t.Errorf("%s: %d %s", c.origin, status, body)
				}
			}
			if header.Get("Access-Control-Allow-Origin") != want || header.Get("Vary") != "Origin" ||
				(header.Get("Access-Control-Allow-Credentials") == "true") != (want != "") {
				t.Errorf("%s: %v", c.origin, header)
			}
		}
		if _, status := f.websocket("EIO=4&transport=websocket", "Origin", c.origin); (status == 101) != c.ok {
			t.Errorf("websocket from %q: %d", c.origin, status)
		}
	}
	status, _, header := f.ask("OPTIONS", "EIO=4&transport=polling", "", "Origin", "https://console.example")
	if status != 204 || header.Get("Access-Control-Allow-Methods") != "GET, POST" {
		t.Error(status, header)
	}
}

func TestAdmissionAndCapacityAreLimited(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) {
		o.MaxSessions = 1
		o.Admit = func(r *http.Request) bool { return r.URL.Query().Get("token") != "often" }
	})
	if status, _, header := f.ask("GET", "EIO=4&transport=polling&token=often", ""); status != 429 || header.Get("Retry-After") == "" {
		t.Error(status)
	}
	c := f.connected(4, "anna")
	if status, _, _ := f.ask("GET", "EIO=4&transport=polling", ""); status != 503 {
		t.Error(status)
	}
	c.raw(clientFrame(0x88, nil))
	c.expectEndAfterClose()
	wait.Eventually(t, "there is room again", func() bool {
		status, _, _ := f.ask("GET", "EIO=4&transport=polling", "")
		return status == 200
	})
}

func (c *wsClient) expectEndAfterClose() {
	c.t.Helper()
	if op, _, err := c.frame(); err != nil || op != opClose {
		c.t.Fatal(op, err)
	}
	_ = c.conn.Close()
}

func TestAMalformedWebsocketHandshakeIsRefused(t *testing.T) {
	t.Parallel()
	f := serve(t)
	for _, headers := range [][]string{
		{"Connection", "keep-alive", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
		{"Connection", "Upgrade", "Upgrade", "h2c", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
		{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "8", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
		{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "c2hvcnQ="},
	} {
		if status, _, _ := f.ask("GET", "EIO=4&transport=websocket", "", headers...); status != 400 {
			t.Error(headers, status)
		}
	}
	wait.Eventually(t, "nothing is left of them", func() bool { return f.Counts().Sessions == 0 })
}

func TestOneAddressHoldsOnlySoManySessionsAndMayComeBackWhenOneIsGone(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) {
		o.MaxPerAddress = 3
		o.Address = func(r *http.Request) string { return r.URL.Query().Get("from") }
	})
	sids := []string{f.polling(4, "&from=a"), f.polling(4, "&from=a"), f.polling(4, "&from=a")}
	if status, body, header := f.ask("GET", "EIO=4&transport=polling&from=a", ""); status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("the fourth: %d %s", status, body)
	}
	if _, status := f.websocket("EIO=4&transport=websocket&from=a"); status != 429 {
		t.Errorf("the fourth, by websocket: %d", status)
	}
	if status, body, _ := f.ask("GET", "EIO=4&transport=polling&from=b", ""); status != 200 {
		t.Errorf("somebody else: %d %s", status, body)
	}
	f.post(sids[0], "1")
	wait.Eventually(t, "there is room again", func() bool {
		status, _, _ := f.ask("GET", "EIO=4&transport=polling&from=a", "")
		return status == 200
	})
}
