// Package clusters gives tests of tenancy and its wings clusters of their own: every test has databases on the two shared
// servers, so that all of them may run at once. The owner is a plain role, as on a managed server.
package clusters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"homeroom/localstack"
	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// AddClass is the SQL of a class of this name.
const AddClass = `insert into class (id, name) values (gen_random_uuid(), ?)`

var servers = sync.OnceValues(func() (*localstack.Stack, error) {
	return localstack.Shared(context.Background(), localstack.Options{
		Postgres: []string{"main", "north"}, Redis: true, MaxConnections: 400,
	})
})

func Stack(t *testing.T) *localstack.Stack {
	t.Helper()
	s, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Super connects to a server's first database as its superuser.
func Super(t *testing.T, server string) *pgx.Conn {
	t.Helper()
	return Connect(t, Stack(t).PostgresURL(server))
}

func Connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// NewDatabase makes a database and a role that may make schemas and roles in it and
// nothing else, and returns that role's address for it.
func NewDatabase(t *testing.T, server string) string {
	t.Helper()
	return NewDatabaseOf(t, server, "createrole")
}

// NewDatabaseOf is newDatabase with an owner that has other attributes.
func NewDatabaseOf(t *testing.T, server, attributes string) string {
	t.Helper()
	name := "t_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin := Super(t, server)
	Exec(t, admin, fmt.Sprintf(`create role %s login %s password 'owner'`, name, attributes))
	Exec(t, admin, fmt.Sprintf(`create database %s`, name))
	Exec(t, admin, fmt.Sprintf(`grant create on database %s to %s`, name, name))
	t.Cleanup(func() { dropDatabase(t, server, name) })
	u, err := url.Parse(Stack(t).PostgresURL(server))
	if err != nil {
		t.Fatal(err)
	}
	u.Path, u.User = "/"+name, url.UserPassword(name, "owner")
	return u.String()
}

// dropDatabase leaves the shared server as it was, roles included.
func dropDatabase(t *testing.T, server, name string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, Stack(t).PostgresURL(server))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select distinct refobjid::regrole::text from pg_shdepend join pg_database d on d.oid = dbid
		where d.datname = $1 and refclassid = 'pg_authid'::regclass and deptype in ('a', 'o')
		and refobjid::regrole::text like 'school!_%' escape '!'
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

func Exec(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Options are small pools on a database of the test's own, for schools of few tables: with all of them a school takes a second
// to make. A test that needs them all says so.
func Options(t *testing.T) tenancy.Options {
	t.Helper()
	return tenancy.Options{
		PlatformURL: NewDatabase(t, "main"), Secret: []byte("tenancy tests"), RolePerSchool: true, Migrations: FewTables,
		Shards: 2, ShardConns: 2, AdminConns: 4, PlatformConns: 4,
	}
}

// Open opens a cluster, as one more instance would.
func Open(t *testing.T, o tenancy.Options) *tenancy.Cluster {
	t.Helper()
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 20*time.Second)
	c, err := tenancy.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Ready opens a cluster and sets it up.
func Ready(t *testing.T, o tenancy.Options) *tenancy.Cluster {
	t.Helper()
	c := Open(t, o)
	if err := lifecycle.Setup(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Ask is a school anybody could ask for.
func Ask(code string) lifecycle.NewSchool {
	return lifecycle.NewSchool{Code: code, Name: "School " + code, TimeZone: "Asia/Kolkata", Locale: "en-IN", Currency: "INR"}
}

// NewSchool provisions a school and returns it active.
func NewSchool(t *testing.T, c *tenancy.Cluster, n lifecycle.NewSchool) *tenancy.School {
	t.Helper()
	p := lifecycle.NewProvisioner(c)
	s, err := p.Request(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	return Find(t, c, s.ID)
}

func Find(t *testing.T, c *tenancy.Cluster, id uuid.UUID) *tenancy.School {
	t.Helper()
	s, err := c.FindSchool(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One reads a single value with the platform's or a node's own pool.
func One[T any](t *testing.T, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func Node(t *testing.T, c *tenancy.Cluster, name string) *tenancy.Node {
	t.Helper()
	n, err := c.Node(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Together runs f so many times at once and fails on any error.
func Together(t *testing.T, times int, f func(i int) error) {
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

func Bound(t *testing.T, c *tenancy.Cluster, s *tenancy.School, mode tenancy.Mode) *gorm.DB {
	t.Helper()
	db, err := c.School(t.Context(), s, mode)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TryRead reads a table of the school through the bound database.
func TryRead(t *testing.T, c *tenancy.Cluster, s *tenancy.School) error {
	t.Helper()
	db, err := c.School(t.Context(), s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	var n int64
	return db.Table("role").Count(&n).Error
}

// SignIn connects as a shard's login, past the bound driver.
func SignIn(t *testing.T, url string, l tenancy.Login) *pgx.Conn {
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

func Code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// AndThen is a fleet's migrations with one more.
func AndThen(ms []migrations.Migration, sql string) []migrations.Migration {
	next := len(ms) + 1
	return append(ms[:len(ms):len(ms)], migrations.Migration{Version: next, Name: fmt.Sprintf("%04d_next", next), SQL: sql})
}

// FewTables are the first of a school's migrations: people and rights, years and classes, students, subjects.
var FewTables = migrations.School()[:4]

// Pupils is a small school: tests of the migrator need many of them.
var Pupils = []migrations.Migration{{Version: 1, Name: "0001_pupil", SQL: `create table pupil (id int primary key, name text not null);
	insert into pupil select i, 'pupil ' || i from generate_series(1, 20) i;`}}

// Fleet is a cluster of so many schools, each made by ms.
func Fleet(t *testing.T, o *tenancy.Options, ms []migrations.Migration, schools int) (*tenancy.Cluster, []*tenancy.School) {
	t.Helper()
	o.Migrations = ms
	c := Ready(t, *o)
	out := make([]*tenancy.School, schools)
	Together(t, min(schools, 4), func(worker int) error {
		for i := worker; i < schools; i += 4 {
			p := lifecycle.NewProvisioner(c)
			s, err := p.Request(t.Context(), Ask(fmt.Sprintf("s%03d", i)))
			if err == nil {
				err = p.Run(t.Context(), s.ID)
			}
			if err == nil {
				out[i], err = c.FindSchool(t.Context(), s.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return c, out
}
