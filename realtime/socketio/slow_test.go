package socketio

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// stall fills everything between the server and a client that does not read: what is
// emitted then waits in the server's queue. It returns too when the server has had enough.
func stall(t *testing.T, c *wsClient, s *Socket) {
	t.Helper()
	_ = c.conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	filler := strings.Repeat("x", 8<<10)
	var first *message
	var since time.Time
	wait.Eventually(t, "the client is stalled", func() bool {
		s.session.mu.Lock()
		defer s.session.mu.Unlock()
		q := s.session.queue.entries
		switch {
		case s.session.ended:
			return true
		case len(q) == 0:
			s.session.mu.Unlock()
			for range 10 {
				_ = s.EmitLatest("filler", "filler", filler)
			}
			s.session.mu.Lock()
		case q[0].message != first:
			first, since = q[0].message, time.Now()
		default:
			return time.Since(since) > 50*time.Millisecond
		}
		return false
	})
}

func TestASlowReaderGetsTheNewest(t *testing.T) {
	t.Parallel()
	for _, slow := range []bool{false, true} {
		f := serve(t, func(o *Options) { o.slowWrites = slow })
		c := f.connected(4, "anna")
		s := f.only()
		s.Join("bus")
		stall(t, c, s)
		const last = 20_000
		for i := range last + 1 {
			_ = f.EmitLatest("bus", "position of 7", "location", i)
			if i%100 == 0 {
				_ = f.To("bus").EmitLatest("position of 8", "location of 8", i)
			}
		}
		_ = s.Emit("end")
		seen, stale := map[string]int{}, -1
		for seen["end"] == 0 || seen["location"] != last {
			var event []json.RawMessage
			if err := json.Unmarshal([]byte(c.text()[2:]), &event); err != nil {
				t.Fatal(err)
			}
			var name string
			_ = json.Unmarshal(event[0], &name)
			seen[name] = 1
			if name == "location" {
				var n int
				_ = json.Unmarshal(event[1], &n)
				if n <= stale {
					t.Fatalf("position %d after %d", n, stale)
				}
				stale = n
				seen[name] = n
			}
		}
		if n := f.Counts(); n.Sockets != 1 || n.Slow != 0 {
			t.Errorf("it was cut off: %+v", n)
		}
	}
}

func TestAReaderTooFarBehindIsCutOffAndNobodyElse(t *testing.T) {
	t.Parallel()
	f := serve(t)
	stalled := f.connected(4, "anna")
	stalled.send(`420["join","room"]`)
	stalled.expect(`430["joined"]`)
	s := f.only()
	quick := f.connected(4, "ben")
	quick.send(`420["join","room"]`)
	quick.expect(`430["joined"]`)
	stall(t, stalled, s)
	text := strings.Repeat("y", 1000)
	before := heap()
	for i := 0; f.Counts().Slow == 0; i++ {
		if i > 100_000 {
			t.Fatal("it was never cut off")
		}
		_ = f.To("room").Emit("n", i, text)
		quick.expectPrefix(fmt.Sprintf(`42["n",%d,`, i))
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap grew by %d KiB", (after-before)>>10)
	}
	f.endedAs("slow consumer")
	_ = f.To("room").Emit("after")
	quick.expect(`42["after"]`)
	if f.Members("room") != 1 {
		t.Error(f.Members("room"))
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestAStalledReaderIsCutOffInTime(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) { o.WriteTimeout = 200 * time.Millisecond })
	c := f.connected(4, "anna")
	stall(t, c, f.only())
	f.endedAs("transport error")
	wait.Eventually(t, "nothing is left of it", func() bool { return f.Counts().Sessions == 0 })
}

// watched tells when the writes of the connections it accepts must be done.
type watched struct {
	net.Listener
	limited atomic.Bool // a write has a deadline
	stalls  atomic.Int64
}

type watchedConn struct {
	*net.TCPConn
	on *watched
}

func (w *watched) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tcp := c.(*net.TCPConn)
	return watchedConn{tcp, w}, tcp.SetWriteBuffer(sendBuffer) // as the server does
}

