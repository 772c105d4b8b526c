package api_test

import (
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestQuery_UnknownParameter_IsNamedWithThoseThereAre(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for path, want := range map[string]string{
		"GET /school-admin/class/list?search=x":    "search: is no parameter here. A list takes page, limit, sort[field], sort[order], updatedSince and filters[…]",
		"GET /school-admin/class/list?sort=name":   "sort: is no parameter here.",
		"GET /school-admin/class/list?page[]=1":    "page[]: is no parameter here.",
		"POST /school-admin/class/list?page=1&x=1": "x: is no parameter here.",
		"GET /school-admin/dashboard/today?day=1":  "day: is no parameter here. There are none",
		"POST /school-admin/report/maybe?label=a":  "label: is no parameter here. There are none",
	} {
		method, path, _ := strings.Cut(path, " ")
		f := admin.Refuses(t, method, path, nil, 422, "")
		if len(f.Details) != 1 {
			t.Errorf("%s: %+v, want one detail", path, f.Details)
			continue
		}
		if got := f.Details[0].Field + ": " + f.Details[0].Message; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestBody_EmptyObject_IsTakenWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin, parent := s.As(t, api.SchoolAdmin), s.As(t, api.Parent)
	for _, body := range []string{"", "{}", `{"data":{}}`} {
		for path, c := range map[string]*testkit.Client{
			"/school-admin/report/maybe": admin, "/school-admin/class/list": admin, "/parent/student/list": parent,
		} {
			if a := c.Send(t, "POST", path, "application/json", []byte(body)); a.Status >= 300 {
				t.Errorf("POST %s with %q: %d %s", path, body, a.Status, a.Body)
			}
		}
		if a := admin.Send(t, "POST", "/school-admin/class/create", "application/json", []byte(body)); a.Status != 400 && a.Status != 422 {
			t.Errorf("POST class/create with %q: %d %s, want a refusal", body, a.Status, a.Body)
		}
	}
}
