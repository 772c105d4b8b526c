package socketio

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// accept answers a websocket's handshake and takes the connection over. The answer, on
// failure, has been written.
func (srv *Server) accept(w http.ResponseWriter, r *http.Request) (*wsConn, error) {
	key := r.Header.Get("Sec-WebSocket-Key")
	nonce, err := base64.StdEncoding.DecodeString(key)
	if err != nil || len(nonce) != 16 || r.Method != http.MethodGet || !r.ProtoAtLeast(1, 1) ||
		r.Header.Get("Sec-WebSocket-Version") != "13" || !hasToken(r, "Connection", "upgrade") || !hasToken(r, "Upgrade", "websocket") {
		fail(w, errBadRequest)
		return nil, errBadRequest
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2
		fail(w, errBadRequest)
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(srv.o.WriteTimeout)) // instead of those the HTTP server had set
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, err = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
		base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return newWSConn(conn, alreadyRead(buffered.Reader), srv.o.MaxMessage, srv.o.slowWrites), nil
}

func alreadyRead(r *bufio.Reader) []byte {
	b, _ := r.Peek(r.Buffered())
	return b
}

func hasToken(r *http.Request, header, token string) bool {
	for _, value := range r.Header.Values(header) {
		for part := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// read handles what comes over the session's websocket until it is over.
func (s *session) read(c *wsConn) {
	defer func() {
		_ = c.net.Close()
		s.forget()
	}()
	for {
		op, payload, err := c.next()
		if err != nil {
			s.unreadable(c, err)
			return
		}
		s.hear()
		if s.hasEnded() {
			linger(c.net)
			return
		}
		switch op {
		case opText:
			s.handle(payload)
		case opPing, opPong:
			s.control(op, payload)
		case opClose:
			code := uint16(codeNoCode)
			if len(payload) >= 2 {
				code = binary.BigEndian.Uint16(payload)
			}
			s.end("transport close", code)
		}
	}
}

// control answers a websocket's own ping. Those count as packets.
func (s *session) control(op byte, payload []byte) {
	s.handling.Lock()
	defer s.handling.Unlock()
	if !s.bucket.take(s.server.o.now(), s.server.o.PacketRate, s.server.o.PacketBurst) {
		s.end("too many packets", codePolicy)
	} else if op == opPing {
		s.send(controlMessage(newFrame(opPong, payload)))
	}
}

// unreadable ends a session whose client said something impossible, or nothing more.
func (s *session) unreadable(c *wsConn, err error) {
	var wire *wireError
	if errors.As(err, &wire) {
		s.end("parse error", wire.code)
		linger(c.net)
		return
	}
	reason := "transport error"
	if errors.Is(err, io.EOF) {
		reason = "transport close"
	}
	s.abort(reason)
}

// linger throws away what a client still sends, so that it can read why it is cut off.
func linger(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, onlyReader{c}, lingerBytes)
}

// onlyReader keeps io.Copy from using more of a connection than its Read.
type onlyReader struct{ io.Reader }