func (c watchedConn) SetWriteDeadline(at time.Time) error {
	if c.on.limited.Store(!at.IsZero()); !at.IsZero() {
		c.on.stalls.Add(1)
	}
	return c.TCPConn.SetWriteDeadline(at)
}

// The write deadline of a stall must not be there for the writes after it.
func TestAReaderThatStalledOnceIsServedAgain(t *testing.T) {
	t.Parallel()
	f := serve(t)
	server := httptest.NewUnstartedServer(f.Server)
	on := &watched{Listener: server.Listener}
	server.Listener = on
	server.Start()
	defer server.Close()
	f.http.Close()
	f.http = server
	c := f.connected(4, "anna")
	s := f.only()
	before := on.stalls.Load()
	stall(t, c, s)
	_ = s.Emit("end")
	for c.text() != `42["end"]` {
	}
	wait.Eventually(t, "no write has a deadline any more", func() bool { return on.stalls.Load() > before && !on.limited.Load() })
	for i := range 10 {
		_ = s.Emit("n", i)
		c.expect(fmt.Sprintf(`42["n",%d]`, i))
	}
}

// The machine may be so busy that the goroutine that writes what is queued does not come
// round for a while: the reader is not slow then, and is not cut off.
func TestAReaderIsNotCutOffBecauseTheServerIsBusy(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	s := f.only()
	s.session.mu.Lock()
	s.session.draining = true // it is about to
	conn := s.session.conn
	s.session.mu.Unlock()
	s.session.answer(textMessage(`430["joined"]`))
	const events = 4 * queuedFrames
	for i := range events {
		_ = s.Emit("n", i)
	}
	s.session.answer(textMessage(`431["left"]`))
	go s.session.drain(conn)
	c.expect(`430["joined"]`)
	for i := range events {
		c.expect(fmt.Sprintf(`42["n",%d]`, i))
	}
	c.expect(`431["left"]`)
	if n := f.Counts(); n.Sockets != 1 || n.Slow != 0 {
		t.Errorf("it was cut off: %+v", n)
	}
}

// Whoever finds the queue full may find the connection broken too.
func TestABrokenConnectionIsNotASlowReader(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.connected(4, "anna")
	s := f.only()
	s.session.mu.Lock()
	s.session.draining = true // it is about to
	err := s.session.conn.net.(*net.TCPConn).CloseWrite()
	s.session.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	s.session.answer(textMessage(`430["joined"]`))
	for i := range queuedFrames {
		_ = s.Emit("n", i)
	}
	f.endedAs("transport error")
	if n := f.Counts(); n.Slow != 0 {
		t.Errorf("%+v", n)
	}
}

func TestAPollingClientTooFarBehindIsCutOff(t *testing.T) {
	t.Parallel()
	f := serve(t)
	_, s := f.polled(4)
	for i := range queuedFrames + 1 {
		_ = s.Emit("n", i)
	}
	f.endedAs("slow consumer")
}

// Where there is no raw connection (TLS in this process, other systems) a write has a
// goroutine to wait in, and everything else is the same.
func TestEverythingWorksOverTLS(t *testing.T) {
	t.Parallel()
	f := serve(t)
	secure := httptest.NewTLSServer(f.Server)
	defer secure.Close()
	f.http.Close()
	f.http = secure
	c := f.connected(4, "anna")
	c.send(`420["join","room"]`)
	c.expect(`430["joined"]`)
	for i := range 100 {
		_ = f.To("room").Emit("n", i)
	}
	for i := range 100 {
		c.expect(fmt.Sprintf(`42["n",%d]`, i))
	}
	c.raw(clientFrame(0x81, make([]byte, 100<<10)))
	c.expectClose(codeTooLarge)
	query := f.polling(4, "&token=ben")
	f.post(query, "40")
	if got := f.get(query); !strings.HasPrefix(got, "40{") {
		t.Error(got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Limit)
	defer cancel()
	if err := f.Close(ctx); err != nil {
		t.Error(err)
	}
}
