package openapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"homeroom/api"
)

type rulesBase struct {
	Email string `json:"email" validate:"omitempty,email"`
	Phone string `json:"phone" validate:"required_without=Email"`
}

type rulesAll struct {
	A string `json:"a"`
	B string `json:"b"`
	C string `json:"c" validate:"required_without_all=A B"`
	D string `json:"d" validate:"required_with=A"`
}

type rulesNested struct {
	Guardian guardianInput `json:"guardian"`
}

// What the document allows is what the service takes: each rule is asked of both.
func TestTheDocumentAndTheServiceAgreeOnEveryRule(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	for _, c := range []struct {
		tag  string
		of   any
		good string // JSON values, one per line; - is left out
		bad  string
	}{
		{"required", "", `"a"`, "\"\"\n-"},
		{"required", 0, "1\n-1", "0\n-"},
		{"required", false, "true", "false\n-"},
		{"required", []string{}, "[]\n[\"a\"]", "-"},
		{"required", new(int), "0\n5", "-"},
		{"required", uuid.UUID{}, `"` + id + `"`, "-"},
		{"required", api.Date{}, `"2026-11-30"`, "-"},
		{"", "", "\"\"\n\"a\"\n-", ""},
		{"omitempty,min=2,max=3", "", "\"ab\"\n\"नमस\"\n-", "\"a\"\n\"abcd\""},
		{"min=2", "", `"ab"`, "\"a\"\n-"},
		{"min=1,max=5", 0, "1\n5", "0\n6\n-"},
		{"gt=0", int64(0), "1", "0\n-1\n-"},
		{"gte=0,lt=10", 0, "0\n9\n-", "-1\n10"},
		{"lte=1.5", 0.0, "1.5\n-", "1.6"},
		{"required,min=1,max=2", []int{}, "[1]\n[1,2]", "[]\n[1,2,3]\n-"},
		{"omitempty,len=6,number", "", "\"123456\"\n-", "\"12345\"\n\"abcdef\""},
		{"required,len=2", []int{}, "[1,2]", "[1]\n-"},
		{"omitempty,gt=2", "", "\"abc\"\n-", `"ab"`},
		{"omitempty,lt=3", "", "\"ab\"\n-", `"abc"`},
		{"omitempty,max=1", map[string]int{}, "{\"a\":1}\n-", `{"a":1,"b":2}`},
		{"required,oneof=SICK CASUAL 'NOT WELL'", "", "\"SICK\"\n\"NOT WELL\"", "\"sick\"\n\"\"\n-"},
		{"omitempty,oneof=1 2", 0, "1\n-", "3"},
		{"required,email", "", `"asha@example.org"`, "\"\"\n-"},
		{"required,e164", "", `"+919812345678"`, "\"98\"\n\"phone\"\n-"},
		{"required,uuid", "", `"` + id + `"`, "\"\"\n-"},
		{"required,notblank", "", `" a "`, "\"  \"\n\"\"\n-"},
		{"required,hhmm", "", "\"08:30\"\n\"23:59\"", "\"24:00\"\n\"8:30\"\n-"},
		{"required,currency", "", `"INR"`, "\"inr\"\n\"RUPEE\"\n-"},
		{"required,code", "", `"GHS-01"`, "\"-x\"\n\"x\"\n-"},
		{"required,timezone", "", `"Asia/Kolkata"`, "\"Asia Kolkata\"\n-"},
		{"omitempty,number", "", "\"007\"\n-", "\"+7\"\n\"a\""},
		{"omitempty,latitude", 0.0, "12.97\n-90\n-", "90.1"},
		{"omitempty,longitude", 0.0, "-180\n77.5\n-", "180.5"},
		{"omitempty,unique", []int{}, "[1,2]\n-", "[1,1]"},
		{"omitempty,dive,required,max=3", []string{}, "[\"abc\"]\n[]\n-", "[\"\"]\n[\"abcd\"]"},
		{"omitempty,dive,min=1", map[string]int{}, "{\"a\":1}\n-", `{"a":0}`},
		{"required,dive", []guardianInput{}, `[{"name":"a","phone":"+919812345678"}]`, "[{}]\n[{\"name\":\"a\"}]\n-"},
		{"omitempty,min=3", new(int), "3\nnull\n-", "2"},
	} {
		f := reflect.StructField{Name: "V", Type: reflect.TypeOf(c.of), Tag: reflect.StructTag(`json:"v" validate:"` + c.tag + `"`)}
		if c.tag == "" {
			f.Tag = `json:"v"`
		}
		both := newVerdict(t, reflect.StructOf([]reflect.StructField{f}))
		for want, values := range map[bool]string{true: c.good, false: c.bad} {
			for _, value := range strings.Split(values, "\n") {
				body := `{"v":` + value + `}`
				if value == "-" {
					body = "{}"
				}
				if value != "" {
					both.expect(t, c.tag, body, want)
				}
			}
		}
	}
}

