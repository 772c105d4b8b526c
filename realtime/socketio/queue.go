package socketio

import (
	"sync"
	"time"
)

// queue is what a client has not taken yet.
type queue struct {
	entries []entry
	bytes   int
}

type entry struct {
	*message
	sent    int  // bytes of the frame that are written already
	answers bool // several answers in one, for a websocket
}

// push adds a message, in the place of an older value of the same thing if there is one
// that has not been started. False: the client is too far behind.
func (q *queue) push(m *message, sent int) bool {
	if m.latest.key != "" {
		for i, e := range q.entries {
			if e.latest == m.latest && e.sent == 0 {
				q.entries = append(q.entries[:i], q.entries[i+1:]...)
				q.bytes -= len(e.frame)
				break
			}
		}
	}
	if len(q.entries) >= queuedFrames || q.bytes+len(m.frame) > queuedBytes {
		return false
	}
	q.entries = append(q.entries, entry{message: m, sent: sent})
	q.bytes += len(m.frame)
	return true
}

// answer adds an answer to what the client asked, for a websocket: to the answers that
// wait already, so that a burst of them is one entry and goes out in one write.
func (q *queue) answer(m *message) bool {
	if n := len(q.entries); n > 0 && q.entries[n-1].answers && q.entries[n-1].sent == 0 && q.bytes+len(m.frame) <= queuedBytes {
		last := &q.entries[n-1]
		last.message = &message{frame: append(last.frame, m.frame...)}
		q.bytes += len(m.frame)
		return true
	}
	if !q.push(m, 0) {
		return false
	}
	q.entries[len(q.entries)-1].answers = true
	return true
}

// append adds a last message, past the bounds too.
func (q *queue) append(m *message) {
	q.entries = append(q.entries, entry{message: m})
	q.bytes += len(m.frame)
}

// frames appends to b what is to be written next, until it holds a chunk.
func (q *queue) frames(b []byte) []byte {
	for _, e := range q.entries {
		if len(b) >= chunkBytes {
			break
		}
		b = append(b, e.frame[e.sent:]...)
	}
	return b
}

// written takes the first n bytes of what was to be written off the queue.
func (q *queue) written(n int) {
	done := 0
	for ; done < len(q.entries); done++ {
		e := &q.entries[done]
		left := len(e.frame) - e.sent
		if n < left {
			e.sent += n
			break
		}
		n -= left
		q.bytes -= len(e.frame)
	}
	if done == len(q.entries) {
		*q = queue{}
	} else {
		q.entries = append(q.entries[:0], q.entries[done:]...)
	}
}

// takePayload moves everything to a polled payload.
func (q *queue) takePayload(eio int) []byte {
	var body []byte
	for _, e := range q.entries {
		if e.text != nil {
			body = appendPayload(body, e.text, eio)
		}
	}
	*q = queue{}
	return body
}

var (
	writers = sync.Pool{New: func() any { return newTryWriter() }}
	chunks  = sync.Pool{New: func() any { return new([]byte) }}
)

// send gives the client a message.
func (s *session) send(m *message) {
	w := writers.Get().(*tryWriter)
	s.deliver(w, []*message{m}, m.frame)
	writers.Put(w)
}

// answer gives the client an answer. It is written by another goroutine, a moment later,
// so that answers that are ready together travel together: who waits for positions to be
// in the database gets hundreds at once.
func (s *session) answer(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.dismissed {
		return
	}
	push := s.queue.answer
	if s.conn == nil {
		push = func(m *message) bool { return s.queue.push(m, 0) }
	}
	if !push(m) && !(s.relieveLocked() && push(m)) {
		s.tooSlowLocked()
		return
	}
	s.flushLocked()
}

// deliver gives the client messages; all is their frames in one piece. It never waits: a
// websocket that has nothing queued is written to right here, as far as the kernel takes
// it, and the rest queues.
func (s *session) deliver(w *tryWriter, messages []*message, all []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.dismissed {
		return
	}
	written := 0
	if s.conn != nil && s.conn.raw != nil && !s.stalled && len(s.queue.entries) == 0 {
		var err error
		if written, err = w.write(s.conn.raw, all); err != nil {
			s.abortLocked("transport error")
			return
		}
		if written == len(all) {
			return
		}
	}
	for _, m := range messages {
		if written >= len(m.frame) {
			written -= len(m.frame)
			continue
		}
		if !s.queue.push(m, written) && !(s.relieveLocked() && s.queue.push(m, written)) {
			s.tooSlowLocked()
			return
		}
		written = 0
	}
	s.flushLocked()
}

// relieveLocked writes what is queued, as far as the kernel takes it, in the place of a
// goroutine that has not come round to it yet: a client is not slow because this machine
// is. False: the client is, or was before.
func (s *session) relieveLocked() bool {
	if s.conn == nil || s.conn.raw == nil || s.stalled {
		return false
	}
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	w := writers.Get().(*tryWriter)
	defer writers.Put(w)
	if err := s.writeLocked(s.conn, w, chunk); err != nil {
		s.abortLocked("transport error")
		return false
	}
	return true
}

// writeLocked writes what is queued until nothing is left or the kernel takes no more.
func (s *session) writeLocked(c *wsConn, w *tryWriter, chunk *[]byte) error {
	for c.raw != nil && len(s.queue.entries) > 0 {
		*chunk = s.queue.frames((*chunk)[:0])
		n, err := w.write(c.raw, *chunk)
		if err != nil {
			return err
		}
		s.queue.written(n)
		if n < len(*chunk) {
			return nil
		}
	}
	return nil
}

func (s *session) tooSlowLocked() {
	if s.ended {
		return // the connection broke, which is another thing
	}
	s.server.slow.Add(1)
	s.abortLocked("slow consumer")
}

// flushLocked gets what is queued under way.
func (s *session) flushLocked() {
	switch {
	case s.conn == nil:
		s.wakeLocked()
	case !s.draining && len(s.queue.entries) > 0:
		s.draining = true
		go s.drain(s.conn)
	}
}

// drain writes what is queued, and waits for a client that does not take it at once.
func (s *session) drain(c *wsConn) {
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	w := writers.Get().(*tryWriter)
	defer writers.Put(w)
	for {
		s.mu.Lock()
		if err := s.writeLocked(c, w, chunk); err != nil {
			s.abortLocked("transport error")
		}
		if len(s.queue.entries) == 0 {
			s.draining = false
			if s.ended {
				c.endOfWriting()
			}
			s.mu.Unlock()
			return
		}
		*chunk = s.queue.frames((*chunk)[:0])
		s.queue.written(len(*chunk))
		s.stalled = true
		patience := s.server.o.WriteTimeout
		if s.ended {
			patience = lingerTime
		}
		_ = c.net.SetWriteDeadline(time.Now().Add(patience))
		s.mu.Unlock()
		if _, err := c.net.Write(*chunk); err != nil {
			s.abort("transport error")
			return // stalled stays: nobody writes to this connection again
		}
		s.mu.Lock()
		_ = c.net.SetWriteDeadline(time.Time{}) // it would fail the next write, however late
		s.stalled = false
		s.mu.Unlock()
	}
}
