package service_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"net/url"
	"strings"
	"time"
)

// maker makes requests from schemas; a broken one has something wrong somewhere.
type maker struct {
	*document
	random *rand.Rand
	known  *known
	broken bool
	path   string
	// headers are what the request carries besides.
	headers map[string]string
	depth   int
}

// nasty are values that have broken programs.
var nasty = []any{
	nil, true, -1, 0, 1e308, 9007199254740993, "", " ", "null", "0", "' OR 1=1 --", `"; DROP TABLE student; --`, "%", "_", `\`, "a\x00b",
	"\xff\xfe", "\u202eمرحبا", "👩‍👩‍👧‍👦🏳️‍🌈",
	strings.Repeat("x", 5000), strings.Repeat("é", 300), "2026-02-30", "0000-00-00", "0000-01-01", "0001-01-01", "9999-12-31", "99999-01-01",
	"2026-11-15T08:30:00+14:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "24:00", "2147483648", "-2147483649",
	"9223372036854775808", "2026-13-01T25:61:61Z", "-infinity", "infinity", "NaN", "../../../etc/passwd", "${jndi:ldap://x}",
	"<script>alert(1)</script>", "00000000-0000-0000-0000-000000000000", "{}", "[]", []any{}, map[string]any{}, []any{nil},
	map[string]any{"": nil}, "=cmd|' /C calc'!A0", "1e999", "0x1F", "+919800000000", "a@b.c",
	[]any{[]any{[]any{[]any{map[string]any{"a": []any{}}}}}}, json.Number("123456789012345678901234567890"),
	json.Number("0.00000000000000000001"), json.Number("-0"),
}

func (g *maker) spoil() bool { return g.broken && g.random.IntN(6) == 0 }

// request is a call of an operation.
func (g *maker) request(op *operation) (path, contentType string, body []byte) {
	g.path = op.path
	g.headers = map[string]string{}
	path = op.path
	query := url.Values{}
	for _, p := range op.parameters {
		name := p["name"].(string)
		required, _ := p["required"].(bool)
		switch p["in"] {
		case "path":
			word := cmp.Or(g.word(name, p), "-") // without one it is another address
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(word), 1)
		case "query":
			if required || g.random.IntN(4) == 0 {
				query.Add(name, g.word(name, p))
			}
		case "header":
			if required || g.random.IntN(2) == 0 {
				g.headers[name] = g.header(name, p)
			}
		}
	}
	if g.spoil() {
		query.Add([]string{"page", "limit", "filters[x]", "sort[field]", "%00", "filters[search]"}[g.random.IntN(6)],
			fmt.Sprint(nasty[g.random.IntN(len(nasty))]))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	for kind, schema := range op.body { // whichever comes first
		contentType, body = g.encoded(kind, schema)
		break
	}
	return path, contentType, body
}

// header is a value for a header; what no client can send in one is left out.
func (g *maker) header(name string, parameter map[string]any) string {
	if !g.spoil() {
		return fmt.Sprintf("fuzz-%d", g.random.Uint64())
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, g.word(name, parameter))
}

func (g *maker) word(name string, parameter map[string]any) string {
	if g.spoil() {
		return fmt.Sprint(nasty[g.random.IntN(len(nasty))])
	}
	return fmt.Sprint(g.value(name, g.resolve(parameter["schema"])))
}

func (g *maker) encoded(kind string, schema map[string]any) (contentType string, body []byte) {
	switch kind {
	case "application/json":
		body, err := json.Marshal(g.value("", schema))
		if err != nil {
			body = []byte("{}")
		}
		if g.spoil() {
			body = body[:g.random.IntN(len(body)+1)]
		}
		return kind, body
	case "multipart/form-data":
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		if g.random.IntN(2) == 0 {
			part, _ := w.CreateFormFile("file", "a name.png")
			_, _ = part.Write(dot)
		} else {
			part, _ := w.CreateFormFile("file", "../a name.csv")
			_, _ = part.Write(g.table())
		}
		_ = w.Close()
		body := form.Bytes()
		if g.spoil() {
			body = body[:g.random.IntN(len(body))]
		}
		return w.FormDataContentType(), body
	default:
		return kind, g.table()
	}
}

// dot is the smallest picture there is.
var dot = func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)))
	return b.Bytes()
}()

// table is a CSV file, as good or bad as it comes.
func (g *maker) table() []byte {
	lines := []string{"admissionNumber,firstName,lastName,class,division,rollNumber", "A-1,Asha,Rao,5,A,1", `A-2,"Bo ""the"" b",Rao,5,A,x`}
	if g.spoil() {
		lines = append(lines, `"unclosed`, "\xff\x00,=1+1", strings.Repeat(",", 50))
	}
	return []byte("\uFEFF" + strings.Join(lines, "\r\n"))
}

