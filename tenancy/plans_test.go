package tenancy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
	"homeroom/testkit/clusters"
)

// onOneConnection is a cluster whose schools all share one connection.
func onOneConnection(t *testing.T) *tenancy.Cluster {
	t.Helper()
	o := clusters.Options(t)
	o.Shards, o.ShardConns = 1, 1
	return clusters.Ready(t, o)
}

// prepared is a statement as Postgres has it on a connection.
type prepared struct {
	Statement    string
	GenericPlans int
}

// ofOneSchool are the statements that the connection of db keeps for one school each.
func ofOneSchool(t *testing.T, db *gorm.DB) (all []prepared) {
	t.Helper()
	if err := db.Raw(`select statement, generic_plans from pg_prepared_statements where statement like '/* %'`).Scan(&all).Error; err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatTwoSchoolsAskInTurnIsPlannedOnceForEach(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	a, b := clusters.NewSchool(t, c, clusters.Ask("a")), clusters.NewSchool(t, c, clusters.Ask("b"))
	for _, s := range []*tenancy.School{a, b} {
		if err := clusters.Bound(t, c, s, tenancy.ReadWrite).Exec(clusters.AddClass, "of "+s.Schema).Error; err != nil {
			t.Fatal(err)
		}
	}
	const sql = `select name from class where name like 'of %'`
	for range 12 {
		for _, s := range []*tenancy.School{a, b} {
			var names []string
			if err := clusters.Bound(t, c, s, tenancy.ReadOnly).Raw(sql).Scan(&names).Error; err != nil {
				t.Fatal(err)
			}
			if want := []string{"of " + s.Schema}; !slices.Equal(names, want) {
				t.Fatalf("%s reads %q, want %q", s.Schema, names, want)
			}
		}
	}
	planned := map[string]int{}
	for _, p := range ofOneSchool(t, clusters.Bound(t, c, a, tenancy.ReadOnly)) {
		planned[p.Statement] = p.GenericPlans
	}
	for _, s := range []*tenancy.School{a, b} {
		own := "/* " + s.Schema + " */ " + sql
		if planned[own] == 0 {
			t.Errorf("no plan is kept for %s: %v", s.Schema, planned)
		}
	}
}

func TestASchoolThatHasAConnectionToItselfNeedsNoPlansOfItsOwn(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	db := clusters.Bound(t, c, clusters.NewSchool(t, c, clusters.Ask("a")), tenancy.ReadOnly)
	for range 12 {
		if err := db.Exec(`select from class`).Error; err != nil {
			t.Fatal(err)
		}
	}
	if kept := ofOneSchool(t, db); len(kept) != 0 {
		t.Errorf("kept for one school alone: %v", kept)
	}
}

func TestAConnectionKeepsNoMorePlansThanItHasRoomFor(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	db := clusters.Bound(t, c, clusters.NewSchool(t, c, clusters.Ask("a")), tenancy.ReadOnly)
	if err := clusters.Bound(t, c, clusters.NewSchool(t, c, clusters.Ask("b")), tenancy.ReadOnly).Exec(`select 1`).Error; err != nil {
		t.Fatal(err)
	}
	ask := func(from, to, times int) {
		t.Helper()
		var queries []tenancy.Query
		for n := from; n < to; n++ {
			queries = append(queries, tenancy.Query{SQL: fmt.Sprintf(`select %d from class`, n)})
		}
		for range times {
			if err := tenancy.Pipeline(db, queries...); err != nil {
				t.Fatal(err)
			}
		}
	}
	const room = 512
	ask(0, room, 4)
	ask(room, room+100, 4)
	if n := len(ofOneSchool(t, db)); n != room {
		t.Errorf("%d are kept, want %d", n, room)
	}
	// The first are used on and on and stay; the others rest, and give way.
	ask(0, 100, 100)
	ask(room, room+100, 4)
	kept := ofOneSchool(t, db)
	has := func(n int) bool {
		return slices.ContainsFunc(kept,
			func(p prepared) bool { return strings.HasSuffix(p.Statement, fmt.Sprintf(" select %d from class", n)) })
	}
	if !has(0) || !has(room) {
		t.Errorf("of one in use and one that came later, kept are: %t, %t", has(0), has(room))
	}
}

func TestAQueryToBePlannedOnceIsPlannedOnceAndTheNextOneIsNot(t *testing.T) {
	t.Parallel()
	c := onOneConnection(t)
	db := clusters.Bound(t, c, clusters.NewSchool(t, c, clusters.Ask("a")), tenancy.ReadOnly)
	var heard []string
	hear := func(rows pgx.Rows) error {
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		heard = append(heard, names...)
		return err
	}
	const one, other = `select 'one' from unnest($1::int[])`, `select 'other' from unnest($1::int[])`
	for range 4 {
		err := tenancy.Pipeline(db,
			tenancy.Query{SQL: one, Args: []any{[]int{1}}, Scan: hear, ForceGenericPlan: true},
			tenancy.Query{SQL: other, Args: []any{[]int{1}}, Scan: hear})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := slices.Repeat([]string{"one", "other"}, 4); !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	custom := map[string]int{}
	var all []struct {
		Statement   string
		CustomPlans int
	}
	if err := db.Raw(`select statement, custom_plans from pg_prepared_statements where statement not like '/* %'`).Scan(&all).Error; err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		custom[p.Statement] = p.CustomPlans
	}
	if custom[one] != 0 || custom[other] == 0 {
		t.Errorf("planned for its arguments: the one %d times, want 0; the other %d times, want some", custom[one], custom[other])
	}
}
