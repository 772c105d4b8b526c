package web_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/demo"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// TestDemo_EachRole_FindsASchoolAtWork signs in as the first of each role on the start page, and then does what that page says to try.
func TestDemo_EachRole_FindsASchoolAtWork(t *testing.T) {
	t.Parallel()
	start := &demo.StartPage{}
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_demo_seen", func(_ *config.Config, o *service.Options) {
		o.NoFirstYear, o.Start = false, start
	})
	d := openEveryDay(t, app)
	d.Days = 1
	if err := d.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	start.Show(d.Accounts())
	var first []demo.Account
	for _, a := range d.Accounts() {
		if !slices.ContainsFunc(first, func(b demo.Account) bool { return b.Role == a.Role }) {
			first = append(first, a)
		}
	}
	before := recordsSeen(t, app)
	browse(t, app, "demo", map[string]any{"accounts": first})
	for table, rows := range recordsSeen(t, app) {
		if rows != before[table] {
			t.Errorf("after six roles looked around, %s is %s, was %s", table, rows, before[table])
		}
	}

	var beside sync.WaitGroup
	t.Cleanup(beside.Wait)
	beside.Go(func() { d.Live(t.Context(), func(text string, with ...any) { t.Logf(text, with...) }) })
	browse(t, app, "five-minutes", map[string]any{"password": app.Service.Config.LocalPassword})
}

// openEveryDay opens the demo schools, and has the first work on every day of the week: what is tried is there on a Sunday, too.
func openEveryDay(t *testing.T, app *testkit.App) *demo.Demo {
	t.Helper()
	if _, err := demo.Open(t.Context(), app.Service); err != nil {
		t.Fatal(err)
	}
	school := demoSchool(t, app)
	testkit.Put[any](t, school.As(t, api.SchoolAdmin), "/school-admin/setting", map[string]any{"weekendDays": []int{}})
	d, err := demo.Open(t.Context(), app.Service)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// own are tables of those who sign in, and of the machinery.
var own = []string{"device", "session", "outbox", "idempotency", "audit_event", "delivery", "location"}

// recordsSeen are the tables of the first demo school: how many rows each has, and a checksum of them. When somebody signed in, and
// what their phone speaks, is their own.
func recordsSeen(t *testing.T, app *testkit.App) map[string]string {
	t.Helper()
	db := demoSchool(t, app).DB(t)
	var tables []string
	err := db.Raw(`select relname::text from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`).Scan(&tables).Error
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range tables {
		if slices.Contains(own, table) || strings.HasPrefix(table, "schema_") {
			continue
		}
		var found struct {
			N   int
			Sum string
		}
		err := db.Raw(`select count(*) as n, coalesce(md5(string_agg(row, '|' order by row)), '') as sum
			from (select (to_jsonb(x) - 'last_sign_in_at' - 'language')::text as row from "` + table + `" x) y`).Scan(&found).Error
		if err != nil {
			t.Fatal(err)
		}
		out[table] = fmt.Sprintf("%d rows, %s", found.N, found.Sum)
	}
	return out
}

// demoSchool is the first.
func demoSchool(t *testing.T, app *testkit.App) *testkit.School {
	t.Helper()
	found, err := app.Service.Cluster.FindSchool(t.Context(), uuid.MustParse("01890000-0000-7000-8000-00000000d310"))
	if err != nil {
		t.Fatal(err)
	}
	return &testkit.School{School: found, App: app}
}
