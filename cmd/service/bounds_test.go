package service_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// unbounded are the texts of requests that declare no maximum, and what bounds them instead.
var unbounded = map[string]string{
	"{token}":                       "48 bytes once decoded, else 404; the server takes no longer address than 64 KiB",
	"X-Homeroom-Console":            "only whether it is there is looked at",
	"file":                          "a file: read as it comes, cut off at 10 or 20 MiB",
	"data.customFields":             "its handler takes 64 KiB, of fields that are defined",
	"data.guardians[].customFields": "the same",
	"text/csv":                      "a file: read as it comes, cut off at 20 MiB",
}

// TestDocument_TextOrList_HasAMaximum walks the requests of every row: what has no bound takes as
// much work as a caller likes.
func TestDocument_TextOrList_HasAMaximum(t *testing.T) {
	t.Parallel()
	checkBounds(t, testkit.Shared(t), "/")
}

// checkBounds walks the requests of the paths that begin so.
func checkBounds(t *testing.T, app *testkit.App, prefix string) {
	t.Helper()
	d := readDocument(t, app)
	for _, op := range slices.Concat(d.operations, d.endings) {
		if !strings.HasPrefix(op.path, prefix) {
			continue
		}
		missing := map[string]bool{}
		note := func(at string, schema map[string]any) {
			if d.isUnbounded(schema) && unbounded[at] == "" {
				missing[at] = true
			}
		}
		for _, p := range op.parameters {
			name := p["name"].(string)
			if p["in"] == "path" {
				name = "{" + name + "}"
			}
			d.fields(name, d.resolve(p["schema"]), note)
		}
		for kind, schema := range op.body {
			if kind != "application/json" {
				note(kind, schema)
				kind = ""
			}
			d.fields("", schema, note)
		}
		for _, at := range slices.Sorted(maps.Keys(missing)) {
			t.Errorf("%s %s: %s has no maximum: say max=, or say here what bounds it", op.method, op.path, at)
		}
	}
}

// fields hands over every value of a schema with its path: data.guardians[].phone.
func (d *document) fields(at string, schema map[string]any, take func(at string, schema map[string]any)) {
	d.walkFields(at, schema, take, 0)
}

func (d *document) walkFields(at string, schema map[string]any, take func(string, map[string]any), depth int) {
	if schema == nil || depth > 8 {
		return
	}
	if at != "" {
		take(at, schema)
	}
	for _, of := range []string{"anyOf", "oneOf", "allOf"} {
		for _, option := range list(schema[of]) {
			if o := d.resolve(option); o["properties"] != nil || o["items"] != nil {
				d.walkFields(at, o, take, depth+1)
			}
		}
	}
	d.walkFields(at+"[]", d.resolve(schema["items"]), take, depth+1)
	if values := d.resolve(schema["additionalProperties"]); values != nil {
		d.walkFields(at+"{}", values, take, depth+1)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, of := range properties {
		d.walkFields(strings.TrimPrefix(at+"."+name, "."), d.resolve(of), take, depth+1)
	}
}

// isUnbounded reports whether a value may be as long as a caller likes.
func (d *document) isUnbounded(schema map[string]any) bool {
	has := func(keyword string) bool {
		if schema[keyword] != nil {
			return true
		}
		return slices.ContainsFunc(list(schema["allOf"]), func(also any) bool { return d.resolve(also)[keyword] != nil })
	}
	switch {
	case isType(schema, "string"):
		form := fmt.Sprint(schema["format"])
		return !has("maxLength") && !has("enum") && !has("const") && !slices.Contains([]string{"uuid", "date", "date-time"}, form)
	case isType(schema, "array"):
		return !has("maxItems")
	case d.resolve(schema["additionalProperties"]) != nil:
		return !has("maxProperties")
	}
	return schema["type"] == nil && schema["properties"] == nil && schema["anyOf"] == nil && schema["oneOf"] == nil &&
		schema["allOf"] == nil
}

func isType(schema map[string]any, kind string) bool {
	return schema["type"] == kind || slices.Contains(list(schema["type"]), any(kind))
}

// TestList_SearchBeyondItsBounds_IsRefused asks every list that searches by words, by GET and by its
// POST twin: each word is a condition, and a statement of thousands holds a core for minutes.
func TestList_SearchBeyondItsBounds_IsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	clients := map[api.RoleType]*testkit.Client{api.SchoolAdmin: s.As(t, api.SchoolAdmin), api.Teacher: s.As(t, api.Teacher)}
	for path, role := range map[string]api.RoleType{
		"/school-admin/student/list": api.SchoolAdmin, "/school-admin/employee/list": api.SchoolAdmin,
		"/school-admin/library/book/list": api.SchoolAdmin, "/teacher/library/search": api.Teacher,
	} {
		for text, want := range map[string]int{
			"a b c d e f g h i j": 200, "a b c d e f g h i j k": 422,
			strings.Repeat("é", 200): 200, strings.Repeat("é", 201): 422, strings.Repeat("a ", 100_000): 422,
		} {
			twin := clients[role].Call(t, "POST", path, map[string]any{"filters": map[string]any{"search": text}})
			if twin.Status != want {
				t.Errorf("POST %s of %d bytes: %d %s, want %d", path, len(text), twin.Status, short(twin.Body), want)
			}
			if len(text) < 1000 {
				if a := clients[role].Call(t, "GET", path+"?filters[search]="+url.QueryEscape(text), nil); a.Status != want {
					t.Errorf("GET %s of %d bytes: %d %s, want %d", path, len(text), a.Status, short(a.Body), want)
				}
			}
			if want != 200 && (len(twin.Failure(t).Details) != 1 || twin.Failure(t).Details[0].Field != "filters.search") {
				t.Errorf("POST %s: %s", path, short(twin.Body))
			}
		}
	}
}

// TestRefusal_OfManyBadFields_IsShort sends more bad elements and longer texts than anybody reads about.
func TestRefusal_OfManyBadFields_IsShort(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	filters := map[string]any{}
	for i := range 50_000 {
		filters[fmt.Sprint("f", i)] = "x"
	}
	ids := slices.Repeat([]any{"x"}, 90_000)
	for what, c := range map[string]struct {
		path string
		data map[string]any
	}{
		"ids that are none": {"/school-admin/fee/reminder/send", map[string]any{"studentIds": ids}},
		"marks of nobody": {"/school-admin/attendance/mark",
			map[string]any{"divisionId": ids[0], "date": strings.Repeat("9", 500_000),
				"records": slices.Repeat([]any{map[string]any{"studentId": "x"}}, 20_000)}},
		"filters that are none": {"/school-admin/student/list", map[string]any{"filters": filters}},
		"a filter with a long name": {"/school-admin/student/list",
			map[string]any{"filters": map[string]any{strings.Repeat("f", 500_000): "x"}}},
	} {
		a := admin.Call(t, "POST", c.path, c.data)
		if f := a.Failure(t); a.Status != 422 || len(f.Details) > 200 || len(a.Body) > 100_000 {
			t.Errorf("%s: %d, %d details in %d bytes: %s", what, a.Status, len(f.Details), len(a.Body), short(a.Body))
		}
	}
}

func TestBody_OfMoreValuesThanAnyRowTakes_IsTooLarge(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	objects := map[string]any{"guardians": slices.Repeat([]any{map[string]any{}}, 300_000)}
	admin.Refuses(t, "POST", "/school-admin/student/create", objects, 413, "")
	commas := map[string]any{"firstName": strings.Repeat(`,"`, 200_000)}
	admin.Refuses(t, "POST", "/school-admin/student/create", commas, 422, "")
}
