package socketio

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func FuzzFrame(f *testing.F) {
	for _, seed := range [][]byte{
		clientFrame(0x81, []byte("40")), clientFrame(0x89, []byte("ping")), clientFrame(0x88, []byte{3, 0xe8}), clientFrame(0x01, []byte("4")),
		clientFrame(0x81, make([]byte, 200)), {0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0},
		append(clientFrame(0x01, []byte("4")), clientFrame(0x80, []byte("2"))...),
	} {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		const limit = 1 << 10
		for rest := bytes.Clone(stream); ; {
			frame, n, need, err := parseFrame(rest, limit)
			if err != nil {
				break
			}
			if n == 0 {
				if need <= len(rest) || need > limit+14 {
					t.Fatalf("wants %d of %d", need, len(rest))
				}
				break
			}
			if len(frame.payload) > limit || n > len(rest) {
				t.Fatalf("took %d of %d", n, len(rest))
			}
			rest = rest[n:]
		}
		// In whatever pieces it arrives, it says the same.
		whole, inPieces := drainStream(stream, len(stream)+1), drainStream(stream, int(piece)+1)
		if whole != inPieces {
			t.Fatalf("%q in one piece, %q in pieces", whole, inPieces)
		}
	})
}

// drainStream is what a connection makes of a stream.
func drainStream(stream []byte, piece int) string {
	w := newWSConn(&pieces{rest: bytes.Clone(stream), size: piece}, nil, 1<<10, true)
	var all []byte
	for {
		op, payload, err := w.next()
		if err != nil {
			return string(append(all, err.Error()...))
		}
		if op == opText && !utf8.Valid(payload) {
			return "not UTF-8"
		}
		all = append(append(all, op), payload...)
	}
}

func FuzzPacket(f *testing.F) {
	for _, seed := range []string{"0", `0{"token":"x"}`, "0/admin,", `0/admin?a=b,{"x":1}`, "1", `2["x"]`, `20["x",1,null]`, `2/n,17["x",{}]`,
		`30["x"]`, `3["x"]`, `51-["x"]`, `2["connect"]`, `2["\ud83d"]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parsePacket(b)
		if err != nil {
			return
		}
		if p.kind > packetAck || p.ack < noAck || p.kind == packetAck && p.ack == noAck || p.namespace == "" {
			t.Fatalf("%+v", p)
		}
		if p.kind != packetEvent || p.namespace != "/" {
			return
		}
		args := make([]any, len(p.args))
		for i, a := range p.args {
			args[i] = a
		}
		m, err := encodeEvent(1<<20, p.ack, p.name, args)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if !utf8.Valid(m.text) {
			t.Fatalf("%q", m.text)
		}
		again, err := parsePacket(m.text[1:])
		if err != nil || again.name != p.name || again.ack != p.ack || len(again.args) != len(p.args) {
			t.Fatalf("%+v became %+v: %v", p, again, err)
		}
	})
}

func FuzzPayload(f *testing.F) {
	for _, seed := range []string{"40", "3\x1e42[\"x\"]", "2:40", `16:420["echo","🚌"]1:2`, "1:🚌", "0:", ":", "\x1e", "9999999:x"} {
		f.Add([]byte(seed), 3)
		f.Add([]byte(seed), 4)
	}
	f.Fuzz(func(t *testing.T, body []byte, eio int) {
		if !utf8.Valid(body) || eio != 3 && eio != 4 {
			return
		}
		const limit = 1 << 10
		packets, err := parsePayload(body, eio, limit)
		if err != nil {
			return
		}
		var again []byte
		for _, p := range packets {
			if len(p) == 0 || len(p) > limit || !utf8.Valid(p) {
				t.Fatalf("%q", p)
			}
			again = appendPayload(again, p, eio)
		}
		twice, err := parsePayload(again, eio, limit)
		if err != nil || len(twice) != len(packets) {
			t.Fatalf("%q became %q: %v", body, again, err)
		}
		for i := range twice {
			if !bytes.Equal(twice[i], packets[i]) {
				t.Fatalf("%q became %q", packets[i], twice[i])
			}
		}
	})
}
