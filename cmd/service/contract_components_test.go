package service_test

import (
	"encoding/json"
	"os"
	"testing"
)

// TestContract_Components_HaveNamesOfTheirOwn: client generators (oapi-codegen) make types of schemas, answers and
// parameters in one namespace, and stop at two of one name.
func TestContract_Components_HaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Components map[string]map[string]any }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	for _, kind := range []string{"schemas", "responses", "parameters"} {
		for name := range doc.Components[kind] {
			if other := owner[name]; other != "" {
				t.Errorf("%s is among the %s and the %s", name, other, kind)
			}
			owner[name] = kind
		}
	}
	if len(owner) < 500 {
		t.Errorf("there are %d components", len(owner))
	}
}
