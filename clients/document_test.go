package clients_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/testkit"
)

// document is the API as a developer of an app has it: /openapi.json, and nothing else.
type document struct {
	root       map[string]any
	compiler   *jsonschema.Compiler
	operations map[string]operation
}

type operation struct {
	method, path string
	says         map[string]any
}

// object is what JSON has in braces.
type object = map[string]any

func readDocument(t *testing.T, address string) *document {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(fetch(t, address+"/openapi.json")))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{root: parsed.(object), compiler: jsonschema.NewCompiler(), operations: map[string]operation{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("api.json", parsed); err != nil {
		t.Fatal(err)
	}
	for path, methods := range d.root["paths"].(object) {
		for method, says := range methods.(object) {
			op := operation{method, path, says.(object)}
			d.operations[op.says["operationId"].(string)] = op
		}
	}
	return d
}

func fetch(t *testing.T, address string) []byte {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v", address, answer.StatusCode, err)
	}
	return body
}

// resolve follows references.
func (d *document) resolve(value any) object {
	m, _ := value.(object)
	for m != nil {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		var at any = d.root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(object)[part]
		}
		m, _ = at.(object)
	}
	return nil
}

// fields are the properties of a schema, those of its parts among them.
func (d *document) fields(schema any) object {
	s := d.resolve(schema)
	out := object{}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		for name, field := range d.fields(part) {
			out[name] = field
		}
	}
	own, _ := s["properties"].(object)
	for name, field := range own {
		out[name] = field
	}
	return out
}

// holds checks a value against a schema of the document, and that it has no field which the document does not know.
func (d *document) holds(t *testing.T, what, at string, schema, value any) {
	t.Helper()
	compiled, err := d.compiler.Compile("api.json#" + at)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s is not as documented: %v", what, err)
	}
	d.knows(t, what, schema, value)
}

func (d *document) knows(t *testing.T, what string, schema, value any) {
	t.Helper()
	switch v := value.(type) {
	case object:
		known := d.fields(schema)
		if len(known) == 0 {
			return // a map, or any object
		}
		for name, field := range v {
			if known[name] == nil {
				t.Errorf("%s has %s, which is not documented", what, name)
				continue
			}
			d.knows(t, what+"."+name, known[name], field)
		}
	case []any:
		for _, one := range v {
			d.knows(t, what, d.resolve(schema)["items"], one)
		}
	}
}

// program calls what the document says, as it says it.
type program struct {
	*document
	address, token string
	http           *http.Client
}

// values are the parameters of a call by their names: in the path, the query and the headers.
type values map[string]string

// call makes a call by its operation's id, and returns the data of its success.
func (p *program) call(t *testing.T, id string, with values, body any) any {
	t.Helper()
	status, data := p.send(t, id, with, "application/json", body)
	if status >= 300 {
		t.Fatalf("%s: %d %v", id, status, data)
	}
	return data
}

// send is call with a body of any documented type; it returns a refusal's body too.
func (p *program) send(t *testing.T, id string, with values, kind string, body any) (int, any) {
	t.Helper()
	op, known := p.operations[id]
	if !known {
		t.Fatalf("the document has no operation %s", id)
	}
	pointer := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(op.path) + "/" + op.method
	path, query, header := op.path, url.Values{}, http.Header{}
	parameters, _ := op.says["parameters"].([]any)
	left := map[string]bool{}
	for name := range with {
		left[name] = true
	}
	for _, one := range parameters {
		parameter := p.resolve(one)
		name := parameter["name"].(string)
		value, given := with[name]
		if !given {
			if parameter["required"] == true {
				t.Fatalf("%s needs %s", id, name)
			}
			continue
		}
		delete(left, name)
		switch parameter["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		case "query":
			query.Set(name, value)
		default:
			header.Set(name, value)
		}
	}
	for name := range left {
		t.Fatalf("%s: the document has no parameter %s", id, name)
	}
	var raw []byte
	if body != nil {
		header.Set("Content-Type", kind)
		said, _ := p.resolve(op.says["requestBody"])["content"].(object)
		if said[kind] == nil {
			t.Fatalf("%s: the document has no body of %s", id, kind)
		}
		if text, isText := body.(string); isText {
			raw = []byte(text)
		} else {
			value := plain(t, p.wrap(op.says["requestBody"], body), &raw)
			p.holds(t, "the body of "+id, pointer+"/requestBody/content/application~1json/schema", said[kind].(object)["schema"], value)
		}
	}
	if security, own := op.says["security"].([]any); !own || len(security) > 0 { // else as the document says: by a token
		header.Set("Authorization", "Bearer "+p.token)
	}
	req, err := http.NewRequest(strings.ToUpper(op.method), p.address+path+"?"+query.Encode(), bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	answer, err := p.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, p.read(t, id, op, pointer, answer, text)
}

// read holds an answer against the document.
func (p *program) read(t *testing.T, id string, op operation, pointer string, answer *http.Response, text []byte) any {
	t.Helper()
	status := strconv.Itoa(answer.StatusCode)
	said, known := op.says["responses"].(object)[status]
	if !known && answer.StatusCode >= http.StatusInternalServerError {
		said, known = op.says["responses"].(object)["5XX"]
	}
	if !known {
		t.Fatalf("%s was answered %s, which is not documented: %s", id, status, text)
	}
	if len(text) == 0 {
		return nil
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return string(text)
	}
	at := pointer + "/responses/" + status
	if ref, isRef := said.(object)["$ref"].(string); isRef {
		at = strings.TrimPrefix(ref, "#")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schema := p.resolve(said)["content"].(object)["application/json"].(object)["schema"]
	p.holds(t, "the answer of "+id, at+"/content/application~1json/schema", schema, value)
	if answer.StatusCode < 300 {
		return value.(object)["data"]
	}
	return value
}

// wrap puts parameters under data, where the document has them there.
func (p *program) wrap(requestBody, body any) any {
	content := p.resolve(requestBody)["content"].(object)
	if p.fields(content["application/json"].(object)["schema"])["data"] != nil {
		return object{"data": body}
	}
	return body
}

// plain is a value as JSON has it, and its text.
func plain(t *testing.T, value any, raw *[]byte) any {
	t.Helper()
	var err error
	if *raw, err = json.Marshal(value); err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(*raw))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// at is what an answer has at a path of names and indexes.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	whole := value
	for _, step := range path {
		switch s := step.(type) {
		case string:
			o, _ := value.(object)
			value = o[s]
		case int:
			list, _ := value.([]any)
			if s >= len(list) {
				t.Fatalf("the answer has nothing at %v: %v", path, whole)
			}
			value = list[s]
		}
	}
	return value
}

func text(t *testing.T, value any, path ...any) string {
	t.Helper()
	s, ok := at(t, value, path...).(string)
	if !ok || s == "" {
		t.Fatalf("the answer has no text at %v: %v", path, value)
	}
	return s
}

// as is a program that is signed in as somebody.
func (d *document) as(app *testkit.App, c *testkit.Client) *program {
	return &program{document: d, address: app.URL, token: c.Token, http: http.DefaultClient}
}
