package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

func TestAGetIsAskedInTheQueryOrInABody(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	id := api.NewID()
	const path = "/school-admin/report/days"
	inQuery := testkit.Get[question](t, admin, path+"?from=2026-11-30&days=3&statuses=PRESENT&statuses=ABSENT&divisionId="+id.String())
	commas := testkit.Get[question](t, admin, path+"?from=2026-11-30&days=3&statuses=PRESENT,ABSENT&divisionId="+id.String())
	a := admin.Call(t, "GET", path, map[string]any{"from": "2026-11-30", "days": 3, "statuses": []string{"PRESENT", "ABSENT"},
		"divisionId": id})
	var inBody, mixed question
	a.Read(t, &inBody)
	admin.Call(t, "GET", path+"?days=3&statuses=PRESENT,ABSENT", map[string]any{"from": "2026-11-30", "divisionId": id}).Read(t, &mixed)
	for how, q := range map[string]question{"query": inQuery, "commas": commas, "body": inBody, "both": mixed} {
		if q.DivisionID != id || q.Days != 3 || q.From.String() != "2026-11-30" || len(q.Statuses) != 2 || q.Statuses[1] != "ABSENT" {
			t.Errorf("%s: %+v", how, q)
		}
	}
}

func TestAFieldInBothQueryAndBodyIsMalformed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "GET", "/school-admin/report/days?days=3&divisionId="+api.NewID().String(),
		map[string]any{"days": 3, "from": "2026-11-30"}, 400, "")
	if f.Message != "days is in both the query and the body" {
		t.Errorf("message %q", f.Message)
	}
	for query, data := range map[string]map[string]any{
		"page=1":              {"page": 1},
		"limit=5":             {"limit": 5},
		"filters[search]=a":   {"filters": map[string]any{"search": "a"}},
		"sort[field]=name":    {"sort": map[string]any{"field": "name"}},
		"sort[order]=asc":     {"sort": map[string]any{"order": "asc"}},
		"page=1&limit=1&x[]=": {"page": 2},
	} {
		admin.Refuses(t, "GET", "/school-admin/class/list?"+query, data, 400, "")
	}
}

func TestEveryBadFieldOfAQueryIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for query, want := range map[string]string{
		"":                                    "divisionId from",
		"divisionId=5&from=2026-02-30&days=x": "divisionId from days",
		"divisionId=5&days=32":                "divisionId from days",
		"days=1&days=2":                       "divisionId from days",
		"statuses=PRESENT,LATE&days=-1":       "divisionId from days statuses[1]",
		"days=99999999999999999999":           "divisionId from days",
	} {
		f := admin.Refuses(t, "GET", "/school-admin/report/days?"+query, nil, 422, "")
		if got := fieldsOf(f.Details); !slices.Equal(slices.Sorted(strings.FieldsSeq(got)), slices.Sorted(strings.FieldsSeq(want))) {
			t.Errorf("%q: details name %s, want %s", query, got, want)
		}
	}
	admin.Refuses(t, "GET", "/school-admin/report/days?statuses="+url.QueryEscape("a\x00b"), nil, 400, "")
	admin.Refuses(t, "GET", "/school-admin/report/days?statuses=%ff", nil, 400, "")
}

// A filter with a slip in it must not be a call without a filter.
func TestQuery_ThatCannotBeRead_IsMalformedOnEveryRoute(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, path := range []string{"/school-admin/report/days", "/school-admin/class/list", "/auth/me", "/nothing", "/console/",
		"/openapi.json", "/socket.io/"} {
		for _, query := range []string{"filters[search]=a;b", "days=%zz", "x=1&;&y=2", "%"} {
			f := admin.Refuses(t, "GET", path+"?"+query, nil, 400, "")
			if !strings.Contains(f.Message, "query string") {
				t.Errorf("%s?%s: %q", path, query, f.Message)
			}
		}
	}
	testkit.Get[any](t, admin, "/school-admin/class/list?filters[search]=a%3Bb%25")
}
