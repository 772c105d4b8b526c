package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/testkit"
)

// manyClasses fills a school with classes of few levels, so that most have equals.
func manyClasses(t *testing.T, s *testkit.School, n int) {
	t.Helper()
	err := s.DB(t).Exec(`insert into class (id, name, level) select gen_random_uuid(), 'Class ' || n, n % 3 from generate_series(1, ?) n`,
		n).Error
	if err != nil {
		t.Fatal(err)
	}
}

func TestOverAllPagesEveryRecordComesExactlyOnce(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	manyClasses(t, s, 1450)
	for _, sort := range []string{"", "sort[order]=desc", "sort[field]=createdAt", "sort[field]=createdAt&sort[order]=desc"} {
		seen := map[uuid.UUID]int{}
		last := -1
		for page := 1; page <= 15; page++ {
			got := testkit.Get[api.Page[roster.Class]](t, admin, fmt.Sprintf("%s?limit=100&page=%d&%s", readPath, page, sort))
			if got.Total != 1450 || got.TotalPages != 15 || got.Page != page {
				t.Fatalf("page %d: %d of %d, page %d", page, got.Total, got.TotalPages, got.Page)
			}
			for _, c := range got.Items {
				seen[c.ID]++
				if sort == "" && c.Level < last {
					t.Errorf("page %d: level %d after %d", page, c.Level, last)
				}
				last = c.Level
			}
		}
		if len(seen) != 1450 {
			t.Errorf("%q: %d of 1450 records were seen", sort, len(seen))
		}
		for id, times := range seen {
			if times != 1 {
				t.Errorf("%q: %s came %d times", sort, id, times)
			}
		}
	}
}

func TestPageAThousandHasTheRightRecordsAndReadsNoOthersInFull(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	manyClasses(t, s, 21_000)
	if err := s.DB(t).Exec(`analyze class`).Error; err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := s.DB(t).Raw(`select name from class order by level, id limit 20 offset 19980`).Scan(&want).Error; err != nil ||
		len(want) != 20 {
		t.Fatal(want, err)
	}
	var page api.Page[roster.Class]
	sent := wire.Record(func() { page = testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?page=1000") })
	if names(page) != strings.Join(want, " ") || page.Total != 21_000 || page.TotalPages != 1050 {
		t.Errorf("page 1000 of %d has %s, want %v", page.Total, names(page), want)
	}
	back := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?page=51&sort[field]=name&sort[order]=desc&filters[level]=1")
	if err := s.DB(t).Raw(`select name from class where level = 1 order by name desc, id desc limit 20 offset 1000`).Scan(&want).Error; err != nil {
		t.Fatal(err)
	}
	if names(back) != strings.Join(want, " ") || back.Total != 7000 {
		t.Errorf("page 51, backwards and filtered: %s, want %v", names(back), want)
	}

	query := regexp.MustCompile(`with cut [^\x00]*`).Find(sent)
	if query == nil {
		t.Fatalf("no query for the page among %q", sent)
	}
	for _, n := range fullRows(t, s, string(query)) {
		if n > 20 {
			t.Errorf("%v rows were read in full for a page of 20", n)
		}
	}
}

// fullRows says how many rows each step of a query's plan handled that carry more
// than the key and what is sorted by.
func fullRows(t *testing.T, s *testkit.School, query string) []float64 {
	t.Helper()
	ctx := context.Background()
	node, err := s.App.Service.Cluster.Node(ctx, s.Node)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := node.Admin().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, `select set_config('search_path', $1, true)`, s.Schema); err != nil {
		t.Fatal(err)
	}
	var raw []byte
	if err := tx.QueryRow(ctx, `explain (analyze, verbose, format json) `+query, 19_980).Scan(&raw); err != nil {
		t.Fatalf("explaining %s: %v", query, err)
	}
	type step struct {
		Kind   string   `json:"Node Type"`
		Output []string `json:"Output"`
		Rows   float64  `json:"Actual Rows"`
		Loops  float64  `json:"Actual Loops"`
		Plans  []step
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal(raw, &plans); err != nil {
		t.Fatal(err)
	}
	var out []float64
	var visit func(step)
	visit = func(p step) {
		if p.Kind == "Aggregate" {
			return // counting looks into no record, though the steps below it say they output all of one
		}
		if strings.Contains(strings.Join(p.Output, " "), "updated_at") {
			out = append(out, p.Rows*p.Loops)
		}
		for _, below := range p.Plans {
			visit(below)
		}
	}
	visit(plans[0].Plan)
	if len(out) == 0 {
		t.Fatalf("no step reads a record: %s", raw)
	}
	return out
}

func TestAListIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	app, wire := testkit.StartWatched(t, labRows)
	s := app.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	addClasses(t, s, "One", "Two")
	list := func() { testkit.Get[api.Page[roster.Class]](t, admin, readPath) }
	if trips := wire.Postgres.Fewest(1, list); trips != 1 {
		t.Errorf("%d round trips to Postgres", trips)
	}
}

func TestPage_BeyondTheLastRecord_HasTheTotal(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	manyClasses(t, s, 45)
	for number, want := range map[int]int{1: 20, 2: 20, 3: 5, 4: 0, 1000: 0} {
		got := testkit.Get[api.Page[roster.Class]](t, admin, fmt.Sprintf("%s?page=%d", readPath, number))
		if len(got.Items) != want {
			t.Errorf("page %d has %d records, want %d", number, len(got.Items), want)
		}
		if got.Total != 45 || got.TotalPages != 3 {
			t.Errorf("page %d says %d records on %d pages, want 45 on 3", number, got.Total, got.TotalPages)
		}
	}
	none := testkit.Get[api.Page[roster.Class]](t, admin, readPath+"?filters[search]=nobody")
	if none.Total != 0 || none.TotalPages != 0 {
		t.Errorf("an empty list says %d records on %d pages", none.Total, none.TotalPages)
	}
}
