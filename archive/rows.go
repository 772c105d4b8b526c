package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A row is a line of JSON: an array with a string or null for every column. The strings
// are the values as Postgres writes them, which it reads back as the same values: a JSON
// number or timestamp would not always be.

const hexDigits = "0123456789abcdef"

// appendJSON appends the JSON of one row in COPY's text form, which is without its line end.
func appendJSON(dst, row []byte) []byte {
	dst = append(dst, '[')
	for first := true; ; first = false {
		field, rest, more := bytes.Cut(row, []byte{'\t'})
		if !first {
			dst = append(dst, ',')
		}
		if len(field) == 2 && field[0] == '\\' && field[1] == 'N' {
			dst = append(dst, "null"...)
		} else {
			dst = appendString(dst, field)
		}
		if !more {
			return append(dst, ']', '\n')
		}
		row = rest
	}
}

// plain are the bytes that are the same in COPY's text and in a JSON string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

func appendString(dst, field []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(field); i++ {
		c := field[i]
		if plain[c] {
			continue
		}
		dst = append(dst, field[from:i]...)
		if c == '\\' && i+1 < len(field) {
			i++
			c = unescaped(field[i])
		}
		dst = appendChar(dst, c)
		from = i + 1
	}
	return append(append(dst, field[from:]...), '"')
}

// unescaped is the character that COPY writes as a backslash and c.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	}
	return c
}

func appendChar(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

var errLine = errors.New("it is no row: an array of strings and nulls")

// appendCopy appends COPY's text form of a line of JSON, which must have so many columns.
func appendCopy(dst, line []byte, columns int) ([]byte, error) {
	if !utf8.Valid(line) {
		return dst, errors.New("it is not UTF-8")
	}
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return dst, errLine
	}
	rest := line[1 : len(line)-1]
	n := 0
	for ; len(rest) > 0 || n == 0; n++ {
		if n > 0 {
			if rest[0] != ',' {
				return dst, errLine
			}
			rest = rest[1:]
			dst = append(dst, '\t')
		}
		var err error
		if dst, rest, err = appendField(dst, rest); err != nil {
			return dst, err
		}
	}
	if n != columns {
		return dst, fmt.Errorf("it has %d columns, not %d", n, columns)
	}
	return append(dst, '\n'), nil
}

func appendField(dst, rest []byte) (out, after []byte, err error) {
	if bytes.HasPrefix(rest, []byte("null")) {
		return append(dst, '\\', 'N'), rest[4:], nil
	}
	if len(rest) == 0 || rest[0] != '"' {
		return dst, rest, errLine
	}
	for i := 1; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '"':
			return dst, rest[i+1:], nil
		case c < 0x20:
			return dst, rest, errLine
		case c != '\\':
			dst = append(dst, c)
			continue
		}
		if i++; i == len(rest) {
			return dst, rest, errLine
		}
		switch c = rest[i]; c {
		case 'u':
			if i+4 >= len(rest) || rest[i+1] != '0' || rest[i+2] != '0' {
				return dst, rest, errLine
			}
			high, low := bytes.IndexByte([]byte(hexDigits), rest[i+3]), bytes.IndexByte([]byte(hexDigits), rest[i+4])
			if high < 0 || high > 1 || low < 0 {
				return dst, rest, errLine
			}
			c = byte(high<<4 | low)
			i += 4
		case 'n', 'r', 't':
			c = unescaped(c)
		case '"', '\\':
		default:
			return dst, rest, errLine
		}
		dst = appendCopyChar(dst, c)
	}
	return dst, rest, errLine
}

func appendCopyChar(dst []byte, c byte) []byte {
	switch c {
	case '\\':
		return append(dst, '\\', '\\')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, c)
}

// parseRow reads a line's columns; a null is empty.
func parseRow(line []byte) ([]string, error) {
	var fields []*string
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("reading a row: %w", err)
	}
	out := make([]string, len(fields))
	for i, f := range fields {
		if f != nil {
			out[i] = *f
		}
	}
	return out, nil
}
