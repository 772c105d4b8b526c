package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

const (
	// MaxBody is the largest JSON body.
	MaxBody = 1 << 20
	// maxValues is how many values one may have: more than the largest list of any row. A body of
	// nothing but empty objects would become hundreds of megabytes of records.
	maxValues = 100_000
)

// bindPlan is what reflection found out about a row's request, once, at start.
type bindPlan struct {
	path    []pathField
	changes [][]int          // fields of type Change
	keys    map[string][]int // by wire name
	names   []string         // the keys, in the order they are declared
	phones  bool             // it brings phone numbers
}

type pathField struct {
	name  string
	index []int
}

// empty reports whether there is nothing to read from a body or a query.
func (p *bindPlan) empty() bool { return len(p.keys)+len(p.changes) == 0 }

// PathFields are the fields of the row's request that its path fills, each named by its path tag.
func (r *Row) PathFields() []reflect.StructField {
	var out []reflect.StructField
	for _, f := range planOf(r.Request).path {
		out = append(out, r.Request.FieldByIndex(f.index))
	}
	return out
}

// HasFields reports whether the row's request has fields besides those of its path.
func (r *Row) HasFields() bool { return !planOf(r.Request).empty() }

// IDs are the names on the wire of all ids that the row's request has, besides those of its path.
func (r *Row) IDs() []string {
	var out []string
	idsIn(r.Request, map[reflect.Type]bool{}, &out)
	return out
}

func idsIn(t reflect.Type, seen map[reflect.Type]bool, out *[]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if fields, isChange := ChangeOf(t); isChange {
		t = fields
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		name := JSONName(f)
		switch {
		case f.Tag.Get("path") != "" || !f.IsExported():
		case isID(f.Type) && name != "":
			*out = append(*out, name)
		default:
			idsIn(f.Type, seen, out)
		}
	}
}

func planOf(t reflect.Type) *bindPlan {
	p := &bindPlan{keys: map[string][]int{}}
	if t.Kind() != reflect.Struct {
		return p
	}
	p.phones = hasPhones(t, map[reflect.Type]bool{})
	for _, f := range reflect.VisibleFields(t) {
		if reflect.PointerTo(f.Type).Implements(reflect.TypeFor[changer]()) {
			p.changes = append(p.changes, f.Index)
			continue
		}
		if name := f.Tag.Get("path"); name != "" {
			p.path = append(p.path, pathField{name, f.Index})
			continue
		}
		if name := JSONName(f); name != "" && !f.Anonymous {
			p.keys[name] = f.Index
			p.names = append(p.names, name)
		}
	}
	return p
}

// JSONName is a field's name on the wire; empty: it is not sent by a name of its own.
func JSONName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// bind fills a request from the path, the query and the body, and checks it.
func (k *Kernel) bind(row *Row, g *gin.Context, rq *request) (any, error) {
	if row.Upload || (row.fromCSV != nil && bringsFile(g)) {
		return k.bindUpload(row, g, rq)
	}
	body, err := readBody(g, row.Form)
	if err != nil {
		return nil, err
	}
	rq.bodyHash = hashBody(row, g, body)
	var d diagnosis
	query := g.Request.URL.Query()
	d.details = row.unknownParameters(query)
	if row.sync != nil {
		if rq.since, err = row.sentSince(g, query, body, &d); err != nil {
			return nil, err
		}
	}
	if row.plan.phones && rq.school != nil {
		body = row.withCodes(PhoneRegion(rq.school), body)
	}
	if row.plain() && body != nil {
		if req := row.decode(body); req != nil {
			return k.checked(row, g, req, d)
		}
	}
	data, err := unwrap(row, body)
	if err != nil {
		return nil, err
	}
	if row.Listing != nil {
		list, err := row.Listing.parse(query, data, d.details)
		if err != nil {
			return nil, err
		}
		if rq.school != nil {
			list.today = DateOf(rq.now.In(rq.school.Location()))
		}
		if rq.since != nil && list.Page > 1 {
			return nil, InvalidField("page", "cannot be given together with "+SinceParameter+": the answer says how to go on")
		}
		return &list, nil
	}
	req := row.newRequest()
	v := reflect.ValueOf(req).Elem()
	if data != nil {
		if err := d.read(row, rq, data, req); err != nil {
			return nil, err
		}
	}
	if row.Method == http.MethodGet {
		if err := bindQuery(row.plan, v, query, data, &d); err != nil {
			return nil, err
		}
	}
	return k.checked(row, g, req, d)
}

