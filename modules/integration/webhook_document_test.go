package integration_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/api"
	"homeroom/modules/integration"
	"homeroom/testkit"
)

// object is what JSON has in braces.
type object = map[string]any

func TestWebhook_Fact_IsAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	r := newReceiver(t, nil)
	r.subscribe(t, admin, "class.changed")
	makeClass(t, admin, "Class 5")
	testkit.Eventually(t, "the fact is told", func() bool { return len(r.got()) == 1 })

	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.App.Nobody().Call(t, "GET", "/openapi.json", nil).Body))
	if err != nil {
		t.Fatal(err)
	}
	document := parsed.(object)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("api.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("api.json#/components/requestBodies/Fact/content/application~1json/schema")
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(r.bodies[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("the fact is not as documented: %v", err)
	}
	hooks := document["webhooks"].(object)
	said := hooks["class.changed"].(object)["post"].(object)
	parameters := document["components"].(object)["parameters"].(object)
	var documented []string
	for _, one := range said["parameters"].([]any) {
		ref := one.(object)["$ref"].(string)
		name := parameters[ref[strings.LastIndex(ref, "/")+1:]].(object)["name"].(string)
		if documented = append(documented, name); r.header.Get(name) == "" {
			t.Errorf("a fact has no header %s", name)
		}
	}
	for name := range r.header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "webhook-") && !slices.Contains(documented, name) {
			t.Errorf("the header %s is not documented", name)
		}
	}
	guide := document["info"].(object)["description"].(string)
	for _, kind := range integration.FactKinds() {
		if hooks[kind.Kind] == nil || !strings.Contains(guide, "| `"+kind.Kind+"` | "+kind.Title+" | "+kind.Record+" |") {
			t.Errorf("%s is not in the document, or not in its guide", kind.Kind)
		}
	}
}
