package service_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/api"
	"homeroom/testkit"
)

// document is the API as /openapi.json tells it.
type document struct {
	root       map[string]any
	operations []*operation
}

// operation is one endpoint of it.
type operation struct {
	method, path string
	roles        []api.RoleType
	parameters   []map[string]any
	body         map[string]map[string]any  // schema by content type
	answers      map[int]*jsonschema.Schema // by status; nil where the body is no JSON
}

func (o *operation) anyRole(random *rand.Rand) api.RoleType {
	if len(o.roles) == 0 {
		return everyRole[random.IntN(len(everyRole))]
	}
	return o.roles[random.IntN(len(o.roles))]
}

// Some calls would end the run: they sign people out, shut the school, or never end.
var unfuzzed = []string{"/auth/logout", "/auth/logout-all", "/auth/sessions", "/auth/switch", "/auth/console", "/suspend", "/archive", "/revoke-sessions", "/stream", "/dev/"}

func readDocument(t *testing.T, app *testkit.App) *document {
	t.Helper()
	a := app.Nobody().Call(t, "GET", "/openapi.json", nil)
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{root: parsed.(map[string]any)}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("api.json", parsed); err != nil {
		t.Fatal(err)
	}
	paths := d.root["paths"].(map[string]any)
	for path, methods := range paths {
		if slices.ContainsFunc(unfuzzed, func(part string) bool { return strings.Contains(path, part) }) {
			continue
		}
		for method, value := range methods.(map[string]any) {
			of, ok := value.(map[string]any)
			if !ok || of["responses"] == nil {
				continue
			}
			op := &operation{method: strings.ToUpper(method), path: path, body: map[string]map[string]any{}, answers: map[int]*jsonschema.Schema{}}
			for _, p := range list(of["parameters"]) {
				op.parameters = append(op.parameters, d.resolve(p))
			}
			if may, ok := of["x-permission"].(map[string]any); ok {
				for _, role := range list(may["roles"]) {
					op.roles = append(op.roles, api.RoleType(role.(string)))
				}
			}
			if body := d.resolve(of["requestBody"]); body != nil {
				for kind, content := range body["content"].(map[string]any) {
					op.body[kind] = d.resolve(content.(map[string]any)["schema"])
				}
			}
			at := "api.json#/paths/" + pointer(path) + "/" + method + "/responses/"
			for status, value := range of["responses"].(map[string]any) {
				code, err := strconv.Atoi(status)
				if err != nil {
					continue
				}
				from := at + status
				if ref, ok := value.(map[string]any)["$ref"].(string); ok {
					from = "api.json" + ref
				}
				content, _ := d.resolve(value)["content"].(map[string]any)
				if content["application/json"] == nil {
					op.answers[code] = nil
					continue
				}
				schema, err := compiler.Compile(from + "/content/application~1json/schema")
				if err != nil {
					t.Fatalf("%s %s, %s: %v", method, path, status, err)
				}
				op.answers[code] = schema
			}
			d.operations = append(d.operations, op)
		}
	}
	slices.SortFunc(d.operations, func(a, b *operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return d
}

// resolve follows references.
func (d *document) resolve(value any) map[string]any {
	m, _ := value.(map[string]any)
	for m != nil {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		var at any = d.root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		}
		m, _ = at.(map[string]any)
	}
	return nil
}

func pointer(part string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(part)
}

func list(value any) []any {
	l, _ := value.([]any)
	return l
}

// known is the ids that answers have shown, by what they are ids of.
type known struct {
	mu  sync.Mutex
	ids map[string][]string
}

func newKnown() *known { return &known{ids: map[string][]string{}} }

// learn takes the ids out of an answer. "id" is that of whatever the path is about.
func (k *known) learn(path string, value any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.walk(nounOf(path), value)
}

func (k *known) walk(noun string, value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v[:min(len(v), 3)] {
			k.walk(noun, one)
		}
	case map[string]any:
		for name, one := range v {
			text, ok := one.(string)
			if !ok {
				k.walk(noun, one)
				continue
			}
			if _, err := uuid.Parse(text); err != nil {
				continue
			}
			if name == "id" {
				name = noun + "Id"
			}
			of := k.ids[name]
			if len(of) < 20 && !slices.Contains(of, text) {
				k.ids[name] = append(of, text)
			}
		}
	}
}

// one is an id of that name, or of anything, or nobody's.
func (k *known) one(random *rand.Rand, name, path string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if name == "id" {
		name = nounOf(path) + "Id"
	}
	of := k.ids[name]
	if len(of) == 0 || random.IntN(10) == 0 {
		for _, others := range k.ids { // any order will do
			of = others
			break
		}
	}
	if len(of) == 0 || random.IntN(10) == 0 {
		return uuid.NewString()
	}
	return of[random.IntN(len(of))]
}

// nounOf is what a path is about: "trip" of /school-admin/transport/trip/:id.
func nounOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i := len(parts) - 1; i > 0; i-- {
		switch p := parts[i]; {
		case strings.HasPrefix(p, "{"), strings.HasPrefix(p, ":"):
		case i > 1 && strings.HasPrefix(parts[i-1], "{"): // an action on it
		case p == "list" || p == "create" || p == "record" || p == "upload":
		default:
			return strings.TrimSuffix(p, "s")
		}
	}
	return fmt.Sprint(parts)
}