// Validators differ on whether a format is checked, so it is looked for by name.
func TestFormatsAreNamed(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, api.Create("/school-admin/class/create", "class", "Add", answering[struct {
		Email  string    `json:"email" validate:"email"`
		Text   string    `json:"uuid" validate:"uuid"`
		ID     uuid.UUID `json:"id"`
		Day    api.Date  `json:"date"`
		Moment time.Time `json:"date-time"`
	}, api.Nothing]()))
	data := operationByID(doc,
		"postSchoolAdminClassCreate").RequestBody.Value.Content["application/json"].Schema.Value.Properties["data"].Value
	for name, format := range map[string]string{"email": "email", "uuid": "uuid", "id": "uuid", "date": "date", "date-time": "date-time"} {
		if got := data.Properties[name].Value.Format; got != format {
			t.Errorf("%s has format %q", name, got)
		}
	}
}

func TestTheDocumentAndTheServiceAgreeOnFieldsThatNeedEachOther(t *testing.T) {
	t.Parallel()
	without := newVerdict(t, reflect.TypeFor[rulesBase]())
	without.expect(t, "required_without", `{"email":"a@example.org"}`, true)
	without.expect(t, "required_without", `{"phone":"1"}`, true)
	without.expect(t, "required_without", `{}`, false)
	all := newVerdict(t, reflect.TypeFor[rulesAll]())
	all.expect(t, "required_without_all", `{"b":"x"}`, true)
	all.expect(t, "required_without_all", `{"c":"x"}`, true)
	all.expect(t, "required_without_all", `{}`, false)
	all.expect(t, "required_with", `{"a":"x"}`, false)
	all.expect(t, "required_with", `{"a":"x","d":"y"}`, true)
	nested := newVerdict(t, reflect.TypeFor[rulesNested]())
	nested.expect(t, "a struct that needs something inside", `{}`, false)
	nested.expect(t, "a struct that needs something inside", `{"guardian":{"name":"a","phone":"+919812345678"}}`, true)
}

// verdict asks the validator and the document about the same body.
type verdict struct {
	t      reflect.Type
	kernel *api.Kernel
	schema *openapi3.Schema
}

func newVerdict(t *testing.T, of reflect.Type) verdict {
	t.Helper()
	k := kernelOf(t)
	s := newSchemas(k)
	built, err := s.of(of, schemaUse{input: true})
	if err != nil {
		t.Fatal(err)
	}
	components, err := s.components()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "t", "version": "1"}, "paths": map[string]any{},
		"components": map[string]any{"schemas": merged(components, built)},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return verdict{of, k, doc.Components.Schemas["Root"].Value}
}

func merged(components map[string]map[string]any, root schema) map[string]any {
	out := map[string]any{"Root": root}
	for name, s := range components {
		out[name] = s
	}
	return out
}

func (v verdict) expect(t *testing.T, tag, body string, want bool) {
	t.Helper()
	req := reflect.New(v.t)
	if err := json.Unmarshal([]byte(body), req.Interface()); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if err := v.kernel.Validate(req.Interface()); (err == nil) != want {
		t.Errorf("%s: the service on %s: %v, want ok %v", tag, body, err, want)
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatal(err)
	}
	err := v.schema.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation())
	if (err == nil) != want {
		t.Errorf("%s: the document on %s: %v, want ok %v", tag, body, err, want)
	}
}

func TestMount_RowThatCannotBeDescribed_IsRefused(t *testing.T) {
	t.Parallel()
	type unknown struct {
		People []struct {
			Card string `json:"card" validate:"required,luhn_checksum"`
		} `json:"people"`
	}
	type across struct {
		From api.Date `json:"from" validate:"required"`
		To   api.Date `json:"to" validate:"gtefield=From"`
	}
	type sized struct {
		Day api.Date `json:"day" validate:"min=3"`
	}
	type nameless struct {
		Name string `validate:"required"`
	}
	type nested struct {
		Inner guardianInput `json:"inner"`
	}
	type channel struct {
		C chan int `json:"c"`
	}
	for _, c := range []struct {
		row  api.Row
		says []string
	}{
		{api.Create("/school-admin/class/create", "class", "s", answering[unknown, api.Nothing]()),
			[]string{"POST /school-admin/class/create", "people", "card", "luhn_checksum"}},
		{api.Create("/school-admin/class/create", "class", "s", answering[across, api.Nothing]()), []string{"field to", "gtefield=From"}},
		{api.Create("/school-admin/class/create", "class", "s", answering[sized, api.Nothing]()), []string{"field day", "min=3"}},
		{api.Create("/school-admin/class/create", "class", "s", answering[nameless, api.Nothing]()), []string{"field Name", "json"}},
		{api.Create("/school-admin/class/create", "class", "s", answering[api.Nothing, channel]()), []string{"answer", "field c", "chan int"}},
		{api.Get("/school-admin/class/report", "class", "s", answering[nested, api.Nothing]()), []string{"field inner", "query"}},
		{api.Get("/school-admin/class/:classId", "class", "s", answering[oneStudent, api.Nothing]()), []string{`path tag "id"`, "no :id"}},
		{api.Get("/school-admin/class/:id", "class", "s", answering[api.Nothing, api.Nothing]()), []string{"has :id", `path tag "id"`}},
	} {
		err := Mount(kernelOf(t, c.row))
		if err == nil {
			t.Errorf("%s with %v was mounted", c.row.Name(), c.row.Request)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}
