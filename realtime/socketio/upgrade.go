package socketio

import (
	"net/http"
	"time"
)

var (
	probeAnswer = newFrame(opText, []byte("3probe"))
	noopMessage = textMessage(string(engineNoop))
)

// upgrade takes a websocket that may become the transport of a polling session.
func (srv *Server) upgrade(w http.ResponseWriter, r *http.Request, s *session) {
	s.mu.Lock()
	refused := s.conn != nil || s.upgrading || s.ended
	if !refused {
		s.upgrading = true
	}
	s.mu.Unlock()
	if refused {
		fail(w, errBadRequest)
		return
	}
	c, err := srv.accept(w, r)
	if err != nil {
		s.notUpgraded()
		return
	}
	go s.probe(c)
}

// probe waits for the client to try the websocket and to decide for it. Until it has, the
// session goes on polling and nothing but the probe's answer is written to the websocket.
func (s *session) probe(c *wsConn) {
	if s.tryProbe(c) {
		s.read(c)
		return
	}
	_ = c.net.Close()
	s.notUpgraded()
}

func (s *session) tryProbe(c *wsConn) (adopted bool) {
	s.mu.Lock()
	ended := s.ended
	s.probing = c
	s.mu.Unlock()
	if ended {
		return false
	}
	_ = c.net.SetReadDeadline(time.Now().Add(s.server.o.UpgradeTimeout))
	for probed := false; ; {
		op, payload, err := c.next()
		if err != nil || op == opClose {
			return false
		}
		s.hear() // it holds its pongs back meanwhile
		switch {
		case op == opPing:
			if c.writeWaiting(newFrame(opPong, payload), s.server.o.WriteTimeout) != nil {
				return false
			}
		case op == opPong:
		case !probed && string(payload) == "2probe":
			probed = true
			if !s.startProbe() || c.writeWaiting(probeAnswer, s.server.o.WriteTimeout) != nil {
				return false
			}
		case probed && string(payload) == string(engineUpgrade):
			return s.adopt(c)
		default:
			return false
		}
	}
}

// startProbe sends the GET that waits home: the client wants it back before it decides.
func (s *session) startProbe() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed = !s.ended
	s.release = s.waiting != nil
	s.wakeLocked()
	return s.probed
}

// adopt makes the websocket the session's transport.
func (s *session) adopt(c *wsConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	_ = c.net.SetReadDeadline(time.Time{})
	s.wakeLocked()
	s.conn, s.probing, s.upgrading, s.probed = c, nil, false, false
	s.flushLocked()
	return true
}

func (s *session) notUpgraded() {
	s.mu.Lock()
	s.upgrading, s.probed, s.probing = false, false, nil
	s.wakeLocked()
	s.mu.Unlock()
}
