package service_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/imports"
	"homeroom/testkit"
)

// openTexts are the names of fields of answers whose values nobody can list, by what they are. A text of another name says its
// values with an enum tag (or its form: a date, an id).
var openTexts = strings.Fields(`
	what_people_write: allergies author body by category conduct description designation department dayOff label medicalNotes message
		narration note occupation options previousSchool problem publisher purpose qualification reason remark resolution subject text title
		venue error_description imsx_description rule lastMessage with admissionNumberPattern amountInWords why will missing whatToChange
	records_by_name: name code key guardians admittedTo lastClass lastDivision lastYear booksOut subjects failedSubjects division divisions
		grade head node role room shelf barcode isbn number from to recipient newClasses newDivisions newSubjects
	what_is_elsewhere_the_module's_to_say: module field error inUse standbyTrouble
	words_of_the_audit_log_which_are_as_many_as_features: action entity
	of_files: cells column header knownColumns unknownColumns samples separator sheet sha256
	addresses_and_secrets: address email phone website url uri ip issuer domains clientId access_token scope secret publicKey recoveryCodes
		next
	of_standards_too_long_to_list: locale timeZone currency serverVersion bloodGroup digestAt
	ids_that_are_no_UUIDs: schoolId entityId requestId clientEventId device`)

// openEnds are what such names end with.
var openEnds = regexp.MustCompile(`(Name|Number|Phone|Note|Error|Url|URL|Token|Address|Secret|Text|Hash|Reason|Code)$`)

func TestContract_BareTextOfAnAnswer_HasANameWithoutValues(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	met := map[string]bool{}
	var walk func(where string, value any)
	walk = func(where string, value any) {
		if list, ok := value.([]any); ok {
			for _, one := range list {
				walk(where, one)
			}
		}
		object, _ := value.(map[string]any)
		if ref, ok := object["$ref"].(string); ok && !met[ref] {
			met[ref] = true
			var at any = doc
			for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				at = at.(map[string]any)[part]
			}
			walk(ref, at)
		}
		properties, _ := object["properties"].(map[string]any)
		for name, property := range properties {
			schema, _ := property.(map[string]any)
			if !isBareText(schema) {
				continue
			}
			if found[name] = true; !slices.Contains(openTexts, name) && !openEnds.MatchString(name) {
				t.Errorf("%s: %s may be any text: list its values in an enum tag, or its name among openTexts", where, name)
			}
		}
		for key, below := range object {
			if key != "examples" {
				walk(where, below)
			}
		}
	}
	for path, methods := range doc["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			walk(method+" "+path, operation.(map[string]any)["responses"])
		}
	}
	for _, name := range openTexts {
		if !found[name] && !strings.HasSuffix(name, ":") {
			t.Errorf("no answer has a bare text %s any more: take it off openTexts", name)
		}
	}
}

// isBareText reports whether a field, or an item of one, is a text of which the document says neither values nor form.
func isBareText(schema map[string]any) bool {
	if items, ok := schema["items"].(map[string]any); ok {
		schema = items
	}
	for _, word := range []string{"enum", "const", "format", "pattern", "anyOf", "contentEncoding", "contentMediaType"} {
		if schema[word] != nil {
			return false
		}
	}
	return schema["type"] == "string" || slices.Contains(listOf(schema["type"]), any("string"))
}

// untyped are the fields that may hold anything, by what decides it.
var untyped = map[string]string{
	"before":     "of the audit: what was changed, a record or a list of them",
	"after":      "of the audit, as before it",
	"data":       "of a refusal: its code",
	"publicKey*": "options of a passkey: the browser's standard",
}

func TestContract_EveryField_SaysItsType(t *testing.T) {
	t.Parallel()
	var walk func(name string, value any)
	walk = func(name string, value any) {
		for _, one := range listOf(value) {
			walk(name, one)
		}
		object, _ := value.(map[string]any)
		fields := map[string]any{}
		if properties, ok := object["properties"].(map[string]any); ok {
			maps.Copy(fields, properties)
		}
		if values, ok := object["additionalProperties"].(map[string]any); ok {
			fields[name+"*"] = values
		}
		for field, schema := range fields {
			typed := slices.ContainsFunc([]string{"type", "$ref", "allOf", "anyOf", "oneOf", "enum", "const"}, func(word string) bool {
				return schema.(map[string]any)[word] != nil
			})
			if !typed && untyped[field] == "" {
				t.Errorf("%s.%s may be anything: a client cannot be made for it", name, field)
			}
			walk(field, schema)
		}
		for key, below := range object {
			if key != "properties" && key != "examples" {
				walk(name, below)
			}
		}
	}
	walk("", readDocument(t, testkit.Shared(t)).root)
}

func TestContract_KindsOfImports_AreAllListed(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	maker := newMaker(t, s)
	var runs []string
	for _, m := range s.App.Service.Kernel.Modules {
		for _, example := range m.Examples {
			if example.Table == "import_run" {
				example.Make(maker)
			}
		}
	}
	if err := s.DB(t).Raw(`select distinct kind from import_run order by kind`).Scan(&runs).Error; err != nil {
		t.Fatal(err)
	}
	field, _ := reflect.TypeFor[imports.ImportRun]().FieldByName("Kind")
	if said, want := field.Tag.Get("enum"), strings.Join(runs, ","); said != want {
		t.Errorf("a run says that its kinds are %s, they are %s", said, want)
	}
}
