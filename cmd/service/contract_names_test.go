package service_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"homeroom/api"
)

// Names are in headers of e-mails, in lists and on printed papers: one of two lines is refused.
func TestContract_NamesInRequests_AreOneLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths      map[string]map[string]struct{ RequestBody any }
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	rule := api.Patterns()["name"].String()
	names := 0
	var walk func(where string, v any, depth int)
	walk = func(where string, v any, depth int) {
		if list, ok := v.([]any); ok {
			for _, item := range list {
				walk(where, item, depth)
			}
		}
		object, ok := v.(map[string]any)
		if !ok || depth > 20 {
			return
		}
		if ref, ok := object["$ref"].(string); ok {
			walk(where, doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")], depth+1)
		}
		for key, below := range object {
			if properties, ok := below.(map[string]any); ok && key == "properties" {
				for name, property := range properties {
					schema, _ := property.(map[string]any)
					if (name == "name" || strings.HasSuffix(name, "Name")) && schema["type"] == "string" && schema["enum"] == nil {
						names++
						if pattern, _ := schema["pattern"].(string); !strings.HasSuffix(pattern, rule) {
							t.Errorf("%s: %s may have two lines: give it the rule name", where, name)
						}
					}
				}
			}
			walk(where, below, depth+1)
		}
	}
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			walk(strings.ToUpper(method)+" "+path, operation.RequestBody, 0)
		}
	}
	if names < 30 {
		t.Errorf("only %d names were found", names)
	}
}
