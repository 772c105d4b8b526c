package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

const years = "/school-admin/report/year"

// names are the items of a list of classes, in order.
func names(page api.Page[roster.Class]) string {
	var out []string
	for _, c := range page.Items {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

// addClasses makes classes without going through the endpoint.
func addClasses(t *testing.T, s *testkit.School, names ...string) {
	t.Helper()
	for i, name := range names {
		if err := s.DB(t).Exec(`insert into class (id, name, level) values (?, ?, ?)`, api.NewID(), name, i).Error; err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageAndLimitHaveBounds(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	for _, good := range []string{"", "page=1", "limit=1", "limit=100", "page=1000000&limit=100", "page=&limit="} {
		testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?"+good)
	}
	for query, fields := range map[string]string{
		"page=0": "page", "page=-1": "page", "page=x": "page", "page=1.5": "page", "page=1e3": "page", "page=1000001": "page",
		"page=99999999999999999999": "page",
		"limit=0":                   "limit", "limit=101": "limit", "limit=-5": "limit", "limit=all": "limit", "page=0&limit=101": "page limit",
	} {
		f := admin.Refuses(t, "GET", readPath+"?"+query, nil, 422, "")
		if got := fieldsOf(f.Details); got != fields {
			t.Errorf("%s: details name %s", query, got)
		}
	}
	for _, bad := range []any{0, "2", 1.5, -1, true, []int{1}, map[string]any{}} {
		f := admin.Refuses(t, "POST", readPath, map[string]any{"page": bad, "limit": bad}, 422, "")
		if got := fieldsOf(f.Details); got != "page limit" {
			t.Errorf("%v: details name %s", bad, got)
		}
	}
	far := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?page=7")
	if far.Page != 7 || far.Total != 0 || far.TotalPages != 0 || far.Items == nil || len(far.Items) != 0 {
		t.Errorf("a page past the end: %+v", far)
	}
}

func TestWhatIsNotDeclaredIsRefusedAndTheAllowedIsNamed(t *testing.T) {
	t.Parallel()
	admin := testkit.NewSchool(t).As(t, api.SchoolAdmin)
	f := admin.Refuses(t, "GET", readPath+"?filters[schoolId]=1&sort[field]=password&sort[order]=sideways", nil, 422, "")
	want := []api.Detail{
		{Field: "filters.schoolId", Message: "can be filtered by level, search"},
		{Field: "sort.field", Message: "can be sorted by createdAt, level, name"},
	}
	if len(f.Details) < 2 || f.Details[0] != want[0] || f.Details[1] != want[1] {
		t.Errorf("details %+v", f.Details)
	}
	f = admin.Refuses(t, "POST", readPath, map[string]any{
		"filters": map[string]any{"level": "high", "code": "5"}, "sort": map[string]any{"field": "level", "order": "up"},
	}, 422, "")
	if got := fieldsOf(f.Details); got != "filters.code filters.level sort.order" {
		t.Errorf("details name %s", got)
	}
	for _, malformed := range []map[string]any{{"filters": "search"}, {"filters": []int{1}}, {"sort": "name"},
		{"sort": map[string]any{"field": 5}}} {
		admin.Refuses(t, "POST", readPath, malformed, 400, "")
	}
}

func TestSQLInNamesAndValuesIsHarmless(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "One", "Two")
	for _, evil := range []string{
		"name; drop table class; --", "(select 1)", "name desc, (select pg_sleep(9))", "id'", `"id"`, "1", "class.name", "name\x00",
		"level::text", "LEVEL", "",
	} {
		for _, query := range []url.Values{
			{"sort[field]": {evil}}, {"sort[field]": {"name"}, "sort[order]": {"asc; " + evil}}, {"filters[" + evil + "]": {"x"}},
			{"filters[search]": {evil}}, {"filters[level]": {evil}},
		} {
			a := admin.Call(t, "GET", readPath+"?"+query.Encode(), nil)
			if a.Status != 200 && a.Status != 422 {
				t.Errorf("%v: %d %s", query, a.Status, a.Body)
			}
		}
		a := admin.Call(t, "POST", readPath, map[string]any{"filters": map[string]any{"search": evil + "' or 1=1 --"}})
		if a.Status == 200 && !strings.Contains(string(a.Body), `"total":0`) {
			t.Errorf("%q finds something: %s", evil, a.Body)
		}
	}
	if n := s.Count(t, "class", "true"); n != 2 {
		t.Errorf("%d classes are left", n)
	}
}

func TestWildcardsInASearchAreOrdinaryCharacters(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "100%", "1000", "A_B", "AxB", `C\D`, "C/D", "Été", "what?", "@q")
	for search, want := range map[string]string{
		"%": "100%", "100%": "100%", "_": "A_B", "a_b": "A_B", `\`: `C\D`, `\D`: `C\D`, `\\`: "", "%%": "", "ÉTÉ": "Été", "?": "what?",
		"@q": "@q", "x": "AxB",
	} {
		page := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?filters[search]="+url.QueryEscape(search))
		if got := names(page); got != want {
			t.Errorf("search %q found %q, want %q", search, got, want)
		}
	}
	f := admin.Refuses(t, "GET", readPath+"?filters[search]="+strings.Repeat("é", 201), nil, 422, "")
	if fieldsOf(f.Details) != "filters.search" {
		t.Errorf("details %+v", f.Details)
	}
}

func TestFiltersHoldTogether(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "Red", "Rose", "Blue") // at levels 0, 1 and 2
	// The search is an OR of columns; the other filter must not slip out of it.
	page := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?filters[search]=r&filters[level]=1")
	if got := names(page); got != "Rose" || page.Total != 1 {
		t.Errorf("found %q of %d", got, page.Total)
	}
	empty := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?filters[search]=&filters[level]=")
	if empty.Total != 3 {
		t.Errorf("emptied filters leave %d of 3", empty.Total)
	}
}

func TestEveryKindOfFilterFindsAndRefuses(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	old, young := api.NewID(), api.NewID()
	err := s.DB(t).Exec(`insert into academic_year (id, name, start_date, end_date, active, version) values
		(?, 'Old', '2024-06-01', '2025-04-30', false, 7), (?, 'New', '2025-06-01', '2026-04-30', true, 8)`, old, young).Error
	if err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]string{
		"filters[search]=ol": "Old", "filters[active]=true": "New", "filters[active]=false": "Old", "filters[id]=" + old.String(): "Old",
		"filters[name]=New": "New",
		"filters[name]=new": "", "filters[from]=2025-06-01": "New", "filters[from]=2025-06-02": "", "filters[from]=2024-01-01": "New Old",
		"filters[version]=7": "Old", "filters[word]=New": "New",
	} {
		page := testkit.Get[api.Page[year]](t, admin, years+"?"+filter)
		var got []string
		for _, y := range page.Items {
			got = append(got, y.Name)
		}
		if strings.Join(got, " ") != want || page.Total != len(got) {
			t.Errorf("%s found %v of %d, want %s", filter, got, page.Total, want)
		}
	}
	for filter, message := range map[string]string{
		"active=yes": "must be true or false", "id=5": "must be a UUID", "from=2026-02-30": `"2026-02-30" is not a date like 2026-11-30`,
		"version=1.5": "must be a whole number", "version=99999999999": "must be a whole number", "word=Older": "must be one of Old, New",
	} {
		name, value, _ := strings.Cut(filter, "=")
		f := admin.Refuses(t, "GET", fmt.Sprintf("%s?filters[%s]=%s", years, name, value), nil, 422, "")
		if len(f.Details) != 1 || f.Details[0] != (api.Detail{Field: "filters." + name, Message: message}) {
			t.Errorf("%s: %+v", filter, f.Details)
		}
	}
	body := admin.Call(t, "POST", years, map[string]any{"filters": map[string]any{"active": true, "version": 8, "from": nil}})
	if !strings.Contains(string(body.Body), `"total":1`) {
		t.Errorf("filters of their own JSON types: %s", body.Body)
	}
}

func TestTheDefaultOrderIsTurnedAroundOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "B", "A", "C")
	for query, want := range map[string]string{
		"": "B A C", "sort[order]=desc": "C A B", "sort[field]=name": "A B C", "sort[field]=name&sort[order]=DESC": "C B A",
		"sort[field]=level&sort[order]=asc": "B A C",
	} {
		if got := names(testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?"+query)); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}
