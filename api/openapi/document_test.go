package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"homeroom/api"
)

// documentOf loads the rows' document the way a client's tool does.
func documentOf(t *testing.T, rows ...api.Row) (*openapi3.T, []byte) {
	t.Helper()
	raw, err := Document(kernelOf(t, rows...))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc, raw
}

func TestTheDocumentIsValidOpenAPI31(t *testing.T) {
	t.Parallel()
	doc, raw := documentOf(t, sampleRows()...)
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("it calls itself %q", doc.OpenAPI)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	if noise := regexp.MustCompile(`homeroom|\[|·`).FindString(strings.Join(slices.Sorted(maps.Keys(doc.Components.Schemas)), " ")); noise != "" {
		t.Errorf("component names carry %q: %v", noise, slices.Sorted(maps.Keys(doc.Components.Schemas)))
	}
	if bytes.Contains(raw, []byte("u003c")) {
		t.Error("text is escaped for HTML")
	}
}

func TestTheDocumentIsTheSameByteForByteWhateverTheOrderOfRows(t *testing.T) {
	t.Parallel()
	_, first := documentOf(t, sampleRows()...)
	for range 5 {
		rows := sampleRows()
		slices.Reverse(rows)
		if _, again := documentOf(t, rows...); !bytes.Equal(first, again) {
			t.Fatal("two writings differ")
		}
	}
}

func TestEveryReferenceLeadsToAComponentAndEveryComponentIsUsed(t *testing.T) {
	t.Parallel()
	doc, raw := documentOf(t, sampleRows()...)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"#/components/([^"]+)"`).FindAllSubmatch(raw, -1) {
		used[string(m[1])] = true
	}
	for name := range doc.Components.Schemas {
		if !used["schemas/"+name] {
			t.Errorf("schema %s is not used", name)
		}
		delete(used, "schemas/"+name)
	}
	for name := range doc.Components.Responses {
		delete(used, "responses/"+name)
	}
	for name := range doc.Components.Headers {
		delete(used, "headers/"+name)
	}
	for name := range doc.Components.Parameters {
		delete(used, "parameters/"+name)
	}
	for name := range doc.Components.Examples {
		delete(used, "examples/"+name)
	}
	if len(used) > 0 {
		t.Errorf("references to nothing: %v", used)
	}
}

func TestARowWithoutABodyMayRefuseTheKeyItTakes(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, api.Post("/school-admin/fee/:id/close", "fee", "Close a bill", answering[oneStudent, api.Nothing](),
		api.Idempotent))
	if doc.Paths.Value("/school-admin/fee/{id}/close").Post.Responses.Value("422") == nil {
		t.Error("an Idempotency-Key that is not printable is answered 422, which the document does not promise")
	}
}

func TestARowIsDocumentedWithWhatItCanReallyAnswer(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, sampleRows()...)
	for id, want := range map[string]string{
		"getSchoolAdminStudentList":          "200 400 401 403 404 422 429 5XX",
		"postSchoolAdminStudentCreate":       "201 400 401 403 404 409 413 422 429 5XX",
		"deleteSchoolAdminStudentById":       "204 400 401 403 404 409 422 429 5XX",
		"getBusTrackingBusByBusIdLive":       "200 400 401 403 404 422 429 5XX",
		"postAuthLogin":                      "200 400 401 413 422 429 5XX",
		"postAuthLogout":                     "200 400 401 403 422 429 5XX",
		"postSuperAdminSchoolCreate":         "201 400 401 403 409 413 422 429 5XX",
		"postSchoolAdminFeeCollectionRecord": "200 400 401 403 404 409 413 422 429 5XX",
		"getSchoolAdminAttendanceReport":     "200 400 401 403 404 422 429 5XX",
		"postSchoolAdminStudentList":         "200 400 401 403 404 413 422 429 5XX",
		"putSchoolAdminStudentById":          "200 400 401 403 404 409 413 422 429 5XX",
		"getSchoolAdminStudentById":          "200 400 401 403 404 422 429 5XX",
		"postTeacherStudentCreate":           "201 400 401 403 404 409 413 422 429 5XX",
	} {
		op := operationByID(doc, id)
		if op == nil {
			t.Errorf("no operation %s", id)
			continue
		}
		if got := strings.Join(slices.Sorted(maps.Keys(op.Responses.Map())), " "); got != want {
			t.Errorf("%s answers %s, want %s", id, got, want)
		}
	}
	if teacher := operationByID(doc, "postTeacherStudentCreate").Responses.Value("403"); !strings.Contains(teacher.Ref, "EvaluationMode") {
		t.Errorf("a teacher's write has %s", teacher.Ref)
	}
	if admin := operationByID(doc, "postSchoolAdminStudentCreate").Responses.Value("403"); strings.Contains(admin.Ref, "EvaluationMode") {
		t.Errorf("an administrator's write has %s", admin.Ref)
	}
}

func TestAChangeHasEveryFieldAndRequiresNone(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, sampleRows()...)
	s := doc.Components.Schemas["ChangeStudent"].Value
	if len(s.Required) > 0 {
		t.Errorf("it requires %v", s.Required)
	}
	want := "bornOn classId firstName gender guardians lastName version"
	if got := strings.Join(slices.Sorted(maps.Keys(s.Properties)), " "); got != want {
		t.Errorf("it has %s, want %s", got, want)
	}
	created := doc.Components.Schemas["StudentFields"].Value
	if got := strings.Join(created.Required, " "); got != "bornOn classId firstName guardians" {
		t.Errorf("creating requires %s", got)
	}
}

