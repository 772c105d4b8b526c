package api_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const admit = "/school-admin/report/admission"

// admissionWith is a good admission, changed.
func admissionWith(changes map[string]any) map[string]any {
	out := map[string]any{
		"firstName": "Asha", "bornOn": "2019-02-28", "classId": api.NewID(), "level": 1, "weight": 20.5, "boarder": true,
		"tags": []string{"a"}, "city": "Pune", "post": map[string]any{"code": "411001"},
		"guardians": []any{map[string]any{"name": "Ravi", "phone": "+919812345678"}},
	}
	for name, v := range changes {
		out[name] = v
	}
	return out
}

func TestEveryKindOfFieldIsReadAsItWasSent(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	sent := admissionWith(map[string]any{"previousId": api.NewID(), "bus": map[string]any{"minutes": 12}})
	got := testkit.Post[map[string]any](t, admin, admit, sent)
	for name, want := range sent {
		if fmt.Sprint(got[name]) != fmt.Sprint(want) && name != "guardians" {
			t.Errorf("%s: sent %v, got %v", name, want, got[name])
		}
	}
}

func TestAllBadFieldsAreNamedAtOnceAsTheClientSpeltThem(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	good := map[string]any{"name": "Ravi", "phone": "+919812345678"}
	f := admin.Refuses(t, "POST", admit, admissionWith(map[string]any{
		"firstName": " \t", "classId": nil, "level": 101, "weight": -1, "tags": []string{"a", "too long"}, "city": "far too long",
		"post": map[string]any{"code": "x"}, "bus": map[string]any{"minutes": 0},
		"guardians": []any{map[string]any{"name": "", "phone": "12"}, good, map[string]any{"name": "Mira"}},
	}), 422, "Unprocessable Entity")
	want := "firstName classId level weight tags[1] guardians[0].name guardians[0].phone guardians[2].phone bus.minutes city post.code"
	if got := fieldsOf(f.Details); got != want {
		t.Errorf("details name\n%s, want\n%s", got, want)
	}
	for _, d := range f.Details {
		if d.Message == "" || strings.Contains(d.Message, "admission") || strings.Contains(d.Message, "Key:") {
			t.Errorf("message of %s: %q", d.Field, d.Message)
		}
	}
	if f.Message != "Validation failed" {
		t.Errorf("message %q", f.Message)
	}
}

func TestATextThatIsNoDayOrUUIDIsNamedWithAllOtherBadFields(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "POST", admit, admissionWith(map[string]any{
		"firstName": "", "bornOn": "2026-02-30", "classId": "zzz", "level": 1e30, "previousId": "'; drop table class; --",
		"guardians": []any{map[string]any{"name": "Ravi", "phone": "12", "since": "yesterday"}},
	}), 422, "")
	for _, want := range []string{"firstName", "bornOn", "classId", "level", "previousId", "guardians[0].phone", "guardians[0].since"} {
		if strings.Count(" "+fieldsOf(f.Details)+" ", " "+want+" ") != 1 {
			t.Errorf("%s is not named once: %s", want, fieldsOf(f.Details))
		}
	}
	if len(f.Details) != 7 {
		t.Errorf("details %+v", f.Details)
	}
}

func TestDaysThatDoNotExistAreInvalid(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, day := range []string{"2026-02-30", "2026-13-01", "2025-02-29", "2026-00-10", "26-01-01", "2026-1-1", "2026-01-01T00:00:00Z",
		"01/02/2026", "today", "", "99999-01-01", "-2026-01-01"} {
		f := admin.Refuses(t, "POST", admit, admissionWith(map[string]any{"bornOn": day}), 422, "")
		if fieldsOf(f.Details) != "bornOn" {
			t.Errorf("%q: %+v", day, f.Details)
		}
	}
	testkit.Post[any](t, admin, admit, admissionWith(map[string]any{"bornOn": "2024-02-29"}))
}

func TestAYearBeforeHistoryIsNoServerError(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	admin.Refuses(t, "POST", "/school-admin/academic-year/create",
		map[string]any{"name": "Old", "startDate": "0000-01-01", "endDate": "0000-12-31"}, 422, "")
}

func TestWrongTypesAreMalformedAndAllOfThemNamed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "POST", admit, admissionWith(map[string]any{
		"firstName": 5, "bornOn": 20260230, "classId": []int{1}, "level": "1", "weight": "heavy", "boarder": "yes",
		"tags": "a", "city": map[string]any{}, "post": "411001", "bus": 5, "previousId": true,
		"guardians": []any{map[string]any{"name": "Ravi", "phone": 919812345678}, "Mira"},
	}), 400, "Bad Request")
	want := "firstName bornOn classId previousId level weight boarder tags guardians[0].phone guardians[1] bus city post"
	if got := fieldsOf(f.Details); got != want {
		t.Errorf("details name\n%s, want\n%s", got, want)
	}
	for _, d := range f.Details {
		if strings.Contains(d.Message, "Go") || strings.Contains(d.Message, "unmarshal") {
			t.Errorf("message of %s: %q", d.Field, d.Message)
		}
	}
}

func TestAWrongVersionIsNamedWithTheOtherFields(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	made := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	path := "/school-admin/class/" + made.ID.String()
	for _, version := range []any{"1", 1.5, []int{1}, true} {
		f := admin.Refuses(t, "PUT", path, map[string]any{"version": version, "level": "high"}, 400, "")
		if got := fieldsOf(f.Details); got != "version level" && got != "level version" {
			t.Errorf("version %v: details name %s", version, got)
		}
	}
}

func TestNumbersOutOfRangeAreInvalid(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, number := range []string{"1e999", "99999999999999999999999999", "-9223372036854775809", "1.5", "1e400000000"} {
		body := fmt.Sprintf(`{"data":{"name":"Class 5","level":%s}}`, number)
		a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", []byte(body))
		if f := a.Failure(t); a.Status != 422 || fieldsOf(f.Details) != "level" {
			t.Errorf("%s: %d %s", number, a.Status, a.Body)
		}
	}
	a := admin.Send(t, "POST", admit, "application/json", []byte(`{"data":{"weight":1e999}}`))
	if a.Status != 400 && a.Status != 422 {
		t.Errorf("a weight past all measure: %d %s", a.Status, a.Body)
	}
}

func TestAFieldInOtherLettersIsCheckedLikeTheFieldItFills(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	made := testkit.Post[roster.Class](t, admin, "/school-admin/class/create", map[string]any{"name": "Class 5"})
	path := "/school-admin/class/" + made.ID.String()
	for _, name := range []string{"NAME", "Name", "nAME"} {
		a := admin.Call(t, "PUT", path, map[string]any{name: "  "})
		if a.Status != 422 && a.Status != 200 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if now := testkit.Get[roster.Class](t, admin, path); now.Name != "Class 5" {
		t.Errorf("a blank name got in: %+v", now)
	}
	a := admin.Call(t, "POST", "/school-admin/class/create", map[string]any{"NAME": "Class 6", "LEVEL": "high"})
	if strings.Contains(string(a.Body), "unmarshal") || strings.Contains(string(a.Body), "ClassFields") {
		t.Errorf("the answer speaks Go: %s", a.Body)
	}
}
