package lifecycle_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

// onboard makes a school with an administrator and returns it.
func onboard(t *testing.T, c *tenancy.Cluster, code string) *tenancy.School {
	t.Helper()
	p := provisioner(c, quiet)
	s := request(t, p, code)
	if err := p.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	return clusters.Find(t, c, s.ID)
}

func execPlatform(t *testing.T, c *tenancy.Cluster, sql string, args ...any) {
	t.Helper()
	if _, err := c.PlatformPool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// forgetSchool leaves the platform as one that was restored to a moment before the school was made has it.
func forgetSchool(t *testing.T, c *tenancy.Cluster, s *tenancy.School, ready bool) {
	t.Helper()
	execPlatform(t, c, `delete from platform.school where id = $1`, s.ID)
	execPlatform(t, c, `insert into platform.spare_schema (schema_name, node, shard, schema_version, ready, created_at)
		values ($1, $2, $3, $4, $5, now() - interval '1 day')`, s.Schema, s.Node, s.Shard, s.SchemaVersion, ready)
}

func people(t *testing.T, c *tenancy.Cluster, s *tenancy.School) int {
	t.Helper()
	return clusters.One[int](t, clusters.Node(t, c, s.Node).Admin(), `select count(*) from `+tenancy.Ident(s.Schema)+`.app_user`)
}

func kinds(t *testing.T, c *tenancy.Cluster) string {
	t.Helper()
	found, err := lifecycle.CompareNodes(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range found {
		out = append(out, string(d.Kind)+" "+d.Schema)
	}
	return strings.Join(out, ", ")
}

func TestOnboarding_PlatformWentBack_GivesNoSchoolsSchemaAway(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	victim := onboard(t, c, "victim")
	forgetSchool(t, c, victim, true)
	fresh := onboard(t, c, "fresh")
	if fresh.Schema == victim.Schema {
		t.Errorf("the new school was given schema %s, which has %d people in it", fresh.Schema, people(t, c, fresh))
	}
	mustBeWhole(t, c, fresh.ID)
	if got := people(t, c, victim); got != 1 {
		t.Errorf("the school made since has %d people, want 1", got)
	}
	if got, want := kinds(t, c), "orphan "+victim.Schema; got != want {
		t.Errorf("the comparison finds %q, want %q", got, want)
	}
}

func TestSweep_PlatformWentBack_LeavesASchool(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	victim := onboard(t, c, "victim")
	forgetSchool(t, c, victim, false)
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := people(t, c, victim); got != 1 {
		t.Errorf("the school made since has %d people, want 1", got)
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.spare_schema`); got != 0 {
		t.Errorf("%d spares are listed, want none", got)
	}
}

func TestDrop_SpareOfAnEarlierRelease_WithPeopleInIt_IsRefused(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	victim := onboard(t, c, "victim")
	n := clusters.Node(t, c, "main")
	if _, err := n.Admin().Exec(t.Context(), `delete from homeroom.schema_label`); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.DropSpare(t.Context(), n, victim.Schema); err == nil || !strings.Contains(err.Error(), "people in it") {
		t.Errorf("dropping it says %v", err)
	}
}

func TestOnboarding_NodeWentBack_TakesAnotherSchema(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 1
	c := clusters.Ready(t, o)
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	spare := clusters.One[string](t, c.PlatformPool(), `select schema_name from platform.spare_schema where ready`)
	if err := lifecycle.DropSchema(t.Context(), clusters.Node(t, c, "main"), spare); err != nil {
		t.Fatal(err)
	}
	s := onboard(t, c, "fresh")
	if s.Schema == spare {
		t.Error("the school was given a schema that is not there")
	}
	mustBeWhole(t, c, s.ID)
}

func TestRetry_NodeWentBackUnderAFailedSchool_MakesItAnew(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	s := onboard(t, c, "fresh")
	if err := lifecycle.DropSchema(t.Context(), clusters.Node(t, c, "main"), s.Schema); err != nil {
		t.Fatal(err)
	}
	execPlatform(t, c, `update platform.school set status = 'FAILED' where id = $1`, s.ID)
	execPlatform(t, c, `update platform.provisioning_step set finished_at = null where school_id = $1 and step in ('admin', 'activate')`, s.ID)
	execPlatform(t, c, `insert into platform.provisioning_request (school_id, admin) values ($1, '{"name": "head@school.test"}')`, s.ID)
	if err := provisioner(c, quiet).Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	mustBeWhole(t, c, s.ID)
}

func TestComparison_NodeWentBack_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 1
	c := clusters.Ready(t, o)
	s := onboard(t, c, "lost")
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	spare := clusters.One[string](t, c.PlatformPool(), `select schema_name from platform.spare_schema where ready`)
	for _, schema := range []string{s.Schema, spare} {
		if err := lifecycle.DropSchema(t.Context(), clusters.Node(t, c, "main"), schema); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := kinds(t, c), "missing "+s.Schema+", struck "+spare; got != want {
		t.Errorf("the comparison finds %q, want %q", got, want)
	}
	if got, want := kinds(t, c), "missing "+s.Schema; got != want {
		t.Errorf("the second comparison finds %q, want %q", got, want)
	}
}

func TestAdopt_Orphan_IsServedAgain(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	s := onboard(t, c, "victim")
	execPlatform(t, c, `delete from platform.school where id = $1`, s.ID)
	a, err := lifecycle.FindOrphan(t.Context(), c, s.ID.String(), "")
	if err != nil {
		t.Fatal(err)
	}
	if a.Schema != s.Schema || a.ID != s.ID {
		t.Errorf("found %s of %s, want %s of %s", a.Schema, a.ID, s.Schema, s.ID)
	}
	a.SchoolRecord = tenancy.SchoolRecord{ID: a.ID, Code: "victim", Status: tenancy.Active,
		Profile: tenancy.Profile{Name: "Victim", TimeZone: "Asia/Kolkata", Locale: "en", Currency: "INR", WeekendDays: []int16{0}}}
	a.Describe = func(context.Context, *tenancy.School, *tenancy.SchoolRecord) error { return nil }
	adopted, err := lifecycle.AdoptSchool(t.Context(), c, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := clusters.TryRead(t, c, adopted); err != nil {
		t.Errorf("reading the adopted school: %v", err)
	}
	if got := kinds(t, c); got != "" {
		t.Errorf("the comparison still finds %q", got)
	}
}

func TestSetup_SchemasOfAnEarlierRelease_AreLabelled(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 1
	c := clusters.Ready(t, o)
	s := onboard(t, c, "before")
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	admin := clusters.Node(t, c, "main").Admin()
	if _, err := admin.Exec(t.Context(), `drop schema homeroom cascade`); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	owner := clusters.One[uuid.UUID](t, admin, `select school_id from homeroom.schema_label where schema_name = $1 and state = 'SCHOOL'`, s.Schema)
	if owner != s.ID {
		t.Errorf("the school's schema is labelled as of %s, want %s", owner, s.ID)
	}
	if got := clusters.One[int](t, admin, `select count(*) from homeroom.schema_label where state = 'SPARE'`); got != 1 {
		t.Errorf("%d spares are labelled, want 1", got)
	}
}
