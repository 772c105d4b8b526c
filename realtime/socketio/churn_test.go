package socketio

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// pieces is a connection that gives a stream in pieces of a size.
type pieces struct {
	net.Conn
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, net.ErrClosed
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// rounds is how often; the whole number is asked for by SOCKETIO_ROUNDS=full.
func rounds(whole int) int {
	if os.Getenv("SOCKETIO_ROUNDS") == "full" {
		return whole
	}
	return whole / 4
}

func TestComingAndGoingLeavesNothingBehind(t *testing.T) {
	f := serve(t)
	before, open := runtime.NumGoroutine(), descriptors()
	const workers = 20
	each := rounds(2000) / workers
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				f.oneVisit(w + i)
			}
		})
	}
	wg.Wait()
	f.http.Client().CloseIdleConnections()
	wait.Eventually(t, "nothing is left", func() bool {
		n := f.Counts()
		f.mu.Lock()
		defer f.mu.Unlock()
		return n.Sessions == 0 && n.Sockets == 0 && n.Rooms == 0 && len(f.ended) == len(f.sockets)
	})
	wait.Eventually(t, "its goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+2 })
	wait.Eventually(t, "its connections are closed", func() bool { return descriptors() <= open+2 })
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sockets) != workers*each {
		t.Errorf("%d of %d connected", len(f.sockets), workers*each)
	}
	f.Server.mu.Lock()
	defer f.Server.mu.Unlock()
	if f.alive != 0 {
		t.Errorf("%d sessions are alive", f.alive)
	}
}

// descriptors is how many files and connections this process has open, where it can be told.
func descriptors() int {
	open, _ := os.ReadDir("/proc/self/fd")
	return len(open)
}

// oneVisit connects, joins a room, and goes in one of the ways clients go.
func (f *fixture) oneVisit(way int) {
	c, _, err := dialWS(f.t, f.http.Listener.Addr().String(), nil, fmt.Sprintf("EIO=%d&transport=websocket&token=anna", 3+way%2))
	if err != nil {
		f.t.Error(err)
		return
	}
	defer c.conn.Close()
	c.t = quiet{f.t}
	c.text()
	if way%2 == 1 {
		c.send("40")
	}
	c.text()
	c.send(`420["join","room"]`)
	c.expect(`430["joined"]`)
	switch way % 5 {
	case 0:
		c.raw(clientFrame(0x88, nil))
		_, _, _ = c.frame()
	case 1:
		c.send("41")
		c.send("1")
	case 2:
		c.send("nonsense")
	case 3:
		_ = c.conn.(*net.TCPConn).SetLinger(0)
	}
}

// quiet makes a failure in a goroutine an error: only the test's own may stop it.
type quiet struct{ testing.TB }

func (q quiet) Fatal(args ...any)            { q.Error(args...); runtime.Goexit() }
func (q quiet) Fatalf(f string, args ...any) { q.Errorf(f, args...); runtime.Goexit() }

// A client that sends with its handshake, before any answer, loses nothing.
func TestAFastClientsFirstPacketIsNotLost(t *testing.T) {
	t.Parallel()
	f := serve(t)
	address := f.http.Listener.Addr().String()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range rounds(5000) / 10 {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				burst := "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
					"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
					string(clientFrame(0x81, []byte(`40{"token":"anna"}`))) + string(clientFrame(0x81, []byte(`420["echo","first"]`)))
				_, err = conn.Write([]byte(burst))
				_ = conn.SetReadDeadline(wait.Deadline())
				var got []byte
				for b := make([]byte, 4096); err == nil && !strings.Contains(string(got), `430["first"]`); {
					var n int
					n, err = conn.Read(b)
					got = append(got, b[:n]...)
				}
				_ = conn.Close()
				if err != nil {
					t.Errorf("%v after %q", err, got)
					return
				}
			}
		})
	}
	wg.Wait()
}

// Everything at once, for the race detector: people come, join, talk, leave, stall and
// are thrown out while rooms are emitted to.
func TestAStorm(t *testing.T) {
	t.Parallel()
	f := serve(t, func(o *Options) {
		o.PingInterval, o.PingTimeout, o.PacketBurst = 20*time.Millisecond, wait.Limit, 1<<20
	})
	stop := make(chan struct{})
	var emitting, visiting sync.WaitGroup
	for w := range 4 {
		emitting.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				room := "room" + strconv.Itoa(i%3)
				_ = f.To(room).Emit("n", i)
				_ = f.EmitLatest(room, "k", "latest", i)
				if i%50 == w {
					f.each(func(s *session) {
						s.handling.Lock()
						socket := s.socket
						s.handling.Unlock()
						if socket == nil {
							return
						}
						switch rand.IntN(40) {
						case 0:
							socket.Disconnect()
						case 1:
							socket.Drop()
						default:
							socket.Join(room)
							_ = socket.EmitLatest("own", "own", i)
						}
					})
				}
				runtime.Gosched()
			}
		})
	}
	for w := range 16 {
		visiting.Go(func() {
			for i := range rounds(300) {
				f.stormVisit(w + i)
			}
		})
	}
	visiting.Wait()
	close(stop)
	emitting.Wait()
	wait.Eventually(t, "nobody is left", func() bool { return f.Counts().Sockets == 0 })
}

func (f *fixture) stormVisit(way int) {
	c, _, err := dialWS(f.t, f.http.Listener.Addr().String(), nil, "EIO=4&transport=websocket&token=anna")
	if err != nil {
		f.t.Error(err)
		return
	}
	defer c.conn.Close()
	_, _ = c.conn.Write(clientFrame(0x81, []byte("40")))
	_, _ = c.conn.Write(clientFrame(0x81, []byte(`420["join","room`+strconv.Itoa(way%3)+`"]`)))
	if way%4 == 0 {
		return // without reading a thing
	}
	for range 20 {
		op, payload, err := c.frame()
		if err != nil || op == opClose {
			return // thrown out
		}
		if string(payload) == "2" {
			_, _ = c.conn.Write(clientFrame(0x81, []byte("3")))
		}
	}
}