// checked adds what the path says, and holds the request against its rules.
func (k *Kernel) checked(row *Row, g *gin.Context, req any, d diagnosis) (any, error) {
	v := reflect.ValueOf(req).Elem()
	for _, f := range row.plan.path {
		if err := setText(v.FieldByIndex(f.index), g.Param(f.name)); err != nil {
			return nil, Malformed("%s in the path is not a valid id", f.name)
		}
	}
	if d.malformed {
		return nil, d.refusal()
	}
	broken, err := k.rules.broken(req, v, row.plan)
	if err != nil {
		return nil, err
	}
	d.addUnnamed(broken)
	if len(d.details) > 0 {
		return nil, d.refusal()
	}
	return req, nil
}

// plain reports whether a body of the row is its request under data and nothing else.
func (r *Row) plain() bool {
	return !r.Flat && !r.Versioned && r.Listing == nil && r.Method != http.MethodGet && len(r.plan.changes) == 0
}

// decode reads a plain body that fits in one go; nil for any other, which is taken
// apart to say what is wrong with it.
func (r *Row) decode(body []byte) any {
	req := reflect.New(reflect.PointerTo(r.Request)) // to nil, which it stays without data
	envelope := struct {
		Data any `json:"data"`
	}{req.Interface()}
	if err := json.Unmarshal(body, &envelope); err != nil || req.Elem().IsNil() {
		return nil
	}
	return req.Elem().Interface()
}

// readBody reads at most MaxBody and refuses what could not be text.
func readBody(g *gin.Context, form *Form) ([]byte, error) {
	wanted := "application/json"
	if form != nil && form.URLEncoded {
		wanted = "application/x-www-form-urlencoded"
	}
	if g.Request.Body == nil || g.Request.ContentLength == 0 {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(g.Writer, g.Request.Body, MaxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, newError(413, "", "The body is larger than 1 MiB")
		}
		return nil, Malformed("The body could not be read").Because(err)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	if media, _, err := mime.ParseMediaType(g.GetHeader("Content-Type")); err != nil || media != wanted {
		return nil, Malformed("Content-Type must be %s", wanted)
	}
	if !utf8.Valid(body) {
		return nil, Malformed("The body is not valid UTF-8")
	}
	if form != nil && form.URLEncoded {
		if body, err = form.decode(body); err != nil {
			return nil, err
		}
	}
	if tooManyValues(body) {
		return nil, newError(413, "", "The body has more than %d values", maxValues)
	}
	if bytes.Contains(body, []byte(`\u0000`)) && hasNUL(body) {
		return nil, Malformed("Text must not contain the NUL character")
	}
	return body, nil
}

// tooManyValues counts the commas outside of texts.
func tooManyValues(body []byte) bool {
	if bytes.Count(body, []byte{','}) < maxValues {
		return false
	}
	n, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			inText = !inText
		case c == '\\' && inText:
			i++
		case c == ',' && !inText:
			n++
		}
	}
	return n >= maxValues
}

// hasNUL decodes the strings of a body that looks as if one held a NUL: Postgres
// cannot store it.
func hasNUL(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.Token()
		if err != nil {
			return false // not JSON, or the end; said elsewhere
		}
		if s, ok := token.(string); ok && strings.ContainsRune(s, 0) {
			return true
		}
	}
}

// unwrap takes the parameters out of the body: the object under data, or the body
// itself on sign-in rows. A GET needs none.
func unwrap(row *Row, body []byte) (json.RawMessage, error) {
	if body == nil {
		return row.emptyBody()
	}
	if row.Flat {
		if err := oneObject(body); err != nil {
			return nil, err
		}
		return body, nil
	}
	if err := oneObject(body); err != nil {
		return nil, err
	}
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, Malformed("The body is not valid JSON").Because(err)
	}
	if len(envelope) == 0 {
		return row.emptyBody()
	}
	key, _ := sentAs(envelope, "data")
	data := envelope[key]
	if len(data) == 0 || data[0] != '{' {
		return nil, errNoData
	}
	return data, nil
}

var errNoData = Malformed("The body must be a JSON object with a data object")

// emptyBody is what a call without a body, or with {}, says to a row that needs none.
func (r *Row) emptyBody() (json.RawMessage, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodDelete || r.Listing != nil || r.Request == reflect.TypeFor[Nothing]() ||
		r.plan.empty() {
		return nil, nil
	}
	if r.Flat || r.NoBodyNeeded || r.Action == Read {
		return json.RawMessage("{}"), nil
	}
	return nil, errNoData
}

// oneObject refuses anything but a single JSON object.
func oneObject(body []byte) error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return Malformed("The body must be a JSON object")
	}
	if !json.Valid(body) {
		return Malformed("The body is not valid JSON, or more than one value")
	}
	return nil
}
