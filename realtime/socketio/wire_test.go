package socketio

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

// fixture is a server under test, which remembers what its application was told.
type fixture struct {
	*Server
	t    *testing.T
	http *httptest.Server

	mu      sync.Mutex
	changed chan struct{} // closed and made anew at every event below
	sockets map[string]*Socket
	ended   map[string]string // reason by socket
	events  []string
}

// serve starts a server. It knows the users "anna" and "ben" (as auth.token or ?token=),
// answers "echo" with its first argument, and joins a socket to a room on "join".
func serve(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, sockets: map[string]*Socket{}, ended: map[string]string{}, changed: make(chan struct{})}
	o := Options{
		Log:            slog.New(slog.DiscardHandler),
		AllowedOrigins: []string{"https://console.example"},
		// No heartbeat comes between and nobody is too slow, unless a test wants it.
		PingInterval: wait.Limit, PingTimeout: wait.Limit, ConnectTimeout: wait.Limit, UpgradeTimeout: wait.Limit, WriteTimeout: wait.Limit,
		Authenticate: func(r *http.Request, auth json.RawMessage) (any, *Refusal) {
			var sent struct{ Token string }
			_ = json.Unmarshal(auth, &sent)
			if sent.Token == "" {
				sent.Token = r.URL.Query().Get("token")
			}
			if sent.Token != "anna" && sent.Token != "ben" {
				return nil, &Refusal{Message: "who are you?", Data: map[string]string{"code": "NOBODY"}}
			}
			return sent.Token, nil
		},
		OnConnect: func(s *Socket) { f.note(func() { f.sockets[s.ID()] = s }) },
		OnEvent: func(s *Socket, name string, args []json.RawMessage, ack func(any)) {
			switch name {
			case "echo":
				ack(args[0])
			case "join":
				var room string
				_ = json.Unmarshal(args[0], &room)
				s.Join(room)
				ack("joined")
			case "panic":
				panic("as asked")
			}
			f.note(func() { f.events = append(f.events, name) })
		},
		OnDisconnect: func(s *Socket, reason string) { f.note(func() { f.ended[s.ID()] = reason }) },
	}
	for _, c := range change {
		c(&o)
	}
	f.Server = New(o)
	f.http = httptest.NewServer(f.Server)
	t.Cleanup(func() {
		gone, cancel := context.WithCancel(context.Background())
		cancel() // who is still there is not waited for
		_ = f.Close(gone)
		f.http.Close()
	})
	return f
}

func (f *fixture) note(what func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what()
	close(f.changed)
	f.changed = make(chan struct{})
}

// until waits for something the application is told of.
func (f *fixture) until(what string, holds func() bool) {
	f.t.Helper()
	deadline := time.After(wait.Limit)
	for {
		f.mu.Lock()
		ok, changed := holds(), f.changed
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			f.t.Fatalf("did not come about: %s", what)
		}
	}
}

// only returns the one socket that ever connected.
func (f *fixture) only() (found *Socket) {
	f.t.Helper()
	f.until("a socket connects", func() bool {
		for _, s := range f.sockets {
			found = s
		}
		return len(f.sockets) == 1
	})
	return found
}

func (f *fixture) endedAs(reason string) {
	f.t.Helper()
	var got string
	f.until("the socket ends, "+reason, func() bool {
		for _, r := range f.ended {
			got = r
		}
		return len(f.ended) == 1
	})
	if got != reason {
		f.t.Fatalf("the socket ended by %q, want %q", got, reason)
	}
}

func (f *fixture) url(query string) string { return f.http.URL + "/socket.io/?" + query }

