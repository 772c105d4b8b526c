package socketio

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// wakeLocked lets the GET that waits have a look.
func (s *session) wakeLocked() {
	if s.waiting != nil {
		select {
		case s.waiting <- struct{}{}:
		default:
		}
	}
}

// poll answers a GET: with what is queued, or when there is something.
func (s *session) poll(w http.ResponseWriter, r *http.Request) {
	s.hear()
	wake := make(chan struct{}, 1)
	s.mu.Lock()
	if s.conn != nil || s.waiting != nil || s.forgotten {
		overlap := s.waiting != nil
		s.mu.Unlock()
		if overlap {
			s.end("two polls at once", codeProtocol)
		}
		fail(w, errBadRequest)
		return
	}
	s.waiting, s.release = wake, false
	s.mu.Unlock()

	// However long this waits, it is not the HTTP server's timeouts that end it.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	body, over := s.nextPayload(r, wake)
	if body == nil {
		return
	}
	_ = control.SetWriteDeadline(time.Now().Add(s.server.o.WriteTimeout))
	s.hear()
	err := answer(w, "text/plain; charset=UTF-8", body)
	switch {
	case over:
		s.forget()
	case err != nil:
		s.end("transport error", codeProtocol)
	}
}

// nextPayload waits. The body is nil if the client hung up; over means that nothing
// comes after it.
func (s *session) nextPayload(r *http.Request, wake chan struct{}) (body []byte, over bool) {
	var hold <-chan time.Time // while a websocket is tried, a GET is kept for a moment only
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.waiting = nil }()
	for {
		switch {
		case s.conn != nil, s.release && len(s.queue.entries) == 0 && !s.ended:
			return appendPayload(nil, noopMessage.text, s.eio), false
		case len(s.queue.entries) > 0:
			return s.queue.takePayload(s.eio), s.ended
		case s.ended:
			return appendPayload(nil, closeMessage.text, s.eio), true
		case s.probed && hold == nil:
			hold = time.After(probeHold)
		}
		s.mu.Unlock()
		select {
		case <-wake:
			s.mu.Lock()
		case <-hold:
			s.mu.Lock()
			s.release = true
		case <-r.Context().Done():
			s.mu.Lock()
			if s.conn == nil {
				s.abortLocked("transport close")
			}
			return nil, true
		}
	}
}

// post handles what a polling client sends.
func (s *session) post(w http.ResponseWriter, r *http.Request) {
	s.hear()
	s.mu.Lock()
	refused, overlap := s.conn != nil || s.ended, s.posting
	if !refused && !overlap {
		s.posting = true
	}
	s.mu.Unlock()
	if overlap && !refused {
		s.end("two posts at once", codeProtocol)
	}
	if refused || overlap {
		fail(w, errBadRequest)
		return
	}
	defer func() {
		s.mu.Lock()
		s.posting = false
		s.mu.Unlock()
	}()
	packets, err := s.readPost(w, r)
	if err != nil {
		s.end("parse error", codeProtocol)
		var wire *wireError
		if errors.As(err, &wire) && wire.code == codeTooLarge {
			fail(w, errTooLarge)
		} else {
			fail(w, errBadRequest)
		}
		return
	}
	s.hear()
	for _, packet := range packets {
		s.handle(packet)
	}
	_ = answer(w, "text/html", []byte("ok"))
}

// readPost reads a body of several packets: 2.x and 3.x clients send all they have at once.
func (s *session) readPost(w http.ResponseWriter, r *http.Request) ([][]byte, error) {
	limit := 4 * s.server.o.MaxMessage
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.server.o.WriteTimeout))
	if r.Header.Get("Content-Type") == "application/octet-stream" {
		return nil, errPayload
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > limit:
		return nil, &wireError{codeTooLarge, "a body too large"}
	case !utf8.Valid(body):
		return nil, errPayload
	}
	return parsePayload(body, s.eio, s.server.o.MaxMessage)
}

func answer(w http.ResponseWriter, contentType string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, err := w.Write(body)
	return err
}
