// Package testkit lets tests act as users: a running service on real servers, a school per
// test in tens of milliseconds, and signed-in clients of any role.
// Only tests import it.
package testkit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
)

// Change alters an instance before it starts.
type Change func(*config.Config, *service.Options)

// App is one running instance.
type App struct {
	URL     string
	Service *service.Service
	Log     *Log // its log; nil: not available
	// Namespace is what the instance's keys in Redis begin with: another one with the
	// same works on the same facts.
	Namespace string
	// HTTP is used by clients without an HTTP client of their own; nil: the default.
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

// Private runs servers that a test may break. They stop with it.
func Private(t testing.TB) *localstack.Stack {
	t.Helper()
	stack, err := localstack.Start(context.Background(),
		localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
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
	at, err := serversOf(stack, database)
	if err != nil {
		return nil, nil, err
	}
	c, o, err := settings(at, changes...)
	if err != nil {
		return nil, nil, err
	}
	if database == DatabaseName() && !(o.NoFirstYear && o.NoQuietHours) {
		return nil, nil, errors.New("instances of one database go on with each other's new schools: one that makes them otherwise has a " +
			"database of its own (StartOn)")
	}
	// One with migrations of its own begins with empty databases.
	if o.Migrations != nil || !stack.IsShared() {
		err = makeDatabases(stack, database, "")
	} else {
		err = copyDatabases(stack, database)
	}
	if err != nil {
		return nil, nil, err
	}
	return run(c, o)
}

// settings are those of an instance on the servers, with limits that do not get in the way of tests. Schools that it makes
// have no academic year and no quiet hours: a test that wants them calls School.QuietHours, or starts an instance with NoQuietHours false.
func settings(at Servers, changes ...Change) (config.Config, service.Options, error) {
	o := service.Options{Namespace: at.Name, NoQuietHours: true, NoFirstYear: true, PositionsPerSecond: 1000, Patience: 10 * time.Second}
	c, err := config.Load(config.Local, map[string]string{
		"DATABASE_URL": at.Platform, "HOMEROOM_NODE_URL": at.Node, "REDIS_URL": at.Redis, "HOMEROOM_SHARDS": "4", "HOMEROOM_SPARES": "2",
		"HOMEROOM_LIMIT_AUTH": "1000000-M", "HOMEROOM_LIMIT_READ": "1000000-M", "HOMEROOM_LIMIT_WRITE": "1000000-M",
		"HOMEROOM_LIMIT_RIDE": "1000000-M", "HOMEROOM_LIMIT_LIVE": "1000000-M",
	})
	if err != nil {
		return c, o, err
	}
	c.Files = "file://" + filepath.Join(os.TempDir(), at.Name+"_files")
	for _, change := range changes {
		change(&c, &o)
	}
	return c, o, nil
}

func run(c config.Config, o service.Options) (*App, func(), error) {
	ctx, log := context.Background(), &Log{}
	if o.Log == nil {
		o.Log = log.Logger(slog.LevelInfo)
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