// answerOf does a request and returns status and body.
func (f *fixture) ask(method, query, body string, headers ...string) (int, string, http.Header) {
	f.t.Helper()
	r, err := http.NewRequest(method, f.url(query), strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := f.http.Client().Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func (f *fixture) get(query string) string {
	f.t.Helper()
	status, body, _ := f.ask("GET", query, "")
	if status != 200 {
		f.t.Fatalf("GET ?%s: %d %s", query, status, body)
	}
	return body
}

func (f *fixture) post(query, body string) {
	f.t.Helper()
	if status, answer, _ := f.ask("POST", query, body, "Content-Type", "text/plain;charset=UTF-8"); status != 200 || answer != "ok" {
		f.t.Fatalf("POST ?%s: %d %s", query, status, answer)
	}
}

// polling begins a session by polling and returns its query.
func (f *fixture) polling(eio int, query string) string {
	f.t.Helper()
	body := f.get(fmt.Sprintf("EIO=%d&transport=polling%s", eio, query))
	if eio == 3 {
		_, body, _ = strings.Cut(body, ":")
	}
	if eio == 4 || strings.Contains(body, "}2:40") {
		body = strings.TrimSuffix(body, "2:40")
	}
	var open struct{ SID string }
	if err := json.NewDecoder(strings.NewReader(body[1:])).Decode(&open); err != nil {
		f.t.Fatalf("%v: %s", err, body)
	}
	return fmt.Sprintf("EIO=%d&transport=polling&sid=%s", eio, open.SID)
}

// wsClient speaks the websocket protocol, byte by byte where a test wants it.
type wsClient struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

// websocket opens one; a status other than 101 is returned with nothing.
func (f *fixture) websocket(query string, headers ...string) (*wsClient, int) {
	f.t.Helper()
	c, status, err := dialWS(f.t, f.http.Listener.Addr().String(), f.http.TLS, query, headers...)
	if err != nil {
		f.t.Fatal(err)
	}
	if c != nil {
		f.t.Cleanup(func() { _ = c.conn.Close() })
	}
	return c, status
}

func dialWS(t testing.TB, address string, secure *tls.Config, query string, headers ...string) (*wsClient, int, error) {
	var conn net.Conn
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, 0, err
	}
	if secure != nil {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	request := "GET /socket.io/?" + query + " HTTP/1.1\r\nHost: " + address +
		"\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	for i := 0; i < len(headers); i += 2 {
		request += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, 0, err
	}
	c := &wsClient{t: t, conn: conn, in: bufio.NewReader(conn)}
	_ = conn.SetReadDeadline(wait.Deadline())
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		_ = conn.Close()
		return nil, 0, err
	}
	if resp.StatusCode != 101 {
		_ = conn.Close()
		return nil, resp.StatusCode, nil
	}
	if got := resp.Header.Get("Sec-WebSocket-Accept"); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		return nil, 0, fmt.Errorf("accept key %q", got)
	}
	return c, 101, nil
}

// connected opens a websocket and connects it as a user.
func (f *fixture) connected(eio int, user string) *wsClient {
	f.t.Helper()
	c, status := f.websocket(fmt.Sprintf("EIO=%d&transport=websocket&token=%s", eio, user))
	if status != 101 {
		f.t.Fatalf("status %d", status)
	}
	c.expectPrefix("0{")
	if eio == 4 {
		c.send("40")
	}
	c.expectPastBeats("40")
	return c
}

func clientFrame(first byte, payload []byte) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n <= 125:
		b = append(b, 0x80|byte(n))
	case n <= 65535:
		b = append(b, 0x80|126)
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	default:
		b = append(b, 0x80|127)
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	key := []byte{1, 2, 3, 250}
	b = append(b, key...)
	for i, c := range payload {
		b = append(b, c^key[i&3])
	}
	return b
}

func (c *wsClient) raw(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *wsClient) send(text string) {
	c.t.Helper()
	c.raw(clientFrame(0x81, []byte(text)))
}

// frame reads the server's next frame.
func (c *wsClient) frame() (op byte, payload []byte, err error) {
	_ = c.conn.SetReadDeadline(wait.Deadline())
	var h [2]byte
	if _, err := io.ReadFull(c.in, h[:]); err != nil {
		return 0, nil, err
	}
	if h[0]&0xf0 != 0x80 || h[1]&0x80 != 0 {
		return 0, nil, fmt.Errorf("a server's frame begins with %x", h)
	}
	n := int(h[1])
	if n == 126 {
		var l [2]byte
		if _, err := io.ReadFull(c.in, l[:]); err != nil {
			return 0, nil, err
		}
		n = int(binary.BigEndian.Uint16(l[:]))
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(c.in, payload)
	return h[0] & 0x0f, payload, err
}

func (c *wsClient) text() string {
	c.t.Helper()
	op, payload, err := c.frame()
	if err != nil {
		c.t.Fatal(err)
	}
	if op != opText {
		c.t.Fatalf("got frame %x %q, want text", op, payload)
	}
	return string(payload)
}

func (c *wsClient) expect(want string) {
	c.t.Helper()
	if got := c.text(); got != want {
		c.t.Fatalf("got %q, want %q", got, want)
	}
}

func (c *wsClient) expectPrefix(want string) string {
	c.t.Helper()
	got := c.text()
	if !strings.HasPrefix(got, want) {
		c.t.Fatalf("got %q, want %q…", got, want)
	}
	return got
}

// expectPastBeats is expectPrefix past the heartbeats that may come before, on a busy machine.
func (c *wsClient) expectPastBeats(want string) {
	c.t.Helper()
	got := c.text()
	for got == "2" {
		got = c.text()
	}
	if !strings.HasPrefix(got, want) {
		c.t.Fatalf("got %q, want %q…", got, want)
	}
}

// expectClose wants a close frame of that code and then the end.
func (c *wsClient) expectClose(code uint16) {
	c.t.Helper()
	for {
		op, payload, err := c.frame()
		if err != nil {
			c.t.Fatalf("waiting for close %d: %v", code, err)
		}
		if op != opClose {
			continue
		}
		if got := binary.BigEndian.Uint16(payload); got != code {
			c.t.Fatalf("closed with %d, want %d", got, code)
		}
		c.expectEnd()
		return
	}
}

func (c *wsClient) expectEnd() {
	c.t.Helper()
	if _, _, err := c.frame(); err == nil {
		c.t.Fatal("something came after the end")
	}
}
