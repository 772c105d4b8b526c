package service_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/api"
	"homeroom/testkit"
)

// document is the API as /openapi.json tells it.
type document struct {
	root       map[string]any
	operations []*operation
	endings    []*operation // those that end a session or a school
}

// operation is one endpoint of it.
type operation struct {
	method, path string
	roles        []api.RoleType
	parameters   []map[string]any
	body         map[string]map[string]any  // schema by content type
	answers      map[int]*jsonschema.Schema // by status; nil where the body is no JSON
	kinds        map[int][]string           // content types, by status
}

func (o *operation) anyRole(random *rand.Rand) api.RoleType {
	if len(o.roles) == 0 {
		return everyRole[random.IntN(len(everyRole))]
	}
	return o.roles[random.IntN(len(o.roles))]
}

// Some calls end what the others need: people are signed out, or the school is shut. They
// are made when a school has served its time. Some would never end.
var (
	endings = []string{"/auth/logout", "/auth/logout-all", "/auth/sessions", "/auth/switch", "/revoke-sessions", "/suspend", "/archive"}
	endless = []string{"/stream", "/dev/"}
)

func holdsAny(path string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(path, part) })
}

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
		if holdsAny(path, endless) {
			continue
		}
		for method, value := range methods.(map[string]any) {
			of, ok := value.(map[string]any)
			if !ok || of["responses"] == nil {
				continue
			}
			op := &operation{method: strings.ToUpper(method), path: path, body: map[string]map[string]any{}, answers: map[int]*jsonschema.Schema{},
				kinds: map[int][]string{}}
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
				op.kinds[code] = slices.Collect(maps.Keys(content))
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
			if holdsAny(path, endings) {
				d.endings = append(d.endings, op)
			} else {
				d.operations = append(d.operations, op)
			}
		}
	}
	for _, ops := range [][]*operation{d.operations, d.endings} {
		slices.SortFunc(ops, func(a, b *operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	}
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
