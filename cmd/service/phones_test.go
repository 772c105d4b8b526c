package service_test

import (
	"reflect"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// TestRows_Phone_IsReadAsPeopleWriteIt walks the requests of every row of people who are signed in: a phone that is a mere text
// is refused with its spaces, and without its country's code.
func TestRows_Phone_IsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	found := 0
	var walk func(row string, of reflect.Type, seen map[reflect.Type]bool)
	walk = func(row string, of reflect.Type, seen map[reflect.Type]bool) {
		if fields, change := api.ChangeOf(of); change {
			of = fields
		}
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for _, f := range reflect.VisibleFields(of) {
			if !f.IsExported() {
				continue
			}
			if strings.HasSuffix(strings.ToLower(api.JSONName(f)), "phone") && f.Type.Kind() != reflect.Bool {
				found++
				if f.Type != reflect.TypeFor[api.Phone]() {
					t.Errorf("%s takes %s as %s: make it an api.Phone", row, api.JSONName(f), f.Type)
				}
			}
			walk(row, f.Type, seen)
		}
	}
	for _, r := range rowsOf(testkit.Shared(t)) {
		if r.Request != nil {
			walk(r.Name(), r.Request, map[reflect.Type]bool{})
		}
	}
	if found < 8 {
		t.Errorf("%d phones were found: the walk no longer meets them", found)
	}
}
