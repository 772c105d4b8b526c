package openapi

import "bytes"

const (
	// lineWidth is how long a value may be that is written on one line.
	lineWidth = 300
	// layoutDepth is below which everything is on one line: a parameter, an answer or a
	// property each has its own, which is what a reader of a change wants to see.
	layoutDepth = 6
)

// layOut writes compact JSON with line breaks between its parts. Spaces to indent them to
// their depths would double the document; any tool that shows JSON adds them.
func layOut(out *bytes.Buffer, raw []byte, depth int) {
	if depth == layoutDepth || len(raw) <= lineWidth || raw[0] != '{' && raw[0] != '[' {
		out.Write(raw)
		return
	}
	out.WriteByte(raw[0])
	for start := 1; start < len(raw); {
		out.WriteByte('\n')
		if raw[0] == '{' {
			colon := start + endOfString(raw[start:])
			out.Write(raw[start : colon+1])
			start = colon + 1
		}
		end := start + endOfValue(raw[start:])
		layOut(out, raw[start:end], depth+1)
		if raw[end] == ',' {
			out.WriteByte(',')
		}
		start = end + 1
	}
	out.WriteByte('\n')
	out.WriteByte(raw[len(raw)-1])
}

// endOfString is where a JSON string that text begins with is over.
func endOfString(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// endOfValue is where a value that text begins with is over: at a comma or bracket that
// is not its own.
func endOfValue(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += endOfString(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
