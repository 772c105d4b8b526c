package testkit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/cmd/service"
	"homeroom/localstack"
	"homeroom/migrations"
	"homeroom/tenancy/lifecycle"
)

// Databases are copied from a template: a pair of databases, the platform's and the node's, with every migration run
// and some schools' schemas ready to be claimed. Making a schema by SQL takes Postgres 0.3 s; copying one a fraction of it.
// The first test binary that wants a template makes it; the name says which migrations it is of.
var (
	fewSpares = 4                             // for a test that has a database of its own
	sizes     = []int{fewSpares, 16, 48, 128} // of templates, in schemas
)

// databaseEnv is the database of the processes that a test starts.
const databaseEnv = "HOMEROOM_TEST_DATABASE"

// DatabaseName is the database that the tests of this binary share.
var DatabaseName = sync.OnceValue(func() string {
	if name := os.Getenv(databaseEnv); name != "" {
		return name
	}
	return fmt.Sprintf("%s_%d", templateName(), os.Getpid())
})

// templateName follows from the migrations: servers that another version of the code has used can be used too.
func templateName() string {
	h := sha256.New()
	for _, m := range slices.Concat(migrations.Platform(), migrations.School(), migrations.ForNew(migrations.School())) {
		h.Write([]byte(m.SQL))
	}
	return fmt.Sprintf("homeroom_%x", h.Sum(nil)[:6])
}

// sparesWanted guesses how many schools the tests of this binary make: about one each.
func sparesWanted() int {
	if f := flag.Lookup("test.run"); f == nil || f.Value.String() != "" {
		return fewSpares
	}
	files, _ := filepath.Glob("*_test.go") // a test runs in its package's folder
	tests := 0
	for _, file := range files {
		text, _ := os.ReadFile(file)
		tests += bytes.Count(text, []byte("\nfunc Test"))
	}
	for _, n := range sizes {
		if tests <= n {
			return n
		}
	}
	return sizes[len(sizes)-1]
}

// Database makes a database on one of the stack's Postgres servers, if it is not there,
// and returns its address: for tests that run the program itself.
func Database(t testing.TB, stack *localstack.Stack, server, name string) string {
	t.Helper()
	address, err := makeDatabase(context.Background(), stack.PostgresURL(server), name, "")
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// ServersOf are a stack's servers, with empty databases of the name, which are made if they are not there.
func ServersOf(stack *localstack.Stack, name string) (Servers, error) {
	if err := makeDatabases(stack, name, ""); err != nil {
		return Servers{}, err
	}
	return serversOf(stack, name)
}

// serversOf makes no database.
func serversOf(stack *localstack.Stack, name string) (Servers, error) {
	platform, err := addressOf(stack.PostgresURL("main"), name)
	if err != nil {
		return Servers{}, err
	}
	node, err := addressOf(stack.PostgresURL("north"), name)
	return Servers{Platform: platform, Node: node, Redis: stack.RedisURL(), Name: name}, err
}

// copyDatabases makes a pair of databases from a template, unless they are there.
func copyDatabases(stack *localstack.Stack, name string) error {
	spares := fewSpares
	if name == DatabaseName() {
		spares = sparesWanted()
	}
	from, err := template(stack, spares)
	if err != nil {
		return err
	}
	return makeDatabases(stack, name, from)
}

func makeDatabases(stack *localstack.Stack, name, template string) error {
	_, err := makeDatabase(context.Background(), stack.PostgresURL("main"), name, template)
	if err == nil {
		_, err = makeDatabase(context.Background(), stack.PostgresURL("north"), name, template)
	}
	return err
}

// makeDatabase makes the database if it is not there, and returns its address.
func makeDatabase(ctx context.Context, server, name, template string) (string, error) {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	sql := `create database "` + name + `"`
	if template != "" {
		sql += ` template "` + template + `" strategy file_copy`
	}
	_, err = conn.Exec(ctx, sql)
	var pg *pgconn.PgError
	if err != nil && (!errors.As(err, &pg) || (pg.Code != "42P04" && pg.Code != "23505")) {
		return "", fmt.Errorf("making database %s: %w", name, err)
	}
	return addressOf(server, name)
}

func addressOf(server, database string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + database
	return u.String(), nil
}

// template is the name of a pair of databases with so many spare schemas, which are made if they are not there.
func template(stack *localstack.Stack, spares int) (name string, err error) {
	ctx := context.Background()
	name = fmt.Sprintf("%s_with_%d", templateName(), spares)
	lock, err := pgx.Connect(ctx, stack.PostgresURL("main"))
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close(ctx) }() // and with it the lock goes
	h := fnv.New64a()
	h.Write([]byte(name))
	if _, err := lock.Exec(ctx, `select pg_advisory_lock($1)`, int64(h.Sum64())); err != nil {
		return "", err
	}
	if err := dropAbandoned(ctx, stack); err != nil {
		return "", err
	}
	var found bool
	if err := lock.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, name).Scan(&found); err != nil || found {
		return name, err
	}
	// One that is half made has another name: it is made anew.
	unfinished := name + "_unfinished"
	for _, server := range []string{"main", "north"} {
		if err := onServer(ctx, stack, server, `drop database if exists "`+unfinished+`" with (force)`); err != nil {
			return "", err
		}
	}
	smaller := ""
	if i := slices.Index(sizes, spares); i > 0 {
		if smaller, err = template(stack, sizes[i-1]); err != nil {
			return "", err
		}
	}
	if err := makeDatabases(stack, unfinished, smaller); err != nil {
		return "", err
	}
	at, err := serversOf(stack, unfinished)
	if err != nil {
		return "", err
	}
	if err := fillTemplate(ctx, at, spares); err != nil {
		return "", fmt.Errorf("making the template of databases: %w", err)
	}
	for _, server := range []string{"north", "main"} { // main's name marks both as ready
		if err := onServer(ctx, stack, server, `drop database if exists "`+name+`" with (force)`,
			`alter database "`+unfinished+`" rename to "`+name+`"`); err != nil {
			return "", err
		}
	}
	return name, nil
}

func fillTemplate(ctx context.Context, at Servers, spares int) error {
	c, o, err := settings(at)
	if err != nil {
		return err
	}
	c.Spares = spares
	s, err := service.New(ctx, c, o)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	_, err = lifecycle.KeepSpares(ctx, s.Cluster)
	return err
}

// dropAbandoned removes the databases of test binaries that have ended. What they made besides goes with the servers.
func dropAbandoned(ctx context.Context, stack *localstack.Stack) error {
	prefix := templateName() + "_"
	for _, server := range []string{"main", "north"} {
		conn, err := pgx.Connect(ctx, stack.PostgresURL(server))
		if err != nil {
			return err
		}
		rows, err := conn.Query(ctx, `select datname from pg_database where starts_with(datname, $1)`, prefix)
		if err != nil {
			return errors.Join(err, conn.Close(ctx))
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range names {
			pid, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
			if n, err := strconv.Atoi(pid); err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
				_, _ = conn.Exec(ctx, `drop database if exists "`+name+`" with (force)`) // another process may be dropping it
			}
		}
		if err := errors.Join(err, conn.Close(ctx)); err != nil {
			return err
		}
	}
	return nil
}

func onServer(ctx context.Context, stack *localstack.Stack, server string, statements ...string) error {
	conn, err := pgx.Connect(ctx, stack.PostgresURL(server))
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err = conn.Exec(ctx, sql); err != nil {
			break
		}
	}
	return errors.Join(err, conn.Close(ctx))
}
