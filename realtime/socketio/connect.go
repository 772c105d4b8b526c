package socketio

import (
	"encoding/json"
	"time"
)

// elsewhere answers what is for another namespace.
func (s *session) elsewhere(p packet) error {
	if p.kind != packetConnect {
		return nil
	}
	name, _ := json.Marshal(p.namespace) // to be no more than a name between the others
	text := string(engineMessage) + string(packetError) + string(name[1:len(name)-1]) + ","
	if s.eio == 3 {
		s.send(textMessage(text + `"Invalid namespace"`))
	} else {
		s.send(textMessage(text + `{"message":"Invalid namespace"}`))
	}
	return nil
}

// connect lets the client in or tells it why not. The caller holds s.handling, so that a
// session that ends meanwhile takes its socket away afterwards: each user whom
// Authenticate accepts is connected, and disconnected.
func (s *session) connect(auth json.RawMessage) {
	if s.hasEnded() {
		return // it may have been taken leave of already
	}
	user, refusal := s.server.o.Authenticate(s.request, auth)
	if refusal != nil {
		s.refuse(refusal)
		return
	}
	socket := &Socket{session: s, id: randomID(), user: user}
	s.mu.Lock()
	if !s.ended {
		s.until = time.Time{}
	}
	s.mu.Unlock()
	s.socket, s.request = socket, nil
	s.server.sockets.Add(1)
	if s.eio == 3 {
		s.send(textMessage("40"))
	} else {
		s.send(textMessage(`40{"sid":"` + socket.id + `"}`))
	}
	if f := s.server.o.OnConnect; f != nil {
		f(socket)
	}
}

// refuse leaves it to the client to hang up; the connect timeout ends the session if it
// does not. It may try again meanwhile, a few times.
func (s *session) refuse(r *Refusal) {
	var value any = struct {
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{r.Message, r.Data}
	if s.eio == 3 {
		value = r.Message
		if r.Data != nil {
			value = r.Data
		}
	}
	m, err := encode(s.server.o.MaxMessage, packetError, noAck, value)
	if err != nil {
		s.end("refused", codePolicy)
		return
	}
	s.server.refused.Add(1)
	s.send(m)
	if s.refusals++; s.refusals > 4 {
		s.end("refused", codePolicy)
	}
}
