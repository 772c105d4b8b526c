package roster_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const fieldsPath = "/school-admin/custom-field/"

// fielded is a school with custom fields of every kind.
type fielded struct {
	*testkit.School
	admin *testkit.Client
	of    map[string]roster.CustomField // by key
}

func newFielded(t *testing.T) *fielded {
	t.Helper()
	f := &fielded{School: testkit.NewSchool(t), of: map[string]roster.CustomField{}}
	f.admin = f.As(t, api.SchoolAdmin)
	for _, field := range []map[string]any{
		{"appliesTo": "STUDENT", "kind": "CHOICE", "label": "House", "options": []any{"Blue", " Red "}, "inList": true, "required": true},
		{"appliesTo": "STUDENT", "kind": "TEXT", "label": "Bus pass no."},
		{"appliesTo": "STUDENT", "kind": "YES_NO", "label": "Scholar", "inList": true},
		{"appliesTo": "STUDENT", "kind": "NUMBER", "label": "Height"},
		{"appliesTo": "STUDENT", "kind": "DATE", "label": "Baptism"},
		{"appliesTo": "GUARDIAN", "kind": "TEXT", "label": "Employer", "required": true},
		{"appliesTo": "EMPLOYEE", "kind": "NUMBER", "label": "खाता", "inList": true},
	} {
		made := testkit.Post[roster.CustomField](t, f.admin, fieldsPath+"create", field)
		f.of[made.Key] = made
	}
	return f
}

func (f *fielded) admit(t *testing.T, name string, values map[string]any) roster.StudentDetail {
	t.Helper()
	return testkit.Post[roster.StudentDetail](t, f.admin, "/school-admin/student/create", map[string]any{"firstName": name, "customFields": values})
}

func (f *fielded) find(t *testing.T, list, filter string) (names []string) {
	t.Helper()
	for _, s := range testkit.Get[api.Page[struct{ FirstName string }]](t, f.admin,
		list+"?filters[customFields]="+url.QueryEscape(filter)).Items {
		names = append(names, s.FirstName)
	}
	return names
}

func TestCustomField_Defined_IsCheckedKeptAndListed(t *testing.T) {
	t.Parallel()
	f := newFielded(t)
	if f.of["busPassNo"].Position != 2 || !f.of["busPassNo"].Personal || !slices.Equal(f.of["house"].Options, []string{"Blue", "Red"}) ||
		f.of["field"].Label != "खाता" {
		t.Errorf("defined %+v", f.of)
	}
	for name, c := range map[string]struct {
		values any
		field  string
		says   string
	}{
		"no object":           {[]int{1}, "customFields", "Custom fields must be an object"},
		"unknown":             {map[string]any{"house": "Red", "shoe": 7}, "customFields.shoe", `There is no custom field "shoe"`},
		"required":            {map[string]any{"scholar": true}, "customFields.house", "House is required"},
		"no option":           {map[string]any{"house": "Green"}, "customFields.house", "House must be one of Blue, Red"},
		"no flag":             {map[string]any{"house": "Red", "scholar": "yes"}, "customFields.scholar", "Scholar must be true or false"},
		"no number":           {map[string]any{"house": "Red", "height": "tall"}, "customFields.height", "Height must be a number of at most 12 digits and 6 decimals"},
		"no day":              {map[string]any{"house": "Red", "baptism": "2026-02-30"}, "customFields.baptism", "Baptism must be a date like 2026-11-15"},
		"no text":             {map[string]any{"house": "Red", "busPassNo": 7}, "customFields.busPassNo", "Bus pass no. must be a text"},
		"too long":            {map[string]any{"house": "Red", "busPassNo": strings.Repeat("x", 501)}, "customFields.busPassNo", "Bus pass no. must be at most 500 characters"},
		"of another's record": {map[string]any{"house": "Red", "employer": "Bank"}, "customFields.employer", `There is no custom field "employer"`},
	} {
		refused := f.admin.Refuses(t, "POST", "/school-admin/student/create", map[string]any{"firstName": "A", "customFields": c.values}, 422, "")
		if d := refused.Details[0]; d.Field != c.field || d.Message != c.says {
			t.Errorf("%s: %+v", name, refused.Details)
		}
	}
	asha := f.admit(t, "Asha", map[string]any{"house": " Blue ", "busPassNo": "=7", "scholar": true, "height": 120.5, "baptism": "2016-05-01"})
	const kept = `{"house":"Blue","height":120.5,"baptism":"2016-05-01","scholar":true,"busPassNo":"=7"}`
	if string(asha.CustomFields) != kept {
		t.Errorf("kept %s, want %s", asha.CustomFields, kept)
	}
	f.admit(t, "Ravi", map[string]any{"house": "Red"})
	for filter, want := range map[string][]string{`{"house":"Blue"}`: {"Asha"}, `{"scholar":true,"house":"Red"}`: nil, `{"busPassNo":"=7"}`: {"Asha"}} {
		if got := f.find(t, "/school-admin/student/list", filter); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", filter, got, want)
		}
	}
	for _, filter := range []string{`{"shoe":7}`, `{"house":"Green"}`, `{"house":null}`, `house`, `{}`} {
		f.admin.Refuses(t, "GET", "/school-admin/student/list?filters[customFields]="+url.QueryEscape(filter), nil, 422, "")
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(
		string(f.admin.Call(t, "GET", "/school-admin/student/list?format=csv", nil).Body), "\ufeff"))).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v %v", lines, err)
	}
	house, scholar := slices.Index(lines[0], "House"), slices.Index(lines[0], "Scholar")
	if house < 0 || scholar != house+1 || slices.Contains(lines[0], "Height") || lines[1][house] != "Blue" || lines[1][scholar] != "Yes" ||
		lines[2][house] != "Red" || lines[2][scholar] != "" {
		t.Errorf("the list's file is %v", lines)
	}
}

