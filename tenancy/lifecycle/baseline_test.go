package lifecycle_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/testkit/clusters"
)

var writeBaseline = flag.Bool("baseline", false, "write migrations/baseline from the migrations")

// The template of one database is made by the baseline, that of another by every migration in its turn.
func TestBaseline_MakesWhatTheMigrationsMake(t *testing.T) {
	t.Parallel()
	each := clusters.Options(t)
	each.Migrations = slices.Clone(migrations.School())
	each.Migrations[0].SQL += "\n" // no longer what the baseline stands for
	if len(migrations.ForNew(each.Migrations)) != len(each.Migrations) {
		t.Fatal("the baseline stands for migrations that are others than its own")
	}
	clusters.Ready(t, each)
	want := dumpTemplate(t, each.PlatformURL)
	if *writeBaseline {
		rewriteBaseline(t, want)
		return
	}
	o := clusters.Options(t)
	o.Migrations = migrations.School()
	clusters.Ready(t, o)
	got := dumpTemplate(t, o.PlatformURL)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("by the migrations:\n%s\nby the baseline:\n%s", strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"),
				strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"))
		}
	}
}

func TestForNew_LaterMigrationsRunAfterTheBaseline(t *testing.T) {
	t.Parallel()
	all := clusters.AndThen(migrations.School(), "select 1")
	short := migrations.ForNew(all)
	if got, want := short[len(short)-1], all[len(all)-1]; got != want {
		t.Errorf("last %v, want %v", got.Name, want.Name)
	}
	if got, want := short[0].Version+len(short)-1, len(all); got != want {
		t.Errorf("version %d, want %d", got, want)
	}
}

func TestForNew_OlderSchemaIsMadeByItsMigrations(t *testing.T) {
	t.Parallel()
	older := migrations.School()[:3]
	if !slices.Equal(migrations.ForNew(older), older) {
		t.Error("the first three migrations are not what makes a schema of version 3")
	}
}

// Of the text of a dump: what says nothing of the schema, and the moment at which the rows of a new school were made.
var (
	noise  = regexp.MustCompile(`(?m)^(--|\\|SET |SELECT pg_catalog\.set_config|CREATE SCHEMA |COMMENT ON SCHEMA |GRANT USAGE ON SCHEMA |ALTER DEFAULT PRIVILEGES).*\n`)
	moment = regexp.MustCompile(`'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00'`)
	dollar = regexp.MustCompile(`\$\w*\$`)
)

// dumpTemplate returns the statements that pg_dump writes of the template, its rows included.
func dumpTemplate(t *testing.T, url string) []string {
	t.Helper()
	text, err := clusters.Stack(t).Dump("main", url, tenancy.TemplateSchema)
	if err != nil {
		t.Fatal(err)
	}
	text = moment.ReplaceAllString(noise.ReplaceAllString(text, ""), "now()")
	text = strings.ReplaceAll(text, "SET search_path TO '"+tenancy.TemplateSchema+"'", "SET search_path FROM CURRENT")
	text = strings.ReplaceAll(text, " TO "+tenancy.TemplateSchema+";", " TO :school_role;")
	text = strings.ReplaceAll(text, tenancy.TemplateSchema+".", "")
	var out []string
	statement, quoted := "", false
	for line := range strings.Lines(text) {
		statement += line
		quoted = quoted != (len(dollar.FindAllString(line, -1))%2 == 1)
		if !quoted && strings.HasSuffix(line, ";\n") {
			out = append(out, strings.TrimSpace(statement))
			statement = ""
		}
	}
	return out
}

var (
	tableOf      = regexp.MustCompile(`(?s)^CREATE TABLE ("?\w+"?) \((.*)\n\)(.*);$`)
	constraintOf = regexp.MustCompile(`(?s)^ALTER TABLE ONLY ("?\w+"?)\s+ADD (CONSTRAINT .*);$`)
	indexOf      = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX \w+ ON (?:ONLY )?("?\w+"?) `)
	grantOf      = regexp.MustCompile(`^GRANT ([A-Z,]+) ON TABLE ("?\w+"?) TO :school_role;$`)
	refersTo     = regexp.MustCompile(`REFERENCES ("?\w+"?)`)
	ofRights     = regexp.MustCompile(`^(REVOKE|GRANT) `)
)

// rewriteBaseline orders what was dumped so that Postgres does least: a table with all its constraints, after those that it
// refers to, and its indexes next, before anything else has to look at it.
func rewriteBaseline(t *testing.T, statements []string) {
	t.Helper()
	type table struct{ body, options, indexes, grants string }
	tables := map[string]*table{}
	var before, after, names []string
	for _, s := range statements {
		if m := tableOf.FindStringSubmatch(s); m != nil {
			tables[m[1]] = &table{body: m[2], options: m[3]}
			names = append(names, m[1])
		} else if m := constraintOf.FindStringSubmatch(s); m != nil && !strings.HasSuffix(m[2], "NOT VALID") {
			tables[m[1]].body += ",\n    " + m[2]
		} else if m := indexOf.FindStringSubmatch(s); m != nil {
			tables[m[1]].indexes += s + "\n"
		} else if m := grantOf.FindStringSubmatch(s); m != nil {
			// The schema grants four rights on each table that is made.
			if m[1] != "SELECT,INSERT,DELETE,UPDATE" {
				tables[m[2]].grants = "REVOKE ALL ON TABLE " + m[2] + " FROM :school_role;\n" + s + "\n"
			}
		} else if len(names) == 0 && !ofRights.MatchString(s) {
			before = append(before, s)
		} else {
			after = append(after, s)
		}
	}
	var ordered []string
	var add func(name string)
	add = func(name string) {
		if slices.Contains(ordered, name) {
			return
		}
		for _, m := range refersTo.FindAllStringSubmatch(tables[name].body, -1) {
			if m[1] != name {
				add(m[1])
			}
		}
		ordered = append(ordered, name)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "-- What the migrations up to this number make. Written by `make baseline`.\n\n"+
		"SET LOCAL check_function_bodies = off;\nSET LOCAL max_parallel_maintenance_workers = 0; -- or each index is planned\n")
	for _, s := range before {
		fmt.Fprintf(&out, "\n%s\n", s)
	}
	for _, name := range names {
		add(name)
	}
	for _, name := range ordered {
		made := tables[name]
		fmt.Fprintf(&out, "\nCREATE TABLE %s (%s\n)%s;\n%s%s", name, made.body, made.options, made.indexes, made.grants)
	}
	for _, s := range after {
		fmt.Fprintf(&out, "\n%s\n", s)
	}
	folder := filepath.Join("..", "..", "migrations", "baseline")
	old, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, fmt.Sprintf("%04d_school.sql", migrations.Latest(migrations.School())))
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
