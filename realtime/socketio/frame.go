package socketio

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

const (
	opContinue = 0x0
	opText     = 0x1
	opBinary   = 0x2
	opClose    = 0x8
	opPing     = 0x9
	opPong     = 0xA
)

// Codes of a websocket's close frame.
const (
	codeNormal      = 1000
	codeGoingAway   = 1001
	codeProtocol    = 1002
	codeUnsupported = 1003
	codeNoCode      = 1005
	codeNotUTF8     = 1007
	codePolicy      = 1008
	codeTooLarge    = 1009
	codeInternal    = 1011
)

// wireError is a client's breach of a protocol, and the code to close with.
type wireError struct {
	code uint16
	text string
}

func (e *wireError) Error() string { return fmt.Sprintf("%s (%d)", e.text, e.code) }

// frame is one websocket frame of a client, unmasked.
type frame struct {
	final   bool
	op      byte
	payload []byte // within the bytes it was parsed from
}

// parseFrame takes the frame at the start of b and unmasks it there. n is its length; 0
// means that it is not all there, and that need bytes are wanted at least. Nothing a
// client announces is allocated: a payload over limit is refused by its header.
func parseFrame(b []byte, limit int) (f frame, n, need int, err error) {
	if len(b) < 2 {
		return f, 0, 2, nil
	}
	f.final, f.op = b[0]&0x80 != 0, b[0]&0x0f
	control := f.op >= opClose
	switch {
	case b[0]&0x70 != 0:
		return f, 0, 0, &wireError{codeProtocol, "an extension nobody agreed on"}
	case f.op > opBinary && f.op < opClose || f.op > opPong:
		return f, 0, 0, &wireError{codeProtocol, "an unknown frame"}
	case b[1]&0x80 == 0:
		return f, 0, 0, &wireError{codeProtocol, "a frame without a mask"}
	case control && (!f.final || b[1]&0x7f > 125):
		return f, 0, 0, &wireError{codeProtocol, "a control frame in pieces or too long"}
	}
	header, length := 2, uint64(b[1]&0x7f)
	switch length {
	case 126:
		header = 4
	case 127:
		header = 10
	}
	if len(b) < header {
		return f, 0, header, nil
	}
	switch header {
	case 4:
		length = uint64(binary.BigEndian.Uint16(b[2:]))
	case 10:
		length = binary.BigEndian.Uint64(b[2:])
	}
	if !control && length > uint64(max(limit, 0)) {
		return f, 0, 0, &wireError{codeTooLarge, "a message too large"}
	}
	n = header + 4 + int(length)
	if len(b) < n {
		return f, 0, n, nil
	}
	f.payload = b[header+4 : n : n]
	unmask(f.payload, [4]byte(b[header:header+4]))
	return f, n, 0, nil
}

func unmask(b []byte, key [4]byte) {
	k := binary.LittleEndian.Uint32(key[:])
	for k8 := uint64(k)<<32 | uint64(k); len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^k8)
	}
	for i := range b {
		b[i] ^= key[i&3]
	}
}

// checkClose says whether a close frame is one a client may send.
func checkClose(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	if len(payload) == 1 {
		return &wireError{codeProtocol, "half a close code"}
	}
	switch code := binary.BigEndian.Uint16(payload); {
	case code < 1000, code == 1004, code == codeNoCode, code == 1006, code >= 1015 && code < 3000, code > 4999:
		return &wireError{codeProtocol, "an impossible close code"}
	}
	if !utf8.Valid(payload[2:]) {
		return &wireError{codeNotUTF8, "a close reason that is not UTF-8"}
	}
	return nil
}

// frameHeader is the room appendFrame's header takes at most, for the sizes we send.
const frameHeader = 4

// putHeader writes a server's frame header directly before b[frameHeader:] and returns
// the frame: b has frameHeader bytes of room at its start.
func putHeader(b []byte, op byte) []byte {
	length := len(b) - frameHeader
	if length <= 125 {
		b = b[frameHeader-2:]
		b[1] = byte(length)
	} else {
		b[1] = 126
		binary.BigEndian.PutUint16(b[2:], uint16(length))
	}
	b[0] = 0x80 | op
	return b
}

func newFrame(op byte, payload []byte) []byte {
	return putHeader(append(make([]byte, frameHeader, frameHeader+len(payload)), payload...), op)
}

func closeFrame(code uint16) []byte {
	if code == codeNoCode {
		return newFrame(opClose, nil)
	}
	return newFrame(opClose, binary.BigEndian.AppendUint16(nil, code))
}
