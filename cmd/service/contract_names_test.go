package service_test

import (
	"encoding/json"
	"os"
	"slices"
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

// freeTexts are fields whose name has a list of values elsewhere, and which people write themselves.
var freeTexts = map[string]bool{
	"reason": true, "BookView.category": true, "BookFields.category": true, "BookChange.category": true, "Explanation.role": true,
	"StructureHeadInput.amountBy": true, // ignored
	"error":                       true, // of refusals a code, of records what went wrong
	"name":                        true, // of steps one of a few
	"purpose":                     true, // of files one of a few
	"WebhookFields.kinds":         true, // a wrong one is named
	"WebhookChange.kinds":         true,
}

func TestContract_FieldsWithValues_ListThemInAnswers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type property struct {
		Type   any
		Enum   []any
		Format string
		Items  *property
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]property }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{} // by name, a schema that lists its values
	for _, again := range []bool{false, true} {
		for schema, s := range doc.Components.Schemas {
			for name, p := range s.Properties {
				if p.Items != nil {
					p = *p.Items
				}
				isText := p.Type == "string" || slices.Contains(listOf(p.Type), any("string"))
				switch {
				case !isText || p.Format != "" || freeTexts[name] || freeTexts[schema+"."+name]:
				case len(p.Enum) > 0:
					listed[name] = schema
				case again && listed[name] != "":
					t.Errorf("%s.%s is a bare text, %s.%s has values: give it an enum tag", schema, name, listed[name], name)
				}
			}
		}
	}
	if len(listed) < 30 {
		t.Errorf("%d fields with values, want dozens", len(listed))
	}
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}
