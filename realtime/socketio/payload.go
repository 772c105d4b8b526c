package socketio

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

var errPayload = errors.New("socketio: malformed payload")

// separator stands between the packets of a 3.x or 4.x client's payload.
const separator = 0x1e

// parsePayload takes a polled body apart into engine packets, none of them empty or
// longer than limit bytes. The body is valid UTF-8.
func parsePayload(body []byte, eio, limit int) ([][]byte, error) {
	var packets [][]byte
	for len(body) > 0 {
		var packet []byte
		if eio == 3 {
			var err error
			if packet, body, err = cutCounted(body); err != nil {
				return nil, err
			}
		} else {
			var more bool
			packet, body, more = bytes.Cut(body, []byte{separator})
			if more && len(body) == 0 {
				return nil, errPayload
			}
		}
		switch {
		case len(packet) == 0:
			return nil, errPayload
		case len(packet) > limit:
			return nil, &wireError{codeTooLarge, "a message too large"}
		}
		packets = append(packets, packet)
	}
	if packets == nil {
		return nil, errPayload
	}
	return packets, nil
}

// cutCounted takes `<length>:<packet>` off a 2.x client's payload. The length is a
// JavaScript string's: UTF-16 units, two for a character beyond the first 65,536.
func cutCounted(body []byte) (packet, rest []byte, err error) {
	colon := bytes.IndexByte(body, ':')
	if colon < 1 || colon > 7 {
		return nil, nil, errPayload
	}
	units := 0
	for _, digit := range body[:colon] {
		if digit < '0' || digit > '9' {
			return nil, nil, errPayload
		}
		units = units*10 + int(digit-'0')
	}
	body = body[colon+1:]
	end := 0
	for units > 0 {
		if end == len(body) {
			return nil, nil, errPayload
		}
		r, size := utf8.DecodeRune(body[end:])
		end += size
		units -= utf16Length(r)
	}
	if units < 0 {
		return nil, nil, errPayload
	}
	return body[:end], body[end:], nil
}

// appendPayload adds a packet to a payload that is being made.
func appendPayload(body, packet []byte, eio int) []byte {
	if eio == 3 {
		units := 0
		for rest := packet; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			units += utf16Length(r)
			rest = rest[size:]
		}
		body = strconv.AppendInt(body, int64(units), 10)
		body = append(body, ':')
	} else if len(body) > 0 {
		body = append(body, separator)
	}
	return append(body, packet...)
}

func utf16Length(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
