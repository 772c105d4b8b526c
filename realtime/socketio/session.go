package socketio

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// session is a client's connection as Engine.IO sees it: it begins with a handshake and
// may change from polling to a websocket. Its socket is what the application sees of it.
type session struct {
	server  *Server
	shard   *shard
	id      string // a secret: who knows it can speak for the client
	address string
	eio     int // 3 for 2.x clients, 4 for later ones
	heard   atomic.Int64
	parts   atomic.Int32 // what has to end before it is over: the transport, the socket
	pinged  time.Time    // the shard's goroutine's

	handling sync.Mutex // held while something the client sent is handled
	socket   *Socket    // nil before CONNECT is accepted and after it left
	request  *http.Request
	refusals int
	bucket   bucket

	mu        sync.Mutex // guards the rest; nobody waits for anything while holding it
	queue     queue
	conn      *wsConn // nil while polling
	draining  bool    // a goroutine writes what is queued, or is about to
	stalled   bool    // and waits for the client to take it
	upgrading bool
	probed    bool
	probing   *wsConn
	waiting   chan struct{} // wakes the GET that waits
	release   bool          // send that GET home
	posting   bool
	dismissed bool // told not to come back: nothing it says counts any more
	ended     bool
	forgotten bool
	reason    string
	until     time.Time // to connect until, or once ended to be fetched until; zero is for ever
}

func (s *session) hear() { s.heard.Store(int64(s.server.o.now().Sub(s.server.began))) }

func (s *session) lastHeard() time.Time { return s.server.began.Add(time.Duration(s.heard.Load())) }

func (s *session) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

var closeMessage = textMessage(string(engineClose))

// end closes the session in good order: what is queued, then a close frame or a close
// packet, then the transport. It does not wait.
func (s *session) end(reason string, code uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.endLocked(reason)
	if s.conn == nil {
		s.queue.append(closeMessage)
	} else {
		s.queue.append(controlMessage(closeFrame(code)))
		if s.stalled {
			_ = s.conn.net.SetWriteDeadline(time.Now().Add(lingerTime))
		}
	}
	s.flushLocked()
}

func (s *session) drop() { s.end("dropped by the server", codeGoingAway) }

// abort closes the session at once; what is queued is lost.
func (s *session) abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abortLocked(reason)
}

func (s *session) abortLocked(reason string) {
	if !s.ended {
		s.endLocked(reason)
	}
	s.queue = queue{}
	s.until = s.server.began // the next tick forgets it, if it polls
	s.wakeLocked()
	if s.conn != nil {
		go s.conn.abort() // closing waits until readers and writers have noticed
	}
}

func (s *session) endLocked(reason string) {
	if !s.dismissed {
		s.reason = reason
	}
	s.ended, s.until = true, s.server.o.now().Add(farewellTime)
	if s.probing != nil {
		go s.probing.abort()
	}
	go s.depart()
}

var disconnectMessage = textMessage("41")

// dismiss tells the client not to come back and leaves it a moment to hang up: 4.x clients
// look at packets later than at the end of their transport, and one that came with it
// would make them reconnect.
func (s *session) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.dismissed {
		return
	}
	s.queue.append(disconnectMessage)
	s.flushLocked()
	s.dismissed, s.reason, s.until = true, "server namespace disconnect", s.server.o.now().Add(lingerTime)
	s.parts.Add(1)
	go s.depart()
}

// depart tells the application, after the packet that is being handled.
func (s *session) depart() {
	s.handling.Lock()
	s.mu.Lock()
	reason := s.reason
	s.mu.Unlock()
	s.leave(reason)
	s.request = nil
	s.handling.Unlock()
	s.done()
}

// leave takes the socket off the session. The caller holds s.handling.
func (s *session) leave(reason string) {
	if socket := s.socket; socket != nil {
		s.socket = nil
		s.protect(func() { socket.gone(reason) })
	}
}

// forget takes the session off the tables: its transport is gone.
func (s *session) forget() {
	s.mu.Lock()
	first := !s.forgotten
	s.forgotten = true
	s.mu.Unlock()
	if first {
		s.server.forget(s)
		s.done()
	}
}

func (s *session) done() {
	if s.parts.Add(-1) == 0 {
		s.server.over(s)
	}
}

// handle does one engine packet of the client.
func (s *session) handle(b []byte) {
	s.handling.Lock()
	defer s.handling.Unlock()
	s.mu.Lock()
	ended, dismissed := s.ended, s.dismissed
	s.mu.Unlock()
	if dismissed && len(b) > 0 && b[0] == engineClose {
		s.end("", codeNormal)
	}
	if ended || dismissed {
		return
	}
	if !s.bucket.take(s.server.o.now(), s.server.o.PacketRate, s.server.o.PacketBurst) {
		s.end("too many packets", codePolicy)
		return
	}
	s.protect(func() {
		if err := s.engine(b); err != nil {
			s.end("parse error", codeProtocol)
		}
	})
}

func (s *session) engine(b []byte) error {
	if len(b) == 0 {
		return errPacket
	}
	switch b[0] {
	case engineMessage:
		p, err := parsePacket(b[1:])
		if err != nil {
			return err
		}
		return s.packet(p)
	case enginePing: // from 2.x clients only: with later ones it is the server who pings
		if s.eio != 3 {
			return errPacket
		}
		s.send(textMessage(string(enginePong) + string(b[1:])))
	case enginePong:
		if s.eio != 4 {
			return errPacket
		}
	case engineClose:
		s.end("transport close", codeNormal)
	case engineNoop:
	default:
		return errPacket
	}
	return nil
}

func (s *session) packet(p packet) error {
	if p.namespace != "/" {
		return s.elsewhere(p)
	}
	switch {
	case p.kind == packetConnect && s.eio == 3: // the server connects those by itself
		return nil
	case p.kind == packetConnect:
		if s.request == nil {
			return errPacket // it is connected, or was
		}
		s.connect(p.data)
	case s.socket == nil:
		return errPacket
	case p.kind == packetDisconnect:
		s.mu.Lock()
		s.until = s.server.o.now().Add(s.server.o.ConnectTimeout) // to hang up
		s.mu.Unlock()
		s.leave("client namespace disconnect")
	case p.kind == packetEvent:
		s.socket.event(p)
	case p.kind == packetAck:
		s.socket.answered(p)
	}
	return nil
}

// protect calls into the application. A panic there ends this session and no other.
func (s *session) protect(f func()) {
	defer func() {
		if p := recover(); p != nil {
			s.server.o.Log.Error("socketio: panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.end("server error", codeInternal)
		}
	}()
	f()
}
