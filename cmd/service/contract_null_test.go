package service_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"homeroom/api"
)

// byDefault are the values that fields go back to with null; an empty one is made by the service.
var byDefault = map[string]string{
	"/school-admin/announcement/:id targetAudience": "ALL", "/school-admin/event/:id targetAudience": "ALL",
	"/teacher/co-curricular/update-event targetAudience": "ALL", "/school-admin/fee/head/:id amountBy": "CLASS",
	"/school-admin/fee/structure/:id proRata": "true", "/school-admin/exam/:id weight": "1", "/school-admin/exam/term/:id weight": "1",
	"/school-admin/subject/:id type": "CORE", "/school-admin/group/:id kind": "ELECTIVE",
	"/school-admin/employee/:id employeeCode": "", "/school-admin/employee/:id roleId": "",
}

// checkNull checks that null clears a field of a PUT or takes it back to its default, leaves a state as it is, and is refused
// otherwise.
func checkNull(t *testing.T, r api.Row, p put) {
	t.Helper()
	var before map[string]any
	if a := p.by.Call(t, "PUT", p.path, p.body); a.Status == 200 {
		a.Read(t, &before)
	}
	for _, part := range reflect.VisibleFields(r.Request) {
		fields, isChange := api.ChangeOf(part.Type)
		if !isChange {
			continue
		}
		for _, f := range reflect.VisibleFields(fields) {
			name := api.JSONName(f)
			if f.Anonymous || name == "" || name == "-" {
				continue
			}
			body := map[string]any{name: nil}
			if id, inBody := p.body["id"]; inBody {
				body["id"] = id
			}
			a := p.by.Call(t, "PUT", p.path, body)
			switch f.Type.Kind() {
			case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
				var now map[string]any
				if a.Status == 200 {
					a.Read(t, &now)
				}
				if a.Status != 200 && a.Status != 422 {
					t.Errorf("%s null: %d %s", name, a.Status, a.Body)
					continue
				}
				want, hasDefault := byDefault[r.Path+" "+name]
				switch left := fmt.Sprint(now[name]); {
				case slices.Contains([]string{"<nil>", "", "[]", "map[]"}, left), hasDefault && (want == "" || left == want):
				case (name == "status" || name == "state") && left == fmt.Sprint(before[name]):
				default:
					t.Errorf("%s null left %s", name, left)
				}
			default:
				if a.Status != 422 || a.Failure(t).Details[0].Field != name {
					t.Errorf("%s null: %d %s, want 422 for it", name, a.Status, a.Body)
				}
			}
		}
	}
}
