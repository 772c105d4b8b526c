package service_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/testkit"
)

// moneyColumns are the whole numbers of 64 bits in lists: files write them with the currency's decimals.
var moneyColumns = []string{"amount", "given", "total", "cost", "fine", "fineSoFar", "charge", "price"}

// readCSV are the lines of a file, its head first.
func readCSV(t *testing.T, c *testkit.Client, path string) [][]string {
	t.Helper()
	a := c.Call(t, "GET", path, nil)
	if a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") {
		t.Fatalf("%s: %d %s: %s", path, a.Status, a.Header.Get("Content-Type"), a.Body)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(a.Body), "\xEF\xBB\xBF"))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return lines
}

// TestCSV_EveryList_HasAsManyLinesAsTotal asks every list of the row table for its file, by each of its orders.
func TestCSV_EveryList_HasAsManyLinesAsTotal(t *testing.T) {
	t.Parallel()
	app := testkit.Start(t)
	school := app.NewSchool(t)
	clients := furnishLists(t, app, school)
	clients[api.SuperAdmin] = app.SuperAdmin(t)
	checkCSV(t, rowsOf(app), clients)
	checkSync(t, rowsOf(app), clients)
}

// checkSync reads the lists among rows that callers may keep to their ends, and asks again: where nobody has written, nothing
// may come a second time, or what callers keep would be sent to them at every call.
func checkSync(t *testing.T, rows []api.Row, clients map[api.RoleType]*testkit.Client) {
	t.Helper()
	type answer struct {
		Items []json.RawMessage
		Total int
		Sync  api.Sync
	}
	for _, row := range rows {
		if !row.GivesChanges() || row.Listing == nil || row.Twin {
			continue
		}
		client := clients[row.Roles[0]]
		whole := testkit.Get[answer](t, client, row.Path+"?limit=1")
		came, next := 0, api.SinceStart
		for more := true; more; {
			page := testkit.Get[answer](t, client, row.Path+"?limit=100&updatedSince="+next)
			came += len(page.Items)
			next, more = page.Sync.Next, page.Sync.More
		}
		if came != whole.Total {
			t.Errorf("%s: %d records came, want %d", row.Path, came, whole.Total)
		}
		if again := testkit.Get[answer](t, client, row.Path+"?updatedSince="+next); len(again.Items)+len(again.Sync.Removed) > 0 {
			t.Errorf("%s: nothing was written, and %d records come again: %s", row.Path, len(again.Items), again.Items)
		}
	}
}

// checkCSV asks the lists among rows for their files.
func checkCSV(t *testing.T, rows []api.Row, clients map[api.RoleType]*testkit.Client) {
	t.Helper()
	wire := regexp.MustCompile(`^[a-z]+[A-Z]`)
	for _, row := range rows {
		if row.Listing == nil || row.Twin || !strings.HasPrefix(row.Response.Name(), "Page[") {
			continue
		}
		if !row.GivesCSV() {
			t.Errorf("%s gives no file", row.Path)
			continue
		}
		client := clients[row.Roles[0]]
		for sort := range row.Listing.Sorts {
			page := testkit.Get[api.Page[json.RawMessage]](t, client, fmt.Sprintf("%s?limit=1&sort[field]=%s", row.Path, sort))
			lines := readCSV(t, client, fmt.Sprintf("%s?format=csv&sort[field]=%s", row.Path, sort))
			if row.Kind() == api.KindSchool && len(lines)-1 != page.Total {
				t.Errorf("%s by %s: %d lines, want %d", row.Path, sort, len(lines)-1, page.Total)
			}
			if row.Kind() == api.KindPlatform && len(lines) < 2 && page.Total > 0 { // others add to these meanwhile
				t.Errorf("%s by %s has no lines", row.Path, sort)
			}
			for _, label := range lines[0] {
				if label == "" || wire.MatchString(label) {
					t.Errorf("%s has a column %q: want the words on screen", row.Path, label)
				}
			}
			if once := slices.Compact(slices.Sorted(slices.Values(lines[0]))); len(once) != len(lines[0]) {
				t.Errorf("%s has two columns of one name: %v", row.Path, lines[0])
			}
			for _, line := range lines[1:] {
				for i, cell := range line {
					if uuid.Validate(cell) == nil && !slices.Contains([]string{"Code", "Admission no."}, lines[0][i]) { // the test's own are random
						t.Fatalf("%s: column %s shows an id", row.Path, lines[0][i])
					}
				}
			}
		}
		for _, f := range reflect.VisibleFields(row.Response.Field(0).Type.Elem()) {
			name := api.JSONName(f)
			if f.Type.Kind() == reflect.Int64 && !f.Type.Implements(reflect.TypeFor[json.Marshaler]()) && row.Kind() == api.KindSchool &&
				name != "" && !slices.Contains(moneyColumns, name) {
				t.Errorf("%s: %s is an int64, which files write as money: make it an int, or name it in moneyColumns", row.Path, name)
			}
		}
	}
}
