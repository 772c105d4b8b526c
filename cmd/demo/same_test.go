package demo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/testkit"
)

// unlike are tables whose rows are about moments or ids alone, or are of the machinery: what is under way, what was asked, what an
// import wrote where.
var unlike = []string{"audit_event", "outbox", "import_run", "import_change", "idempotency", "location", "delivery"}

func TestDemo_MadeTwiceOnADay_IsTheSameSchool(t *testing.T) {
	t.Parallel()
	clock := wednesday()
	one, _ := start(t, "demo_same_1", clock)
	two, _ := start(t, "demo_same_2", clock)
	first, second := digests(t, one), digests(t, two)
	if len(first) < 60 {
		t.Errorf("only %d tables were compared, want 60 or more", len(first))
	}
	for table, digest := range first {
		if second[table] != digest {
			t.Errorf("%s is not the same: %s and %s", table, digest, second[table])
		}
	}
}

// digests are the big school's tables, without ids and moments: how many rows each has, and a checksum of them.
func digests(t *testing.T, app *testkit.App) map[string]string {
	t.Helper()
	db := schoolOf(t, app).DB(t)
	var tables []string
	if err := db.Raw(`select relname::text from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`).
		Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	tables = slices.DeleteFunc(tables, func(name string) bool { return slices.Contains(unlike, name) || strings.HasPrefix(name, "schema_") })
	out := map[string]string{}
	for _, name := range tables {
		var found struct {
			N   int
			Sum string
		}
		err := db.Raw(`select count(*) as n, coalesce(md5(string_agg(row, '|' order by row)), '') as sum from (select regexp_replace(
			regexp_replace((to_jsonb(x) - 'pin_hash' - 'password_hash')::text,
				'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '', 'g'),
			'\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+[+-]\d\d:\d\d', '', 'g') as row from "` + name + `" x) y`).Scan(&found).Error
		if err != nil {
			t.Fatal(err)
		}
		out[name] = fmt.Sprint(found.N, " rows, ", found.Sum)
	}
	return out
}
