package socketio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Engine packets: the first byte of everything.
const (
	engineOpen    = '0'
	engineClose   = '1'
	enginePing    = '2'
	enginePong    = '3'
	engineMessage = '4'
	engineUpgrade = '5'
	engineNoop    = '6'
)

// Socket packets: the first byte of a message.
const (
	packetConnect    = '0'
	packetDisconnect = '1'
	packetEvent      = '2'
	packetAck        = '3'
	packetError      = '4'
)

const (
	noAck        = -1
	maxNamespace = 4 << 10 // with its query; the answer names it, escaped
)

// ErrReserved is returned for an event name the protocol keeps to itself.
var ErrReserved = errors.New("socketio: reserved event name")

// ErrTooLarge is returned for an event over MaxMessage.
var ErrTooLarge = errors.New("socketio: event too large")

var errPacket = errors.New("socketio: malformed packet")

// reserved are events the client's own code emits: from the wire they would be forgeries.
var reserved = []string{"connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"}

// packet is a socket packet of a client.
type packet struct {
	kind      byte
	namespace string // "/" or another
	ack       int64  // or noAck
	name      string // of an event
	args      []json.RawMessage
	data      json.RawMessage // of a CONNECT
}

// parsePacket reads `<type>[<namespace>,][<ack id>][JSON]`. What it returns does not
// share b.
func parsePacket(b []byte) (p packet, err error) {
	if len(b) == 0 {
		return p, errPacket
	}
	p.kind, p.namespace, p.ack = b[0], "/", noAck
	b = b[1:]
	if len(b) > 0 && b[0] == '/' {
		namespace, rest, _ := bytes.Cut(b, []byte{','})
		if len(namespace) > maxNamespace {
			return p, errPacket
		}
		name, _, _ := strings.Cut(string(namespace), "?") // 2.x sends a query with it
		p.namespace, b = name, rest
	}
	if digits := bytes.IndexFunc(b, func(r rune) bool { return r < '0' || r > '9' }); digits != 0 && len(b) > 0 {
		if digits < 0 {
			digits = len(b)
		}
		id, err := strconv.ParseInt(string(b[:digits]), 10, 64)
		if err != nil || id > math.MaxInt64-1 || p.kind != packetEvent && p.kind != packetAck {
			return p, errPacket
		}
		p.ack, b = id, b[digits:]
	}
	switch p.kind {
	case packetConnect:
		if len(b) == 0 {
			return p, nil
		}
		if b[0] != '{' || !json.Valid(b) {
			return p, errPacket
		}
		p.data = slices.Clone(b)
		return p, nil
	case packetDisconnect:
		if len(b) > 0 {
			return p, errPacket
		}
		return p, nil
	case packetEvent, packetAck:
		return p, p.readArgs(b)
	}
	return p, errPacket // binary, or what only a server sends
}

func (p *packet) readArgs(b []byte) error {
	if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &p.args) != nil {
		return errPacket
	}
	if p.kind == packetAck {
		if p.ack == noAck {
			return errPacket
		}
		return nil
	}
	if len(p.args) == 0 || p.args[0][0] != '"' || json.Unmarshal(p.args[0], &p.name) != nil || slices.Contains(reserved, p.name) {
		return errPacket
	}
	p.args = p.args[1:]
	return nil
}

// message is a packet on its way to clients: encoded once, shared by all of them, never
// changed.
type message struct {
	frame []byte // as a websocket's
	text  []byte // as an engine packet, within frame; nil for a websocket's own frames
	// latest is what this is the newest value of; a queued one with the same is dropped.
	latest latest
}

type latest struct {
	room *room // nil for one socket's own
	key  string
}

func textMessage(text string) *message { return framed(append(make([]byte, frameHeader), text...)) }

// framed makes a message of a text that has room for a header before it.
func framed(b []byte) *message { return &message{frame: putHeader(b, opText), text: b[frameHeader:]} }

func controlMessage(frame []byte) *message { return &message{frame: frame} }

// encodeEvent makes the message of an event.
func encodeEvent(limit int, ack int64, name string, args []any) (*message, error) {
	if slices.Contains(reserved, name) {
		return nil, fmt.Errorf("%w: %s", ErrReserved, name)
	}
	return encode(limit, packetEvent, ack, append([]any{name}, args...))
}

func encode(limit int, kind byte, ack int64, value any) (*message, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("socketio: encoding: %w", err)
	}
	if !utf8.Valid(data) { // json.RawMessage is copied as it is
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	b := make([]byte, frameHeader, frameHeader+24+len(data))
	b = append(b, engineMessage, kind)
	if ack != noAck {
		b = strconv.AppendInt(b, ack, 10)
	}
	b = append(b, data...)
	if len(b)-frameHeader > limit {
		return nil, ErrTooLarge
	}
	return framed(b), nil
}
