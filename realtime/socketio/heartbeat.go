package socketio

import "time"

// heartbeat is what a shard knows of its own ticks.
type heartbeat struct {
	last  time.Time
	grace time.Time // nobody is declared dead before
}

var pingMessage = textMessage(string(enginePing))

// tick looks after every session of the shard: pings, silence, and sessions that were
// given some time and have had it.
func (s *shard) tick(beat *heartbeat) {
	now := s.server.o.now()
	if now.Sub(beat.last) > s.server.o.PingTimeout/2 {
		// It was us who slept: a stopped process, a starved machine. What the clients said
		// meanwhile has not been read yet.
		beat.grace = now.Add(s.server.o.PingTimeout)
	}
	beat.last = now
	var forget []*session
	s.sessionsMu.Lock()
	for session := range s.sessions {
		if session.tick(now, now.After(beat.grace)) {
			forget = append(forget, session)
		}
	}
	s.sessionsMu.Unlock()
	for _, session := range forget {
		session.forget()
	}
}

// tick is called by the shard: it must not wait. True means that the session is to be
// forgotten: a polling client that never fetched its goodbye.
func (s *session) tick(now time.Time, mayDie bool) (forget bool) {
	o := &s.server.o
	s.mu.Lock()
	ended, until, polling := s.ended, s.until, s.conn == nil
	s.mu.Unlock()
	switch {
	case ended:
		return polling && now.After(until)
	case !until.IsZero() && now.After(until):
		s.end("connect timeout", codePolicy) // or the time to hang up
	case mayDie && now.Sub(s.lastHeard()) > o.PingInterval+o.PingTimeout:
		s.abort("ping timeout")
	case s.eio == 4 && now.Sub(s.pinged) >= o.PingInterval:
		s.pinged = now
		s.send(pingMessage)
	}
	return false
}