// value is something a schema allows, or, in a broken request, now and then not.
func (g *maker) value(name string, schema map[string]any) any {
	if g.depth++; g.depth > 12 {
		g.depth--
		return nil
	}
	defer func() { g.depth-- }()
	if name != "" && g.spoil() {
		return nasty[g.random.IntN(len(nasty))]
	}
	for _, both := range []string{"allOf", "anyOf", "oneOf"} {
		if options := list(schema[both]); len(options) > 0 {
			return g.value(name, g.resolve(options[g.random.IntN(len(options))]))
		}
	}
	if values := list(schema["enum"]); len(values) > 0 {
		return values[g.random.IntN(len(values))]
	}
	switch g.kind(schema) {
	case "object":
		return g.object(schema)
	case "array":
		n := 1 + g.random.IntN(2)
		if g.spoil() {
			n = g.random.IntN(40)
		}
		items := make([]any, n)
		for i := range items {
			items[i] = g.value(strings.TrimSuffix(name, "s"), g.resolve(schema["items"]))
		}
		return items
	case "boolean":
		return g.random.IntN(2) == 0
	case "integer":
		low, high := bound(schema, "minimum", 0), bound(schema, "maximum", 100)
		return low + g.random.IntN(max(1, min(high-low, 1000)+1))
	case "number":
		return float64(bound(schema, "minimum", 0)) + float64(g.random.IntN(1000))/10
	case "null":
		return nil
	}
	return g.text(name, schema)
}

// kind is the type of a schema, one of them where it names several.
func (g *maker) kind(schema map[string]any) string {
	if several := list(schema["type"]); len(several) > 0 {
		one, _ := several[g.random.IntN(len(several))].(string)
		return one
	}
	one, _ := schema["type"].(string)
	if one == "" && schema["properties"] != nil {
		return "object"
	}
	return one
}

func (g *maker) object(schema map[string]any) any {
	out := map[string]any{}
	required := map[string]bool{}
	for _, name := range list(schema["required"]) {
		required[name.(string)] = true
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, of := range properties {
		if required[name] && !g.spoil() || g.random.IntN(2) == 0 {
			out[name] = g.value(name, g.resolve(of))
		}
	}
	if g.spoil() {
		out["unknown"] = nasty[g.random.IntN(len(nasty))]
	}
	return out
}

func (g *maker) text(name string, schema map[string]any) any {
	day := time.Now().UTC().AddDate(0, 0, g.random.IntN(40)-30)
	switch schema["format"] {
	case "uuid":
		return g.known.one(g.random, name, g.path)
	case "date":
		return day.Format("2006-01-02")
	case "date-time":
		return day.Format(time.RFC3339)
	case "email":
		return fmt.Sprintf("f%d@test.local", g.random.IntN(1_000_000))
	}
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, "email"): // one that may be empty has a pattern and no format
		return fmt.Sprintf("f%d@test.local", g.random.IntN(1_000_000))
	case strings.Contains(lower, "phone"):
		return fmt.Sprintf("+9197%08d", g.random.IntN(100_000_000))
	case strings.HasSuffix(lower, "pin"):
		return "4826"
	case lower == "otp":
		return fmt.Sprintf("%06d", g.random.IntN(1_000_000))
	case strings.HasSuffix(lower, "time"):
		return fmt.Sprintf("%02d:%02d", g.random.IntN(24), g.random.IntN(60))
	case strings.Contains(lower, "month"):
		return day.Format("2006-01")
	case strings.Contains(lower, "id"):
		return g.known.one(g.random, name, g.path)
	}
	low, high := bound(schema, "minLength", 1), bound(schema, "maxLength", 40)
	text := []rune(strings.Repeat("Añ b"+fmt.Sprint(g.random.IntN(1_000_000)), 1+low/4))
	return string(text[:min(len(text), max(low, min(high, 12)))])
}

func bound(schema map[string]any, name string, otherwise int) int {
	if n, ok := schema[name].(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return int(max(min(i, 1<<31), -1<<31))
		}
	}
	return otherwise
}
