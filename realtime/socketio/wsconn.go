package socketio

import (
	"net"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// wsConn is a websocket after its handshake. One goroutine reads it; who writes is the
// session's business.
type wsConn struct {
	net net.Conn
	raw syscall.RawConn // nil where there is none

	limit int
	buf   []byte // read and not yet parsed; nil while waiting for more, where it can be
	start int    // of what is not yet parsed in buf
	parts []byte // of a message in pieces
	piece byte   // its op; 0 outside of one
}

// readBuffers hold what comes in while it is looked at. A connection that waits has none.
var readBuffers = sync.Pool{New: func() any { return new([readSize]byte) }}

const (
	readSize  = 4 << 10
	smallRead = 512 // held by a connection that cannot wait without a buffer
)

func newWSConn(c net.Conn, already []byte, limit int, slow bool) *wsConn {
	w := &wsConn{net: c, limit: limit}
	if !slow {
		w.raw = rawConn(c)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	if len(already) > 0 { // the client's first packets came with its handshake
		w.buf = append(make([]byte, 0, max(len(already), smallRead)), already...)
	}
	return w
}

// next returns the client's next message or control frame, valid until it is called again.
func (w *wsConn) next() (op byte, payload []byte, err error) {
	for {
		f, n, need, err := parseFrame(w.buf[w.start:], w.limit-len(w.parts))
		if err != nil {
			return 0, nil, err
		}
		if n == 0 {
			if err := w.fill(need); err != nil {
				return 0, nil, err
			}
			continue
		}
		w.start += n
		op, payload, err = w.assemble(f)
		if err != nil || payload != nil {
			return op, payload, err
		}
	}
}

// assemble returns a message when its last piece is there, and control frames, which may
// come between pieces, at once. The payload is nil while there is nothing to return.
func (w *wsConn) assemble(f frame) (byte, []byte, error) {
	switch {
	case f.op == opClose:
		return f.op, f.payload, checkClose(f.payload)
	case f.op > opClose:
		return f.op, f.payload, nil
	case (f.op == opContinue) != (w.piece != 0):
		return 0, nil, &wireError{codeProtocol, "pieces in the wrong order"}
	case f.op == opBinary:
		return 0, nil, &wireError{codeUnsupported, "binary is not served"}
	}
	if f.op == opText && f.final {
		return checkText(f.payload)
	}
	w.parts = append(w.parts, f.payload...)
	w.piece = opText
	if !f.final {
		return 0, nil, nil
	}
	whole := w.parts
	w.parts, w.piece = nil, 0
	if whole == nil {
		whole = []byte{}
	}
	return checkText(whole)
}

// checkText: a browser hangs up on text that is not UTF-8, and what one client sends is
// sent on to others.
func checkText(b []byte) (byte, []byte, error) {
	if !utf8.Valid(b) {
		return 0, nil, &wireError{codeNotUTF8, "text that is not UTF-8"}
	}
	return opText, b, nil
}

// fill reads until there are need bytes to parse, which is at most a message's limit and
// its header.
func (w *wsConn) fill(need int) error {
	for len(w.buf)-w.start < need {
		if w.start > 0 {
			w.buf = w.buf[:copy(w.buf, w.buf[w.start:])]
			w.start = 0
		}
		var n int
		var err error
		if w.raw != nil {
			n, err = readWaiting(w.raw, func() []byte { return w.room(need, readSize) }, w.release)
		} else {
			n, err = w.net.Read(w.room(need, smallRead))
		}
		if err != nil {
			w.release()
			return err
		}
		w.buf = w.buf[:len(w.buf)+n]
	}
	return nil
}

// room returns where to read to, within a buffer that will hold need bytes.
func (w *wsConn) room(need, usual int) []byte {
	if len(w.buf) == 0 && need <= usual {
		if w.buf == nil && usual == readSize {
			w.buf = readBuffers.Get().(*[readSize]byte)[:0]
		} else if cap(w.buf) == 0 {
			w.buf = make([]byte, 0, usual)
		}
	}
	if cap(w.buf) < need {
		w.buf = append(make([]byte, 0, need), w.buf...)
	}
	return w.buf[len(w.buf):cap(w.buf)]
}

// release gives an empty buffer back.
func (w *wsConn) release() {
	if len(w.buf) > 0 || w.buf == nil {
		return
	}
	if cap(w.buf) == readSize {
		readBuffers.Put((*[readSize]byte)(w.buf[:readSize]))
		w.buf = nil
	} else if cap(w.buf) > smallRead || w.raw != nil {
		w.buf = nil
	}
}

// writeWaiting writes before the session has taken the connection over: by its reader.
func (w *wsConn) writeWaiting(frame []byte, patience time.Duration) error {
	_ = w.net.SetWriteDeadline(time.Now().Add(patience))
	_, err := w.net.Write(frame)
	_ = w.net.SetWriteDeadline(time.Time{})
	return err
}

// endOfWriting tells the peer that nothing more comes and gives it a moment to go. To
// close at once would make the kernel throw the last frames away if the peer still sends.
func (w *wsConn) endOfWriting() {
	if half, ok := w.net.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = w.net.SetReadDeadline(time.Now().Add(lingerTime))
}

// abort closes without waiting for what the kernel still holds.
func (w *wsConn) abort() {
	if tcp, ok := w.net.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = w.net.Close()
}
