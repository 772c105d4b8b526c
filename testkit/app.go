// Package testkit lets tests act as users: a running service on real servers, a
// school of one's own in tens of milliseconds, and signed-in clients of any role.
// Only tests import it.
package testkit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/migrations"
)

// Change alters an instance before it starts.
type Change func(*config.Config, *service.Options)

// App is one running instance.
type App struct {
	URL     string
	Service *service.Service
	Log     *Log // what it has logged; nil: nobody knows
	// Namespace is what the instance's keys in Redis begin with: another one with the
	// same works on the same facts.
	Namespace string
	// HTTP is how clients call it that have no way of their own; nil: as usual.
	HTTP *http.Client
}

// Servers are the addresses an instance works on, each with its database's name.
type Servers struct {
	Platform, Node, Redis string
	Name                  string // of the database; keys in Redis begin with it
	Log                   string // a file for what an instance of Run logs
}

// Stack is the servers all test binaries share. A test that finds none fails.
func Stack(t testing.TB) *localstack.Stack {
	t.Helper()
	stack, err := sharedStack()
	if err != nil {
		t.Fatalf("the tests need Postgres and Redis: %v", err)
	}
	return stack
}

// Private runs servers that a test may hurt. They stop with it.
func Private(t testing.TB) *localstack.Stack {
	t.Helper()
	stack, err := localstack.Start(context.Background(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
	if err != nil {
		t.Fatalf("starting servers: %v", err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	return stack
}

var sharedStack = sync.OnceValues(func() (*localstack.Stack, error) {
	return localstack.Shared(context.Background(), localstack.Options{
		Postgres: []string{"main", "north"}, Redis: true, MaxConnections: 500,
	})
})

// Shared is the instance the tests of one binary share, with limits that do not get
// in their way. The platform is on one server and the schools on another, so that a
// query which needs both cannot pass.
func Shared(t testing.TB) *App {
	t.Helper()
	stack := Stack(t)
	app, err := sharedApp(stack)
	if err != nil {
		t.Fatalf("starting the service: %v", err)
	}
	return app
}

var (
	sharedOnce    sync.Once
	shared        *App
	sharedErr     error
	sharedChanges []Change
)

// ShareWith changes the instance that Shared starts, for a package whose tests bring
// rows of their own. It is called from an init, before any test runs.
func ShareWith(changes ...Change) { sharedChanges = append(sharedChanges, changes...) }

func sharedApp(stack *localstack.Stack) (*App, error) {
	sharedOnce.Do(func() { shared, _, sharedErr = start(stack, DatabaseName(), sharedChanges...) })
	return shared, sharedErr
}

// Start runs another instance on the same servers and database as Shared, for tests
// of what instances see of each other or of other settings. It stops with the test.
func Start(t testing.TB, changes ...Change) *App {
	t.Helper()
	return StartOn(t, Stack(t), DatabaseName(), changes...)
}

// StartOn runs an instance on given servers and in a database of the given name.
func StartOn(t testing.TB, stack *localstack.Stack, database string, changes ...Change) *App {
	t.Helper()
	app, stop, err := start(stack, database, changes...)
	if err != nil {
		t.Fatalf("starting the service: %v", err)
	}
	t.Cleanup(stop)
	return app
}

func start(stack *localstack.Stack, database string, changes ...Change) (*App, func(), error) {
	at, err := ServersOf(stack, database)
	if err != nil {
		return nil, nil, err
	}
	return startAt(at, changes...)
}

// ServersOf are a stack's servers, with a database of the name, which is made if it is not there.
func ServersOf(stack *localstack.Stack, database string) (Servers, error) {
	ctx := context.Background()
	platform, err := makeDatabase(ctx, stack.PostgresURL("main"), database)
	if err != nil {
		return Servers{}, err
	}
	node, err := makeDatabase(ctx, stack.PostgresURL("north"), database)
	return Servers{Platform: platform, Node: node, Redis: stack.RedisURL(), Name: database}, err
}

func startAt(at Servers, changes ...Change) (*App, func(), error) {
	ctx, database := context.Background(), at.Name
	c, err := config.Load(config.Local, map[string]string{
		"DATABASE_URL": at.Platform, "HOMEROOM_NODE_URL": at.Node, "REDIS_URL": at.Redis, "HOMEROOM_SHARDS": "4", "HOMEROOM_SPARES": "6",
		"HOMEROOM_LIMIT_AUTH": "1000000-M", "HOMEROOM_LIMIT_READ": "1000000-M", "HOMEROOM_LIMIT_WRITE": "1000000-M", "HOMEROOM_LIMIT_RIDE": "1000000-M",
	})
	if err != nil {
		return nil, nil, err
	}
	c.Files = "file://" + filepath.Join(os.TempDir(), database+"_files")
	log := &Log{}
	o := service.Options{Namespace: database, PositionsPerSecond: 1000, Patience: 10 * time.Second, Log: log.Logger(slog.LevelInfo)}
	for _, change := range changes {
		change(&c, &o)
	}
	s, err := service.New(ctx, c, o)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Prepare(ctx); err != nil {
		return nil, nil, err
	}
	background, cancel := context.WithCancel(ctx)
	done, err := s.Background(background)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	<-s.Hints.Ready()
	server := httptest.NewServer(s.Kernel.Handler())
	stop := func() {
		gone, cut := context.WithCancel(ctx)
		cut()
		_ = s.Hub.Close(gone) // a socket would keep the server waiting
		server.Close()
		_ = s.Jobs.Stop(ctx)
		cancel()
		done.Wait()
		s.Close()
	}
	return &App{URL: server.URL, Service: s, Log: log, Namespace: o.Namespace}, stop, nil
}

// DatabaseName follows from the migrations: a shared server that another version of
// the code has used is no obstacle.
func DatabaseName() string {
	h := sha256.New()
	for _, m := range append(migrations.Platform(), migrations.School()...) {
		h.Write([]byte(m.SQL))
	}
	return fmt.Sprintf("homeroom_%x", h.Sum(nil)[:6])
}

// Database makes a database on one of the stack's Postgres servers, if it is not there,
// and returns its address: for tests that run the program itself.
func Database(t testing.TB, stack *localstack.Stack, server, name string) string {
	t.Helper()
	address, err := makeDatabase(context.Background(), stack.PostgresURL(server), name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// makeDatabase makes the database if it is not there, and returns its address.
func makeDatabase(ctx context.Context, server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `create database "`+name+`"`)
	var pg *pgconn.PgError
	if err != nil && (!errors.As(err, &pg) || (pg.Code != "42P04" && pg.Code != "23505")) {
		return "", fmt.Errorf("making database %s: %w", name, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}
