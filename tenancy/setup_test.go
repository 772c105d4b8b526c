package tenancy_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

func TestThreeInstancesSetUpAtOnce(t *testing.T) {
	t.Parallel()
	o := options(t)
	instances := []*tenancy.Cluster{open(t, o), open(t, o), open(t, o)}
	together(t, len(instances), func(i int) error { return lifecycle.Setup(t.Context(), instances[i]) })
	pool := instances[0].PlatformPool()
	if got, want := one[int](t, pool, `select count(*) from platform.migration`), len(migrations.Platform()); got != want {
		t.Errorf("%d platform migrations are recorded, want %d", got, want)
	}
	if got, err := node(t, instances[0], "main").SchemaVersion(t.Context(), tenancy.TemplateSchema); err != nil || got != instances[0].SchoolVersion() {
		t.Errorf("the template has version %d, want %d: %v", got, instances[0].SchoolVersion(), err)
	}
	if got := one[int](t, pool, `select count(*) from platform.node where name = 'main'`); got != 1 {
		t.Errorf("node main is recorded %d times", got)
	}
	newSchool(t, instances[1], ask("one"))
}

func TestSetUpTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	c := ready(t, options(t))
	s := newSchool(t, c, ask("one"))
	const state = `select (select count(*) from pg_class)::text || (select md5(string_agg(xmin::text, ',' order by setrole)) from pg_db_role_setting
		where setdatabase = (select oid from pg_database where datname = current_database()))`
	before := one[string](t, c.PlatformPool(), state)
	begun := time.Now()
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Logf("second set-up: %v", time.Since(begun))
	if after := one[string](t, c.PlatformPool(), state); after != before {
		t.Errorf("relations and settings were %s, now %s", before, after)
	}
	if err := count(t, c, s); err != nil {
		t.Error(err)
	}
}

func TestLoginsHaveLimitsAndNoRights(t *testing.T) {
	t.Parallel()
	o := options(t)
	c := ready(t, o)
	s := newSchool(t, c, ask("one"))
	login := signIn(t, o.PlatformURL, node(t, c, "main").Logins()[s.Shard])
	for setting, want := range map[string]string{
		"search_path": "school_template", "statement_timeout": "30s", "lock_timeout": "10s", "idle_in_transaction_session_timeout": "30s",
	} {
		if got := one[string](t, login, `select current_setting($1)`, setting); got != want {
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
		if _, err := login.Exec(t.Context(), sql); code(err) != "42501" {
			t.Errorf("%s: %v, want permission denied", sql, err)
		}
	}
}

// signIn connects as a shard's login, past the bound driver.
func signIn(t *testing.T, url string, l tenancy.Login) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.User, config.Password = l.Name, l.Password
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

func TestAChangedSecretChangesThePasswords(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := newSchool(t, ready(t, o), ask("one"))
	o.Secret = []byte("another secret")
	c := open(t, o)
	if err := count(t, c, s); code(err) != "28P01" {
		t.Fatalf("before the set-up: %v, want a wrong password", err)
	}
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := count(t, c, s); err != nil {
		t.Fatal(err)
	}
}

func TestSchoolsAreServedAfterTheNumberOfShardsChanged(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Shards = 4
	c := ready(t, o)
	var schools []*tenancy.School
	for _, code := range []string{"a", "b", "c", "d"} {
		schools = append(schools, newSchool(t, c, ask(code)))
	}
	for _, shards := range []int{2, 6} {
		o.Shards = shards
		c := ready(t, o)
		for _, s := range schools {
			if err := count(t, c, s); err != nil {
				t.Errorf("%d shards, school on shard %d: %v", shards, s.Shard, err)
			}
		}
	}
}

func TestWithoutARolePerSchoolTheLoginsInherit(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := newSchool(t, ready(t, o), ask("one"))
	for _, rolePerSchool := range []bool{false, true, false} {
		o.RolePerSchool = rolePerSchool
		c := ready(t, o)
		if err := count(t, c, s); err != nil {
			t.Errorf("role per school %t: %v", rolePerSchool, err)
		}
		login := signIn(t, o.PlatformURL, node(t, c, "main").Logins()[s.Shard])
		_, err := login.Exec(t.Context(), `select from `+tenancy.Ident(s.Schema)+`.role`)
		if (err == nil) == rolePerSchool {
			t.Errorf("role per school %t: the login itself reads the school: %v", rolePerSchool, err)
		}
	}
}

// count reads a table of the school through the bound database.
func count(t *testing.T, c *tenancy.Cluster, s *tenancy.School) error {
	t.Helper()
	db, err := c.School(t.Context(), s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	var n int64
	return db.Table("role").Count(&n).Error
}

func TestADatabaseAheadOfTheBinaryStopsTheStart(t *testing.T) {
	t.Parallel()
	o := options(t)
	c := ready(t, o)
	s := newSchool(t, c, ask("early"))
	latest := c.SchoolVersion()
	check := func(what string, version int) {
		t.Helper()
		for _, err := range []error{lifecycle.Setup(t.Context(), open(t, o)), lifecycle.CheckNotAhead(t.Context(), c)} {
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
	o := options(t)
	c := ready(t, o)
	if _, err := c.PlatformPool().Exec(t.Context(), `insert into platform.node (name, url) values ('gone', 'postgres://nobody@127.0.0.1:1/none')`); err != nil {
		t.Fatal(err)
	}
	err := lifecycle.Setup(t.Context(), c)
	var down *lifecycle.NodesError
	if !errors.As(err, &down) || down.Nodes["gone"] == nil || len(down.Nodes) != 1 {
		t.Fatalf("%v, want one that names the node", err)
	}
	if s := newSchool(t, c, ask("one")); s.Node != "main" {
		t.Errorf("the school is on node %s", s.Node)
	}
}
