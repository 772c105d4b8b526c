package lifecycle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

func TestThreeInstancesSetUpAtOnce(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	instances := []*tenancy.Cluster{clusters.Open(t, o), clusters.Open(t, o), clusters.Open(t, o)}
	clusters.Together(t, len(instances), func(i int) error { return lifecycle.Setup(t.Context(), instances[i]) })
	pool := instances[0].PlatformPool()
	if got, want := clusters.One[int](t, pool, `select count(*) from platform.migration`), len(migrations.Platform()); got != want {
		t.Errorf("%d platform migrations are recorded, want %d", got, want)
	}
	if got, err := clusters.Node(t, instances[0], "main").SchemaVersion(t.Context(), tenancy.TemplateSchema); err != nil ||
		got != instances[0].SchoolVersion() {
		t.Errorf("the template has version %d, want %d: %v", got, instances[0].SchoolVersion(), err)
	}
	if got := clusters.One[int](t, pool, `select count(*) from platform.node where name = 'main'`); got != 1 {
		t.Errorf("node main is recorded %d times", got)
	}
	clusters.NewSchool(t, instances[1], clusters.Ask("one"))
}

func TestSetUpTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	s := clusters.NewSchool(t, c, clusters.Ask("one"))
	const state = `select (select count(*) from pg_class)::text || (select md5(string_agg(xmin::text, ',' order by setrole))
		from pg_db_role_setting
		where setdatabase = (select oid from pg_database where datname = current_database()))`
	before := clusters.One[string](t, c.PlatformPool(), state)
	begun := time.Now()
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Logf("second set-up: %v", time.Since(begun))
	if after := clusters.One[string](t, c.PlatformPool(), state); after != before {
		t.Errorf("relations and settings were %s, now %s", before, after)
	}
	if err := clusters.TryRead(t, c, s); err != nil {
		t.Error(err)
	}
}

func TestLoginsHaveLimitsAndNoRights(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	s := clusters.NewSchool(t, c, clusters.Ask("one"))
	login := clusters.SignIn(t, o.PlatformURL, clusters.Node(t, c, "main").Logins()[s.Shard])
	for setting, want := range map[string]string{
		"search_path": "school_template", "statement_timeout": "30s", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "30s",
		"random_page_cost": "1.1",
	} {
		if got := clusters.One[string](t, login, `select current_setting($1)`, setting); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	for _, sql := range []string{
		`select * from role`, // found in the template
		`insert into class (id, name) values (gen_random_uuid(), 'x')`,
		`select * from platform.school`,
		`select * from ` + tenancy.Ident(s.Schema) + `.role`, // its own school, but not as that school
		`create schema mine`,
	} {
		if _, err := login.Exec(t.Context(), sql); clusters.Code(err) != "42501" {
			t.Errorf("%s: %v, want permission denied", sql, err)
		}
	}
}

func TestAChangedSecretChangesThePasswords(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	before := clusters.Ready(t, o)
	s := clusters.NewSchool(t, before, clusters.Ask("one"))
	o.Secret = []byte("another secret")
	c := clusters.Open(t, o)
	if err := clusters.TryRead(t, c, s); !errors.Is(err, tenancy.ErrSecret) {
		t.Errorf("a school is answered %v with another secret", err)
	}
	if err := lifecycle.Setup(t.Context(), c); !errors.Is(err, tenancy.ErrSecret) {
		t.Errorf("the set-up says %v with another secret", err)
	}
	if err := before.ReplaceSecret(t.Context(), o.Secret); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := clusters.TryRead(t, c, s); err != nil {
		t.Errorf("with the new secret a school is answered %v", err)
	}
	if err, _ := before.CheckLogins(t.Context()); !errors.Is(err, tenancy.ErrSecret) {
		t.Errorf("an instance with the old secret is told %v", err)
	}
}

func TestSetup_SecretNotRecordedYet_RefusesAnother(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	clusters.NewSchool(t, c, clusters.Ask("one"))
	if _, err := c.PlatformPool().Exec(t.Context(), `update platform.installation set secret_mac = null`); err != nil {
		t.Fatal(err)
	}
	o.Secret = []byte("another secret")
	if err := lifecycle.Setup(t.Context(), clusters.Open(t, o)); !errors.Is(err, tenancy.ErrSecret) {
		t.Errorf("the set-up says %v with another secret", err)
	}
}

func TestSchoolsAreServedAfterTheNumberOfShardsChanged(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Shards = 4
	c := clusters.Ready(t, o)
	var schools []*tenancy.School
	for _, code := range []string{"a", "b", "c", "d"} {
		schools = append(schools, clusters.NewSchool(t, c, clusters.Ask(code)))
	}
	for _, shards := range []int{2, 6} {
		o.Shards = shards
		c := clusters.Ready(t, o)
		for _, s := range schools {
			if err := clusters.TryRead(t, c, s); err != nil {
				t.Errorf("%d shards, school on shard %d: %v", shards, s.Shard, err)
			}
		}
	}
}

func TestWithoutARolePerSchoolTheLoginsInherit(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	s := clusters.NewSchool(t, clusters.Ready(t, o), clusters.Ask("one"))
	for _, rolePerSchool := range []bool{false, true, false} {
		o.RolePerSchool = rolePerSchool
		c := clusters.Ready(t, o)
		if err := clusters.TryRead(t, c, s); err != nil {
			t.Errorf("role per school %t: %v", rolePerSchool, err)
		}
		login := clusters.SignIn(t, o.PlatformURL, clusters.Node(t, c, "main").Logins()[s.Shard])
		_, err := login.Exec(t.Context(), `select from `+tenancy.Ident(s.Schema)+`.role`)
		if (err == nil) == rolePerSchool {
			t.Errorf("role per school %t: the login itself reads the school: %v", rolePerSchool, err)
		}
	}
}

func TestADatabaseAheadOfTheBinaryStopsTheStart(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	s := clusters.NewSchool(t, c, clusters.Ask("early"))
	latest := c.SchoolVersion()
	check := func(what string, version int) {
		t.Helper()
		for _, err := range []error{lifecycle.Setup(t.Context(), clusters.Open(t, o)), lifecycle.CheckNotAhead(t.Context(), c)} {
			var ahead lifecycle.AheadError
			if !errors.As(err, &ahead) || ahead.Version != version || !strings.Contains(err.Error(), what) {
				t.Errorf("%v, want one that says %s has version %d", err, what, version)
			}
		}
	}
	if _, err := c.PlatformPool().Exec(t.Context(), `update platform.school set schema_version = $2 where id = $1`, s.ID, latest+1); err != nil {
		t.Fatal(err)
	}
	check("school early", latest+1)
	if _, err := c.PlatformPool().Exec(t.Context(), `insert into platform.migration (version, name) values (9999, 'from the future')`); err != nil {
		t.Fatal(err)
	}
	check("the platform", 9999)
}

func TestANodeThatIsDownDoesNotStopTheStart(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	if _, err := c.PlatformPool().Exec(t.Context(), `insert into platform.node (name, url)
		values ('gone', 'postgres://nobody@127.0.0.1:1/none')`); err != nil {
		t.Fatal(err)
	}
	err := lifecycle.Setup(t.Context(), c)
	var down *lifecycle.NodesError
	if !errors.As(err, &down) || down.Nodes["gone"] == nil || len(down.Nodes) != 1 {
		t.Fatalf("%v, want one that names the node", err)
	}
	if s := clusters.NewSchool(t, c, clusters.Ask("one")); s.Node != "main" {
		t.Errorf("the school is on node %s", s.Node)
	}
}
