package socketio

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

func TestPollingCarriesPacketsBothWays(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query := f.polling(4, "")
	f.post(query, `40{"token":"anna"}`+"\x1e"+`420["echo","🚌ü"]`+"\x1e"+`421["echo",2]`)
	got := f.get(query)
	if parts := strings.Split(got, "\x1e"); len(parts) != 3 || !strings.HasPrefix(parts[0], "40{") || parts[1] != `430["🚌ü"]` ||
		parts[2] != `431[2]` {
		t.Errorf("%q", got)
	}
	_ = f.only().Emit("later", 1)
	if got := f.get(query); got != `42["later",1]` {
		t.Errorf("%q", got)
	}
}

// The lengths of a 2.x client are those of JavaScript's strings: 🚌 has two units and
// four bytes.
func TestAnOldClientsPayloadIsCountedInUTF16(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query := f.polling(3, "&token=anna")
	f.post(query, `17:420["echo","🚌ü"]`+`1:2`)
	if got := f.get(query); got != `10:430["🚌ü"]`+`1:3` {
		t.Errorf("%q", got)
	}
	status, _, _ := f.ask("POST", query, `19:420["echo","🚌ü"]`, "Content-Type", "text/plain")
	if status != 400 {
		t.Error(status)
	}
	f.endedAs("parse error")
}

func TestAPollWaitsUntilThereIsSomething(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query := f.polling(4, "&token=anna")
	f.post(query, "40")
	f.get(query)
	s := f.only()
	got := make(chan string)
	go func() { got <- f.get(query) }()
	wait.Eventually(t, "the GET waits", func() bool { return s.session.isWaiting() })
	_ = s.Emit("news", 1)
	if text := <-got; text != `42["news",1]` {
		t.Errorf("%q", text)
	}
}

func (s *session) isWaiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting != nil
}

func TestASecondPollOrPostEndsTheSession(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query := f.polling(4, "&token=anna")
	f.post(query, "40")
	f.get(query)
	s := f.only()
	got := make(chan string)
	go func() { got <- f.get(query) }()
	wait.Eventually(t, "the GET waits", func() bool { return s.session.isWaiting() })
	if status, body, _ := f.ask("GET", query, ""); status != 400 || !strings.Contains(body, `"code":3`) {
		t.Error(status, body)
	}
	if text := <-got; text != "1" {
		t.Errorf("the first got %q", text)
	}
	f.endedAs("two polls at once")

	busy, proceed := make(chan struct{}), make(chan struct{})
	f = serve(t, func(o *Options) {
		o.Allow = func(*Socket, string) (any, bool) { close(busy); <-proceed; return nil, false }
	})
	query = f.polling(4, "&token=anna")
	f.post(query, "40")
	go func() { _, _ = f.http.Client().Post(f.url(query), "text/plain", strings.NewReader(`42["slow"]`)) }()
	<-busy
	if status, _, _ := f.ask("POST", query, "3"); status != 400 {
		t.Error(status)
	}
	close(proceed)
	f.endedAs("two posts at once")
}

func TestADroppedPollEndsTheSession(t *testing.T) {
	t.Parallel()
	f := serve(t)
	query := f.polling(4, "&token=anna")
	f.post(query, "40")
	f.get(query)
	s := f.only()
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", f.url(query), nil)
	done := make(chan struct{})
	go func() { _, _ = f.http.Client().Do(r); close(done) }()
	wait.Eventually(t, "the GET waits", func() bool { return s.session.isWaiting() })
	cancel()
	<-done
	f.endedAs("transport close")
}

func TestWhatIsNoPayloadEndsTheSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		eio          int
		body, header string
		status       int
	}{
		{4, "", "text/plain", 400},
		{4, "\x1e", "text/plain", 400},
		{4, "3\x1e", "text/plain", 400},
		{4, "42[\"echo\",\"\xff\"]", "text/plain", 400},
		{4, "3", "application/octet-stream", 400},
		{4, strings.Repeat("x", 16<<10+1), "text/plain", 413},
		{4, strings.Repeat("3\x1e", 40<<10), "text/plain", 413},
		{3, "2", "text/plain", 400},
		{3, ":2", "text/plain", 400},
		{3, "0:", "text/plain", 400},
		{3, "-1:2", "text/plain", 400},
		{3, "99999999999999999999:2", "text/plain", 400},
		{3, "2:2", "text/plain", 400},
		{3, "1:🚌", "text/plain", 400},
		{3, "16385:" + strings.Repeat("x", 16385), "text/plain", 413},
	} {
		f := serve(t)
		query := f.polling(c.eio, "&token=anna")
		if c.eio == 4 {
			f.post(query, "40")
		}
		if status, body, _ := f.ask("POST", query, c.body, "Content-Type", c.header); status != c.status {
			t.Errorf("%d %.20q: %d %s", c.eio, c.body, status, body)
		}
		f.endedAs("parse error")
	}
}

func TestTheHTTPServersTimeoutsDoNotCutAPoll(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	f := serve(t, func(o *Options) { o.PingInterval = 3 * timeout })
	impatient := httptest.NewUnstartedServer(f.Server)
	impatient.Config.WriteTimeout, impatient.Config.ReadTimeout = timeout, timeout
	impatient.Start()
	defer impatient.Close()
	f.http.Close()
	f.http = impatient
	query := f.polling(4, "")
	f.post(query, `40{"token":"anna"}`)
	f.get(query)
	if got := f.get(query); got != "2" { // three seconds later
		t.Errorf("%q", got)
	}
	c := f.connected(4, "anna")
	c.expect("2") // as late
	c.send("3")
	c.send(`420["echo",1]`)
	c.expectPastBeats(`430[1]`)
}
