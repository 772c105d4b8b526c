package openapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestDocument_EqualParametersAndAnswers_AreComponents(t *testing.T) {
	t.Parallel()
	doc, raw := documentOf(t, sampleRows()...)
	for _, id := range []string{"getSchoolAdminStudentById", "putSchoolAdminStudentById", "deleteSchoolAdminStudentById"} {
		if got := operationByID(doc, id).Parameters[0].Ref; got != "#/components/parameters/Id" {
			t.Errorf("%s has its id as %q", id, got)
		}
	}
	get, put := operationByID(doc, "getSchoolAdminStudentById").Responses.Value("200"),
		operationByID(doc, "putSchoolAdminStudentById").Responses.Value("200")
	if want := "#/components/responses/StudentViewAnswer"; get.Ref != want || put.Ref != want {
		t.Errorf("answers %q and %q, want %q", get.Ref, put.Ref, want)
	}
	var said struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Description string }
		}
		Components struct {
			Responses map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	if got := said.Components.Responses["StudentViewAnswer"].Description; got != "Student added" {
		t.Errorf("the component says %q", got)
	}
	for method, want := range map[string]string{"get": "OK", "put": "Student changed"} {
		if got := said.Paths["/school-admin/student/{id}"][method].Responses["200"].Description; got != want {
			t.Errorf("%s says %q, want %q", method, got, want)
		}
	}
}

func TestDocument_PartsOfOneName_AreSharedOnce(t *testing.T) {
	t.Parallel()
	parts := sharing[parameter]{section: "parameters", components: map[string]parameter{"Taken": {Name: "taken"}}}
	often, rare := parameter{Name: "page", In: inQuery}, parameter{Name: "page", In: inHeader}
	for _, p := range []parameter{often, often, often, rare, rare, {Name: "once"}} {
		parts.count(p, p.Ref, camel(p.Name))
	}
	for range 2 {
		parts.count(parameter{Name: "taken", In: inPath}, "", "Taken")
	}
	parts.choose()
	for part, want := range map[*parameter]string{&often: "#/components/parameters/Page", &rare: "", {Name: "once"}: "", {Name: "taken", In: inPath}: ""} {
		if got := parts.reference(*part); got != want {
			t.Errorf("%+v is %q, want %q", *part, got, want)
		}
	}
}

func TestLayOut_ChangesNothingButSpaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", lineWidth)
	text := `{"a,\"{":"` + long + `,}]","b":[1,{"c":"` + long + `"},[],"` + long + `"],"d":{},"e":null}`
	var out, compact bytes.Buffer
	layOut(&out, []byte(text), 0)
	if err := json.Compact(&compact, out.Bytes()); err != nil || compact.String() != text {
		t.Errorf("%v: %s became %s", err, text, out.String())
	}
	if lines := strings.Count(out.String(), "\n"); lines != 12 {
		t.Errorf("%d line breaks:\n%s", lines, out.String())
	}
}
