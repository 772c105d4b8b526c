// Package socketio is a Socket.IO server for one namespace and text packets: clients
// 2.x, 3.x and 4.x, over websocket, polling, and polling that becomes a websocket. It
// carries events, acknowledgements and rooms, and knows nothing of what they mean. It
// refuses binary packets, other namespaces, JSONP and compression.
//
// A reader that does not keep up never makes anybody wait: what is meant for it queues
// up to a bound, newer values replace older ones where the sender says so (EmitLatest),
// and beyond the bound it is cut off, to come back when it can.
package socketio

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options say how a Server behaves. What is left out has the default named beside it;
// only Authenticate must be given.
//
// The functions for one socket are never called at the same time, and in the order of
// what happened: OnConnect, then OnEvent for each event, then OnDisconnect. One that
// takes its time holds up the packets of that socket and of nobody else.
type Options struct {
	// Authenticate says who connects. It sees the request the session began with and
	// what the client sent as its `auth` (nil for 2.x clients, which can send a token
	// in the query or a header only). A refusal is sent to the client, whose user then
	// is never connected; for every other answer OnConnect and OnDisconnect follow.
	Authenticate func(r *http.Request, auth json.RawMessage) (user any, refusal *Refusal)
	// Admit is asked before a session is made: false answers 429. A 3.x client that was
	// refused comes back with the same token again and again, so this is where to count
	// by address. Nil admits everybody.
	Admit func(r *http.Request) bool
	// Address says from where a request comes, for MaxPerAddress; nil is the connection's
	// own, which behind a proxy is the proxy's.
	Address func(r *http.Request) string
	// AllowedOrigins are the browser origins that may connect besides the server's own,
	// as "https://host[:port]". A request without an Origin is a native app's.
	AllowedOrigins []string

	// OnConnect is called when the client has been told that it is connected, if it is
	// still there to be told.
	OnConnect func(s *Socket)
	// OnEvent is called for each event. ack answers the client once and does nothing if
	// the client asked for no answer. The arguments are the callee's to keep.
	OnEvent func(s *Socket, name string, args []json.RawMessage, ack func(any))
	// OnDisconnect is called once for every socket OnConnect was called for. The socket
	// has left its rooms by then.
	OnDisconnect func(s *Socket, reason string)
	// Allow is asked before OnEvent: the place for a rate per socket. If it says no, the
	// event goes nowhere and its sender is answered with refusal, if it asked for an answer.
	Allow func(s *Socket, name string) (refusal any, ok bool)
	// OnRoom is called when a room gets its first member here and when it loses its last,
	// in that order, by the goroutine that joins or leaves. It must return at once and not call the
	// server: pass the name on to a goroutine, which asks Members.
	OnRoom func(room string, inhabited bool)

	PingInterval   time.Duration // 15 s: how often the server (2.x: the client) pings
	PingTimeout    time.Duration // 10 s: nothing heard for both together is a dead client
	ConnectTimeout time.Duration // 10 s: for a session to connect, and for a refused one to go
	UpgradeTimeout time.Duration // 10 s: for a probe of a websocket to become the transport
	WriteTimeout   time.Duration // 10 s: for a stalled client to take 16 KiB

	MaxMessage  int // 16 KiB: bytes of one packet, in either direction
	MaxSessions int // 20,000: more are answered 503
	// MaxPerAddress is how many sessions of one address there may be: more are answered
	// 429. 0 is any number.
	MaxPerAddress int
	PacketRate    float64 // 100: packets a second from one client, of any kind, on average
	PacketBurst   int     // 300: packets at once; a client beyond both is cut off

	// Log gets panics in the functions above, which end the socket they were
	// called for. Nil is slog's default.
	Log *slog.Logger

	slowWrites bool             // as where there are no raw connections; for tests
	now        func() time.Time // says how long a client was silent, or had to connect; for tests
}

// Refusal is why somebody may not connect: a 3.x or 4.x client gets both in its
// connect_error, a 2.x client gets Data, or else Message, in its error.
type Refusal struct {
	Message string
	Data    any
}

const (
	queuedFrames = 128       // a client may be behind by
	queuedBytes  = 256 << 10 // a client may be behind by
	chunkBytes   = 16 << 10  // written to a stalled client at a time
	sendBuffer   = 64 << 10  // of the kernel: more would hold hundreds of stale positions
	probeHold    = 100 * time.Millisecond
	lingerTime   = 2 * time.Second
	lingerBytes  = 1 << 20
	farewellTime = 5 * time.Second // for a polling client to fetch its goodbye
	pendingAcks  = 64              // answers one client may owe
)

func (o Options) withDefaults() Options {
	duration := func(d *time.Duration, seconds int) {
		if *d <= 0 {
			*d = time.Duration(seconds) * time.Second
		}
	}
	if o.now == nil {
		o.now = time.Now
	}
	duration(&o.PingInterval, 15)
	duration(&o.PingTimeout, 10)
	duration(&o.ConnectTimeout, 10)
	duration(&o.UpgradeTimeout, 10)
	duration(&o.WriteTimeout, 10)
	if o.MaxMessage <= 0 || o.MaxMessage > 60<<10 { // a frame's short header holds 65,535
		o.MaxMessage = 16 << 10
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 20_000
	}
	if o.PacketRate <= 0 {
		o.PacketRate = 100
	}
	if o.PacketBurst <= 0 {
		o.PacketBurst = 300
	}
	if o.Address == nil {
		o.Address = func(r *http.Request) string {
			host, _, err := net.SplitHostPort(r.RemoteAddr)
			if err != nil {
				return r.RemoteAddr
			}
			return host
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}
