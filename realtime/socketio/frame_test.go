package socketio

import (
	"bytes"
	"strings"
	"testing"
)

func TestABreachOfTheWebsocketProtocolIsClosedWithItsCode(t *testing.T) {
	t.Parallel()
	f := serve(t)
	unmasked := []byte{0x81, 1, '3'}
	for _, c := range []struct {
		what  string
		bytes []byte
		code  uint16
	}{
		{"no mask", unmasked, codeProtocol},
		{"an extension", clientFrame(0xc1, []byte("3")), codeProtocol},
		{"an unknown frame", clientFrame(0x83, nil), codeProtocol},
		{"an unknown control frame", clientFrame(0x8b, nil), codeProtocol},
		{"a ping in pieces", clientFrame(0x09, nil), codeProtocol},
		{"a ping too long", clientFrame(0x89, make([]byte, 126)), codeProtocol},
		{"a piece of nothing", clientFrame(0x80, []byte("3")), codeProtocol},
		{"a message within another", append(clientFrame(0x01, []byte("3")), clientFrame(0x81, []byte("3"))...), codeProtocol},
		{"half a close code", clientFrame(0x88, []byte{3}), codeProtocol},
		{"an impossible close code", clientFrame(0x88, []byte{3, 0xed}), codeProtocol},
		{"a close reason that is not UTF-8", clientFrame(0x88, []byte{3, 0xe8, 0xff}), codeNotUTF8},
		{"binary", clientFrame(0x82, []byte{4, 1}), codeUnsupported},
		{"text that is not UTF-8", clientFrame(0x81, []byte("42[\"echo\",\"\xc3\x28\"]")), codeNotUTF8},
		{"half a character at the end", append(clientFrame(0x01, []byte("42[\"\xf0\x9f")), clientFrame(0x80, []byte("\"]"))...), codeNotUTF8},
		{"a surrogate", clientFrame(0x81, []byte("42[\"echo\",\"\xed\xa0\x80\"]")), codeNotUTF8},
		{"a length of 2^63", []byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0}, codeTooLarge},
		{"a message too large", clientFrame(0x81, make([]byte, 16<<10+1)), codeTooLarge},
		{"pieces too large together", append(clientFrame(0x01, bytes.Repeat([]byte("x"), 16<<10)), clientFrame(0x80, []byte("x"))...),
			codeTooLarge},
	} {
		client := f.connected(4, "anna")
		client.raw(c.bytes)
		t.Run(c.what, func(t *testing.T) {
			client.t = t
			client.expectClose(c.code)
		})
	}
}

func TestAMessageInPiecesArrivesWhole(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	bus := []byte(`420["echo","🚌"]`)
	c.raw(clientFrame(0x01, bus[:12])) // in the middle of the character
	c.raw(clientFrame(0x89, []byte("are you there?")))
	if op, payload, err := c.frame(); err != nil || op != opPong || string(payload) != "are you there?" {
		t.Fatal(op, payload, err)
	}
	c.raw(clientFrame(0x00, nil))
	for _, b := range clientFrame(0x80, bus[12:]) { // byte by byte
		c.raw([]byte{b})
	}
	c.expect(`430["🚌"]`)
}

func TestTheLargestMessageArrives(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	text := `420["echo","` + strings.Repeat("x", 16<<10-len(`420["echo",""]`)) + `"]`
	c.send(text)
	c.expect("430[" + text[len(`420["echo",`):])
}

// A client that is still sending must be able to read why it was cut off: a connection
// closed on it at once would be reset, and the reason lost.
func TestAClientThatSendsTooMuchReadsWhy(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	c.raw(clientFrame(0x81, make([]byte, 500<<10)))
	c.expectClose(codeTooLarge)
	f.endedAs("parse error")
}

func TestAClosedWebsocketIsAnsweredInKind(t *testing.T) {
	t.Parallel()
	f := serve(t)
	c := f.connected(4, "anna")
	c.raw(clientFrame(0x88, []byte{0x03, 0xe9, 'b', 'y', 'e'}))
	c.expectClose(codeGoingAway)
	f.endedAs("transport close")
}
