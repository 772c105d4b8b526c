package tenancy_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// Every test has databases of its own on the two shared servers, so that all of
// them may run at once. The owner is a plain role, as on a managed server.

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		beChild(role)
	}
	os.Exit(m.Run())
}

var servers = sync.OnceValues(func() (*localstack.Stack, error) {
	return localstack.Shared(context.Background(), localstack.Options{
		Postgres: []string{"main", "north"}, Redis: true, MaxConnections: 400,
	})
})

func stack(t *testing.T) *localstack.Stack {
	t.Helper()
	s, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// super connects to a server's first database as its superuser.
func super(t *testing.T, server string) *pgx.Conn {
	t.Helper()
	return connect(t, stack(t).PostgresURL(server))
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// newDatabase makes a database and a role that may make schemas and roles in it and
// nothing else, and returns that role's address for it.
func newDatabase(t *testing.T, server string) string {
	t.Helper()
	return newDatabaseOf(t, server, "createrole")
}

// newDatabaseOf is newDatabase with an owner that has other attributes.
func newDatabaseOf(t *testing.T, server, attributes string) string {
	t.Helper()
	name := "t_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin := super(t, server)
	run(t, admin, fmt.Sprintf(`create role %s login %s password 'owner'`, name, attributes))
	run(t, admin, fmt.Sprintf(`create database %s`, name))
	run(t, admin, fmt.Sprintf(`grant create on database %s to %s`, name, name))
	t.Cleanup(func() { dropDatabase(t, server, name) })
	u, err := url.Parse(stack(t).PostgresURL(server))
	if err != nil {
		t.Fatal(err)
	}
	u.Path, u.User = "/"+name, url.UserPassword(name, "owner")
	return u.String()
}

// dropDatabase leaves the shared server as it was, roles included.
func dropDatabase(t *testing.T, server, name string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, stack(t).PostgresURL(server))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select distinct refobjid::regrole::text from pg_shdepend join pg_database d on d.oid = dbid
		where d.datname = $1 and refclassid = 'pg_authid'::regclass and deptype in ('a', 'o') and refobjid::regrole::text like 'school!_%' escape '!'
		and refobjid::regrole::text <> 'school_template'
		union select setrole::regrole::text from pg_db_role_setting join pg_database d on d.oid = setdatabase where d.datname = $1`, name)
	if err != nil {
		t.Error(err)
		return
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Error(err)
		return
	}
	for _, sql := range []string{
		fmt.Sprintf(`drop database %s with (force)`, name),
		fmt.Sprintf(`drop role if exists %s`, strings.Join(append(roles, name), ", ")),
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	}
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// options are small pools on a database of the test's own.
func options(t *testing.T) tenancy.Options {
	t.Helper()
	return tenancy.Options{
		PlatformURL: newDatabase(t, "main"), Secret: []byte("tenancy tests"), RolePerSchool: true,
		Shards: 2, ShardConns: 2, AdminConns: 4, PlatformConns: 4,
	}
}

// open opens a cluster, as one more instance would.
func open(t *testing.T, o tenancy.Options) *tenancy.Cluster {
	t.Helper()
	c, err := tenancy.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// ready opens a cluster and sets it up.
func ready(t *testing.T, o tenancy.Options) *tenancy.Cluster {
	t.Helper()
	c := open(t, o)
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask is a school anybody could ask for.
func ask(code string) lifecycle.NewSchool {
	return lifecycle.NewSchool{Code: code, Name: "School " + code, TimeZone: "Asia/Kolkata", Locale: "en-IN", Currency: "INR"}
}

// newSchool provisions a school and returns it active.
func newSchool(t *testing.T, c *tenancy.Cluster, n lifecycle.NewSchool) *tenancy.School {
	t.Helper()
	p := lifecycle.NewProvisioner(c)
	s, err := p.Request(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	return find(t, c, s.ID)
}

func find(t *testing.T, c *tenancy.Cluster, id uuid.UUID) *tenancy.School {
	t.Helper()
	s, err := c.FindSchool(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// one reads a single value with the platform's or a node's own pool.
func one[T any](t *testing.T, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func node(t *testing.T, c *tenancy.Cluster, name string) *tenancy.Node {
	t.Helper()
	n, err := c.Node(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// together runs f so many times at once and fails on any error.
func together(t *testing.T, times int, f func(i int) error) {
	t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, times)
	for i := range times {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("number %d: %v", i, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}
