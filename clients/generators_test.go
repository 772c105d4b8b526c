package clients_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// unread are the words of JSON Schema that generators of OpenAPI 3.0 do not know, or make types of that their language does not have.
var unread = []string{"anyOf", "oneOf", "if", "then", "else", "const", "prefixItems", "contains", "patternProperties",
	"propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "$defs"}

// TestDocument_EverySchema_IsOneThatGeneratorsMakeATypeOf is for the calls that no quick start makes.
func TestDocument_EverySchema_IsOneThatGeneratorsMakeATypeOf(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole object
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	components := whole["components"].(object)
	for name, schema := range components["schemas"].(object) {
		at, s := "schemas."+name, schema.(object)
		if parts, extends := s["allOf"].([]any); extends { // by name, and by nothing beside
			if s["properties"] != nil {
				t.Errorf("%s has fields beside its allOf, which generators do not see", at)
			}
			readable(t, at, parts)
			continue
		}
		properties, _ := s["properties"].(object)
		for field, of := range properties {
			if strings.EqualFold(field, name) && of.(object)["enum"] != nil {
				t.Errorf("%s.%s has values of its own: their type would have the record's name", at, field)
			}
		}
		readable(t, at, schema)
	}
	for name, body := range components["requestBodies"].(object) {
		media, _ := body.(object)["content"].(object)["application/json"].(object)
		if schema, _ := media["schema"].(object); schema["properties"] != nil {
			t.Errorf("requestBodies.%s has a schema without a name: generators make no type of it", name)
		}
	}
	for _, section := range []string{"responses", "parameters", "requestBodies"} {
		readable(t, section, components[section])
	}
	readable(t, "paths", whole["paths"])
}

// readable looks for schemas that generators do not read, examples and what is not excepted.
func readable(t *testing.T, at string, value any) {
	t.Helper()
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			readable(t, at, one)
		}
	case object:
		isSchema := v["type"] != nil || v["$ref"] != nil || v["allOf"] != nil || slices.ContainsFunc(unread, func(word string) bool {
			_, isList := v[word].([]any)
			return isList
		})
		if isSchema && !strings.HasSuffix(at, ".properties") {
			for _, word := range unread {
				if v[word] != nil {
					t.Errorf("%s has %s", at, word)
				}
			}
			if v["allOf"] != nil {
				t.Errorf("%s extends a record in place: generators take its first part alone", at)
			}
		}
		for key, below := range v {
			if !slices.Contains([]string{"examples", "example", "not", "enum", "default"}, key) {
				readable(t, at+"."+key, below)
			}
		}
	}
}
