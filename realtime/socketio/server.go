package socketio

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a Socket.IO server: an http.Handler for the path /socket.io/.
type Server struct {
	o       Options
	origins []string
	began   time.Time
	shards  []*shard
	working sync.WaitGroup // the shards
	rooms   rooms

	sockets atomic.Int64
	refused atomic.Int64
	slow    atomic.Int64

	mu       sync.Mutex
	sessions map[string]*session
	alive    int            // sessions that are not over yet, forgotten ones among them
	from     map[string]int // how many of them by address
	made     int
	closing  bool
	empty    chan struct{} // closed when closing and nobody is alive
}

// New makes a server and starts its goroutines, which Close ends.
func New(o Options) *Server {
	if o.Authenticate == nil {
		panic("socketio: Options.Authenticate is missing")
	}
	o = o.withDefaults()
	srv := &Server{o: o, began: o.now(), sessions: map[string]*session{}, from: map[string]int{}, empty: make(chan struct{})}
	srv.rooms = rooms{byName: map[string]*room{}, onRoom: o.OnRoom}
	for _, origin := range o.AllowedOrigins {
		srv.origins = append(srv.origins, strings.ToLower(strings.TrimSuffix(origin, "/")))
	}
	for i := range min(runtime.GOMAXPROCS(0), maxShards) {
		srv.shards = append(srv.shards, newShard(srv, i))
	}
	for _, s := range srv.shards {
		srv.working.Go(s.run)
	}
	return srv
}

// Counts are what a server has to do, for metrics.
type Counts struct {
	Sessions int // connections, of which some may not be let in yet
	Sockets  int // users connected
	Rooms    int // rooms with members here
	Refused  int // connections Authenticate refused, since the start
	Slow     int // clients cut off because they did not keep up, since the start
}

// Counts returns the present numbers.
func (srv *Server) Counts() Counts {
	srv.mu.Lock()
	sessions := len(srv.sessions)
	srv.mu.Unlock()
	return Counts{
		Sessions: sessions, Sockets: int(srv.sockets.Load()), Rooms: srv.rooms.count(),
		Refused: int(srv.refused.Load()), Slow: int(srv.slow.Load()),
	}
}

// Members returns how many sockets of this server are in a room.
func (srv *Server) Members(room string) int { return srv.rooms.membersOf(room) }

// Close closes every transport, without a goodbye, so that clients reconnect to another
// server, and waits until they are gone; when ctx is done it cuts off those that are not.
// Handshakes are refused from its beginning on.
func (srv *Server) Close(ctx context.Context) error {
	srv.mu.Lock()
	first := !srv.closing
	srv.closing = true
	if first && srv.alive == 0 {
		close(srv.empty)
	}
	srv.mu.Unlock()
	srv.each(func(s *session) { s.end("server shutting down", codeGoingAway) })
	var err error
	select {
	case <-srv.empty:
	case <-ctx.Done():
		err = ctx.Err()
		srv.each(func(s *session) {
			s.abort("server shutting down")
			s.mu.Lock()
			polling := s.conn == nil
			s.mu.Unlock()
			if polling {
				s.forget()
			}
		})
	}
	for _, s := range srv.shards {
		s.stop()
	}
	srv.working.Wait()
	return err
}

func (srv *Server) each(f func(*session)) {
	srv.mu.Lock()
	all := make([]*session, 0, len(srv.sessions))
	for _, s := range srv.sessions {
		all = append(all, s)
	}
	srv.mu.Unlock()
	for _, s := range all {
		f(s)
	}
}

// handshake begins a session.
func (srv *Server) handshake(w http.ResponseWriter, r *http.Request, eio int, transport string) {
	if r.Method != http.MethodGet {
		fail(w, errMethod)
		return
	}
	if srv.o.Admit != nil && !srv.o.Admit(r) {
		fail(w, errTooMany)
		return
	}
	s, err := srv.newSession(r, eio)
	if err != nil {
		fail(w, err)
		return
	}
	if transport == "polling" {
		s.send(srv.openMessage(s, true))
		s.letIn()
		s.shard.add(s)
		s.poll(w, r)
		return
	}
	c, failed := srv.accept(w, r)
	if failed != nil {
		s.abort("transport error")
		s.forget()
		return
	}
	s.mu.Lock()
	s.conn = c
	if s.ended { // the server closed meanwhile
		s.abortLocked(s.reason)
	}
	s.mu.Unlock()
	s.shard.add(s)
	s.send(srv.openMessage(s, false))
	go func() { // leaves the HTTP server's goroutine, and what it holds, to it
		s.letIn()
		s.read(c)
	}()
}

func (srv *Server) newSession(r *http.Request, eio int) (*session, *httpError) {
	s := &session{server: srv, id: randomID(), eio: eio, address: srv.o.Address(r), request: kept(r), pinged: srv.o.now()}
	s.until = s.pinged.Add(srv.o.ConnectTimeout)
	s.parts.Store(2)
	s.hear()
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if srv.closing || srv.alive >= srv.o.MaxSessions {
		return nil, errFull
	}
	if most := srv.o.MaxPerAddress; most > 0 && srv.from[s.address] >= most {
		return nil, errTooMany
	}
	srv.from[s.address]++
	s.shard = srv.shards[srv.made%len(srv.shards)]
	srv.made++
	srv.alive++
	srv.sessions[s.id] = s
	return s, nil
}

// letIn connects a 2.x client, which does not ask for it.
func (s *session) letIn() {
	if s.eio == 3 {
		s.handling.Lock()
		defer s.handling.Unlock()
		s.protect(func() { s.connect(nil) })
	}
}

func (srv *Server) openMessage(s *session, polling bool) *message {
	open := struct {
		SID          string   `json:"sid"`
		Upgrades     []string `json:"upgrades"`
		PingInterval int64    `json:"pingInterval"`
		PingTimeout  int64    `json:"pingTimeout"`
		MaxPayload   int      `json:"maxPayload"`
	}{s.id, []string{}, srv.o.PingInterval.Milliseconds(), srv.o.PingTimeout.Milliseconds(), srv.o.MaxMessage}
	if polling {
		open.Upgrades = []string{"websocket"}
	}
	text, _ := json.Marshal(open)
	return textMessage(string(engineOpen) + string(text))
}

// kept is what Authenticate may want of a request that is long answered when it is asked.
func kept(r *http.Request) *http.Request {
	k := &http.Request{
		Method: r.Method, URL: r.URL, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: r.Header, Host: r.Host, RemoteAddr: r.RemoteAddr, RequestURI: r.RequestURI, TLS: r.TLS, Body: http.NoBody,
	}
	return k.WithContext(context.WithoutCancel(r.Context()))
}

func (srv *Server) find(sid string) *session {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return srv.sessions[sid]
}

func (srv *Server) forget(s *session) {
	srv.mu.Lock()
	delete(srv.sessions, s.id)
	srv.mu.Unlock()
	s.shard.remove(s)
}

// over is called when nothing of a session is left.
func (srv *Server) over(s *session) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	srv.alive--
	if srv.from[s.address]--; srv.from[s.address] == 0 {
		delete(srv.from, s.address)
	}
	if srv.closing && srv.alive == 0 {
		close(srv.empty)
	}
}

// randomID has 144 bits.
func randomID() string {
	var b [18]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}
