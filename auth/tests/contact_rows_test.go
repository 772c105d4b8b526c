package auth_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"homeroom/testkit"
)

// contactFields are the operations that take a phone or an e-mail, or a file of people.
func contactFields(t *testing.T) map[string]bool {
	t.Helper()
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(testkit.Shared(t).Nobody().Call(t, "GET", "/openapi.json", nil).Body, &doc); err != nil {
		t.Fatal(err)
	}
	var has func(v any, seen []string) bool
	has = func(v any, seen []string) bool {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := ref[strings.LastIndex(ref, "/")+1:]
				return !slices.Contains(seen, name) && has(doc.Components.Schemas[name], append(seen, name))
			}
			properties, _ := v["properties"].(map[string]any)
			for name := range properties {
				if name = strings.ToLower(name); strings.Contains(name, "phone") || strings.Contains(name, "email") {
					return true
				}
			}
			for _, inner := range v {
				if has(inner, seen) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, func(inner any) bool { return has(inner, seen) })
		}
		return false
	}
	found := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			var operation struct {
				RequestBody map[string]any `json:"requestBody"`
			}
			if method == "get" || json.Unmarshal(raw, &operation) != nil {
				continue
			}
			if has(operation.RequestBody, nil) || strings.HasSuffix(path, "/import") {
				found[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	return found
}

func TestEveryEndpointThatTakesAContact_IsInTheTable(t *testing.T) {
	t.Parallel()
	found := contactFields(t)
	if len(found) < len(writers) {
		t.Fatalf("only %d operations take a phone or an e-mail", len(found))
	}
	for operation := range found {
		if writers[operation] == nil && others[operation] == "" && !strings.Contains(operation, "/user-auth/") &&
			!strings.HasPrefix(operation, "POST /auth/") {
			t.Errorf("%s takes a phone or an e-mail: say in this file what it opens", operation)
		}
	}
	for operation := range writers {
		if !found[operation] {
			t.Errorf("%s is tried and takes neither phone nor e-mail", operation)
		}
	}
}