func TestCustomField_ChangedAndRetired_LeavesRecordsAsTheyAre(t *testing.T) {
	t.Parallel()
	f := newFielded(t)
	asha := f.admit(t, "Asha", map[string]any{"house": "Blue", "height": 120})
	change := func(values any) string {
		t.Helper()
		return string(testkit.Put[roster.StudentDetail](t, f.admin, path(asha), map[string]any{"customFields": values}).CustomFields)
	}
	refuses := func(values any, says string) {
		t.Helper()
		refused := f.admin.Refuses(t, "PUT", path(asha), map[string]any{"customFields": values}, 422, "")
		if refused.Details[0].Message != says {
			t.Errorf("%+v, want %s", refused.Details, says)
		}
	}
	if got := change(map[string]any{"height": nil, "scholar": false}); got != `{"house":"Blue","scholar":false}` {
		t.Errorf("changed to %s", got)
	}
	refuses(map[string]any{"house": nil}, "House is required")
	define := func(key string, more map[string]any) roster.CustomField {
		t.Helper()
		f.of[key] = testkit.Put[roster.CustomField](t, f.admin, fieldsPath+f.of[key].ID.String(), more)
		return f.of[key]
	}
	if got := define("house", map[string]any{"label": "Team", "options": []any{"Red"}, "position": 3}); got.Key != "house" || got.Position != 3 {
		t.Errorf("renamed %+v", got)
	}
	refuses(map[string]any{"house": "Green"}, "Team must be one of Red")
	if got := change(map[string]any{"house": "Blue", "scholar": true}); got != `{"house":"Blue","scholar":true}` {
		t.Errorf("sent back as it was read: %s", got)
	}
	define("house", map[string]any{"retired": true})
	refuses(map[string]any{"house": "Red"}, "Team is retired: it can only be cleared")
	if got := change(map[string]any{"house": "Blue", "height": 121}); !strings.Contains(got, `"Blue"`) {
		t.Errorf("a retired field's value is gone: %s", got)
	}
	f.admit(t, "Ravi", nil) // it is no longer required
	define("house", map[string]any{"retired": false})
	f.admin.Refuses(t, "POST", "/school-admin/student/create", map[string]any{"firstName": "Zoe"}, 422, "")
	refuses(nil, "Team is required")

	var order []string
	for _, field := range testkit.Get[api.Page[roster.CustomField]](t, f.admin, fieldsPath+"list?filters[appliesTo]=STUDENT").Items {
		order = append(order, fmt.Sprint(field.Position, field.Key))
	}
	if want := []string{"1busPassNo", "2scholar", "3house", "4height", "5baptism"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	for name, c := range map[string]map[string]any{
		"no options":      {"appliesTo": "STUDENT", "kind": "CHOICE", "label": "Club"},
		"an option twice": {"appliesTo": "STUDENT", "kind": "CHOICE", "label": "Club", "options": []any{"Chess", "chess"}},
		"no such kind":    {"appliesTo": "STUDENT", "kind": "COLOUR", "label": "Club"},
	} {
		if a := f.admin.Call(t, "POST", fieldsPath+"create", c); a.Status != 422 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	f.admin.Refuses(t, "POST", fieldsPath+"create", map[string]any{"appliesTo": "STUDENT", "kind": "TEXT", "label": "team"}, 409, "DUPLICATE_ENTRY")
	f.seed(t, 25)
	f.admin.Refuses(t, "POST", fieldsPath+"create", map[string]any{"appliesTo": "STUDENT", "kind": "TEXT", "label": "One more"}, 409, "")
	if n := f.Count(t, "audit_event", "entity = 'custom field'"); n != 10 {
		t.Errorf("%d entries of the audit log are about custom fields", n)
	}
}

// seed adds fields of students, more than a test should define one by one.
func (f *fielded) seed(t *testing.T, n int) {
	t.Helper()
	err := f.DB(t).Exec(`insert into custom_field (id, applies_to, key, label, kind, position)
		select gen_random_uuid(), 'STUDENT', 'seed' || n, 'Seed ' || n, 'TEXT', 5 + n from generate_series(1, ?::int) n`, n).Error
	if err != nil {
		t.Fatal(err)
	}
}

func TestCustomField_OfGuardiansAndEmployees_IsKeptAndReadByRight(t *testing.T) {
	t.Parallel()
	f := newFielded(t)
	phone := testkit.NewPhone()
	guardian := map[string]any{"firstName": "Meera", "phone": phone, "relation": "MOTHER"}
	child := map[string]any{"firstName": "Asha", "customFields": map[string]any{"house": "Red"}, "guardians": []any{guardian}}
	if refused := f.admin.Refuses(t, "POST", "/school-admin/student/create", child, 422, ""); refused.Details[0].Field !=
		"guardians[0].customFields.employer" || refused.Details[0].Message != "Employer is required" {
		t.Errorf("%+v", refused.Details)
	}
	guardian["customFields"] = map[string]any{"employer": "Bank"}
	asha := testkit.Post[roster.StudentDetail](t, f.admin, "/school-admin/student/create", child)
	if got := string(asha.Guardians[0].CustomFields); got != `{"employer":"Bank"}` {
		t.Errorf("the guardian has %s", got)
	}
	ravi := f.admit(t, "Ravi", map[string]any{"house": "Red"})
	delete(guardian, "customFields") // a guardian who is known is not asked again
	testkit.Post[any](t, f.admin, path(ravi)+"/guardians", guardian)
	of := path(asha) + "/guardians/" + asha.Guardians[0].GuardianID.String()
	if got := testkit.Put[roster.Guardianship](t, f.admin, of, map[string]any{"customFields": map[string]any{"employer": "School"}}); string(got.CustomFields) !=
		`{"employer":"School"}` {
		t.Errorf("changed to %s", got.CustomFields)
	}
	f.admin.Refuses(t, "PUT", of, map[string]any{"customFields": map[string]any{"employer": nil}}, 422, "")

	hired := testkit.Post[roster.EmployeeDetail](t, f.admin, "/school-admin/employee/create", map[string]any{"firstName": "Gopal",
		"phone": testkit.NewPhone(), "employeeType": "SUPPORT", "customFields": map[string]any{"field": 42}})
	if got := f.find(t, "/school-admin/employee/list", `{"field":42}`); string(hired.CustomFields) != `{"field":42}` || !slices.Equal(got, []string{"Gopal"}) {
		t.Errorf("hired %s, found %v", hired.CustomFields, got)
	}
	changed := testkit.Put[roster.EmployeeDetail](t, f.admin, "/school-admin/employee/"+hired.ID.String(),
		map[string]any{"customFields": map[string]any{"field": nil}})
	if string(changed.CustomFields) != "{}" {
		t.Errorf("cleared to %s", changed.CustomFields)
	}
	if file := f.admin.Call(t, "GET", "/school-admin/employee/list?format=csv", nil); !strings.Contains(string(file.Body), "खाता") {
		t.Errorf("the list's file is %s", file.Body)
	}

	role := testkit.Post[struct{ ID uuid.UUID }](t, f.admin, "/school-admin/permission/role/create",
		map[string]any{"name": "Personnel", "type": "SCHOOL_ADMIN"})
	for _, m := range testkit.Get[struct{ Modules []struct{ ID, Name string } }](t, f.admin, "/school-admin/permission/modules").Modules {
		if m.Name == "employee" {
			testkit.Put[any](t, f.admin, "/school-admin/permission/update", map[string]any{"roleId": role.ID,
				"permissions": []any{map[string]any{"moduleId": m.ID, "canRead": true, "canWrite": true, "canDelete": false}}})
		}
	}
	clerk := f.As(t, api.SchoolAdmin)
	if err := f.DB(t).Exec(`update app_user set role_id = ? where id = ?`, role.ID, clerk.UserID).Error; err != nil {
		t.Fatal(err)
	}
	page := testkit.Get[api.Page[roster.CustomField]](t, clerk, fieldsPath+"list")
	if page.Total != 1 || page.Items[0].AppliesTo != "EMPLOYEE" {
		t.Errorf("who reads employees alone sees %+v", page.Items)
	}
	clerk.Refuses(t, "PUT", fieldsPath+page.Items[0].ID.String(), map[string]any{"retired": true}, 403, "PERMISSION_DENIED")
}
