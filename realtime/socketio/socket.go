package socketio

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Socket is one connected user. Its methods may be called from anywhere, also when it is
// gone: they then do nothing.
type Socket struct {
	session *session
	id      string
	user    any

	mu      sync.Mutex
	left    bool
	rooms   []*membership
	nextAck int64
	pending map[int64]*pendingAck
}

// ID names the socket; other clients may know it.
func (s *Socket) ID() string { return s.id }

// User is what Authenticate returned.
func (s *Socket) User() any { return s.user }

// Emit sends an event. It returns at once; the error is about the event, never about
// the client.
func (s *Socket) Emit(name string, args ...any) error {
	m, err := encodeEvent(s.session.server.o.MaxMessage, noAck, name, args)
	if err != nil {
		return err
	}
	s.session.send(m)
	return nil
}

// EmitLatest is Emit for a value of which only the newest counts: it takes the place of
// one with the same key that waits for this client.
func (s *Socket) EmitLatest(key, name string, args ...any) error {
	m, err := encodeEvent(s.session.server.o.MaxMessage, noAck, name, args)
	if err != nil {
		return err
	}
	m.latest = latest{nil, key}
	s.session.send(m)
	return nil
}

// Join puts the socket into a room: it gets what is emitted there from now on. To join
// twice is to join once.
func (s *Socket) Join(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left || s.find(room) >= 0 {
		return
	}
	srv := s.session.server
	m := srv.rooms.enter(room, s, len(srv.shards))
	s.rooms = append(s.rooms, m)
	s.session.shard.post(job{kind: jobEnter, member: m})
}

// Leave takes the socket out of a room. What was emitted before may still reach it.
func (s *Socket) Leave(room string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(room)
	if at < 0 {
		return
	}
	m := s.rooms[at]
	s.rooms = append(s.rooms[:at], s.rooms[at+1:]...)
	s.exit(m)
}

// Rooms returns the rooms the socket is in.
func (s *Socket) Rooms() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, len(s.rooms))
	for i, m := range s.rooms {
		names[i] = m.room.name
	}
	return names
}

// Disconnect tells the client that it is not wanted any more: it does not come back by
// itself. For logout and suspension.
func (s *Socket) Disconnect() { s.session.dismiss() }

// Drop closes the transport: the client connects again by itself. For a restart, or for
// a client that should begin anew.
func (s *Socket) Drop() { s.session.drop() }

func (s *Socket) find(room string) int {
	for i, m := range s.rooms {
		if m.room.name == room {
			return i
		}
	}
	return -1
}

func (s *Socket) exit(m *membership) {
	s.session.server.rooms.leave(m)
	s.session.shard.post(job{kind: jobLeave, member: m})
}

// gone takes leave of the rooms and tells the application.
func (s *Socket) gone(reason string) {
	s.mu.Lock()
	s.left = true
	for _, m := range s.rooms {
		s.exit(m)
	}
	pending := s.pending
	s.rooms, s.pending = nil, nil
	s.mu.Unlock()
	srv := s.session.server
	srv.sockets.Add(-1)
	for _, p := range pending {
		p.finish(nil, ErrGone)
	}
	if srv.o.OnDisconnect != nil {
		srv.o.OnDisconnect(s, reason)
	}
}

// event hands an event to the application. The session's packets wait meanwhile.
func (s *Socket) event(p packet) {
	ack := s.ack(p.ack)
	o := &s.session.server.o
	if o.Allow != nil {
		if refusal, ok := o.Allow(s, p.name); !ok {
			ack(refusal)
			return
		}
	}
	if o.OnEvent != nil {
		o.OnEvent(s, p.name, p.args, ack)
	}
}

func (s *Socket) ack(id int64) func(any) {
	if id == noAck {
		return func(any) {}
	}
	var once sync.Once
	return func(value any) {
		once.Do(func() {
			m, err := encode(s.session.server.o.MaxMessage, packetAck, id, []any{value})
			if err != nil {
				s.session.server.o.Log.Error("socketio: an answer was not sent", "error", err.Error())
				return
			}
			s.session.answer(m)
		})
	}
}

var (
	// ErrGone is given to EmitAck's function when the socket went before it answered.
	ErrGone = errors.New("socketio: the socket is gone")
	// ErrTimeout is given to EmitAck's function when there was no answer in time.
	ErrTimeout = errors.New("socketio: no answer in time")
	// ErrTooManyAcks is returned while a client owes too many answers.
	ErrTooManyAcks = errors.New("socketio: too many answers outstanding")
)

type pendingAck struct {
	once     sync.Once
	timer    *time.Timer
	answered func([]json.RawMessage, error)
}

func (p *pendingAck) finish(args []json.RawMessage, err error) {
	p.once.Do(func() {
		p.timer.Stop()
		p.answered(args, err)
	})
}

// EmitAck sends an event and calls answered once: with the client's answer, or with
// ErrTimeout or ErrGone. answered should return at once.
func (s *Socket) EmitAck(timeout time.Duration, answered func(args []json.RawMessage, err error), name string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return ErrGone
	}
	if len(s.pending) >= pendingAcks {
		return ErrTooManyAcks
	}
	id := s.nextAck
	m, err := encodeEvent(s.session.server.o.MaxMessage, id, name, args)
	if err != nil {
		return err
	}
	s.nextAck++
	p := &pendingAck{answered: answered}
	p.timer = time.AfterFunc(timeout, func() {
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
		s.session.protect(func() { p.finish(nil, ErrTimeout) })
	})
	if s.pending == nil {
		s.pending = map[int64]*pendingAck{}
	}
	s.pending[id] = p
	s.session.send(m)
	return nil
}

// answered is called for a client's answer; one nobody waits for is nothing.
func (s *Socket) answered(p packet) {
	s.mu.Lock()
	waiting := s.pending[p.ack]
	delete(s.pending, p.ack)
	s.mu.Unlock()
	if waiting != nil {
		waiting.finish(p.args, nil)
	}
}