func TestAListDocumentsItsFiltersAndSortsOnBothItsForms(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, sampleRows()...)
	var names []string
	for _, p := range operationByID(doc, "getSchoolAdminStudentList").Parameters {
		names = append(names, p.Value.Name)
		switch p.Value.Name {
		case "sort[field]":
			if got := p.Value.Schema.Value; len(got.Enum) != 2 || got.Default != "createdAt" {
				t.Errorf("sorts: %v, default %v", got.Enum, got.Default)
			}
		case "sort[order]":
			if got := p.Value.Schema.Value.Default; got != "desc" {
				t.Errorf("default order %v", got)
			}
		case "filters[bornAfter]":
			if got := p.Value.Description; got != "Only from this one on." {
				t.Errorf("a comparison is documented as %q", got)
			}
		case "limit":
			if got := p.Value.Schema.Value.Max; got == nil || *got != api.MaxLimit {
				t.Errorf("limit's maximum %v", got)
			}
		}
	}
	want := "page limit filters[active] filters[bornAfter] filters[classId] filters[gender] filters[roll] filters[search] sort[field] sort[order] format"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("parameters %s, want %s", got, want)
	}
	data := operationByID(doc,
		"postSchoolAdminStudentList").RequestBody.Value.Content["application/json"].Schema.Value.Properties["data"].Value
	if got := strings.Join(slices.Sorted(maps.Keys(data.Properties["filters"].Value.Properties)), " "); got != "active bornAfter classId gender roll search" {
		t.Errorf("the twin filters by %s", got)
	}
	page := operationByID(doc,
		"getSchoolAdminStudentList").Responses.Value("200").Value.Content["application/json"].Schema.Value.Properties["data"]
	if page.Ref != "#/components/schemas/StudentViewPage" {
		t.Errorf("a list answers %q", page.Ref)
	}
}

func TestARowsOptionsAreDocumented(t *testing.T) {
	t.Parallel()
	doc, _ := documentOf(t, sampleRows()...)
	pay := operationByID(doc, "postSchoolAdminFeeCollectionRecord")
	if len(pay.Parameters) != 1 || pay.Parameters[0].Value.Name != "Idempotency-Key" {
		t.Errorf("an idempotent row has parameters %v", pay.Parameters)
	}
	if got := pay.Extensions["x-limit-class"]; got != "write" {
		t.Errorf("limit class %v", got)
	}
	permission, _ := json.Marshal(pay.Extensions["x-permission"])
	if string(permission) != `{"action":"write","module":"fee","roles":["SCHOOL_ADMIN"]}` {
		t.Errorf("permission %s", permission)
	}
	login := operationByID(doc, "postAuthLogin")
	if login.Security == nil || len(*login.Security) != 0 || pay.Security != nil || len(doc.Security) == 0 {
		t.Error("a sign-in asks for a token, or a payment does not")
	}
	body := login.RequestBody.Value.Content["application/json"].Schema
	if body.Ref != "#/components/schemas/SignInRequest" {
		t.Errorf("a sign-in's body is %q, not flat", body.Ref)
	}
	answer := login.Responses.Value("200").Value.Content["application/json"].Schema.Value
	if got := strings.Join(slices.Sorted(maps.Keys(answer.Properties)), " "); got != "accessToken data message user" {
		t.Errorf("a sign-in answers %s", got)
	}
	if got := login.Tags[0]; got != "Everyone · Signing in" {
		t.Errorf("tag %q", got)
	}
}

func TestTheGuideNamesEveryCodeAndWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	k := kernelOf(t, sampleRows()...)
	spec, err := describe(k)
	if err != nil {
		t.Fatal(err)
	}
	text := spec.Info.Description
	for _, want := range []string{
		"| `OTP_EXPIRED` | 400 |",
		"| School admin | Students | `SCHOOL_ADMIN` | `SCHOOL_ADMIN` | `SCHOOL_ADMIN` |",
		"| Teachers app | Students | – | once granted | – |",
		"| Everyone | Transport | `DRIVER`, `PARENT`, `SCHOOL_ADMIN`, `TEACHER` | – | – |",
		"| Super admin | School | – | `SUPER_ADMIN` | – |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide does not say %q", want)
		}
	}
	if strings.Contains(text, "{{") {
		t.Error("the guide has an empty place")
	}
}

func TestTypesOfOneNameAreToldApartByTheirPackages(t *testing.T) {
	t.Parallel()
	type Time struct { // as in package time
		Hour int `json:"hour"`
	}
	names := (&schemas{built: map[schemaUse]schema{
		{t: reflect.TypeFor[Time]()}: {}, {t: reflect.TypeFor[uuid.Time]()}: {}, {t: reflect.TypeFor[api.Page[api.Page[Time]]]()}: {},
		{t: reflect.TypeFor[studentFields](), input: true}: {}, {t: reflect.TypeFor[studentFields]()}: {},
		{t: reflect.TypeFor[paymentRequest](), input: true}: {},
	}}).names()
	for use, want := range map[schemaUse]string{
		{t: reflect.TypeFor[Time]()}:                        "OpenapiTime",
		{t: reflect.TypeFor[uuid.Time]()}:                   "UuidTime",
		{t: reflect.TypeFor[api.Page[api.Page[Time]]]()}:    "TimePagePage",
		{t: reflect.TypeFor[studentFields](), input: true}:  "StudentFieldsInput",
		{t: reflect.TypeFor[studentFields]()}:               "StudentFields",
		{t: reflect.TypeFor[paymentRequest](), input: true}: "PaymentRequest",
	} {
		if names[use] != want {
			t.Errorf("%v is %s, want %s", use.t, names[use], want)
		}
	}
}

func operationByID(doc *openapi3.T, id string) *openapi3.Operation {
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID == id {
				return op
			}
		}
	}
	return nil
}
