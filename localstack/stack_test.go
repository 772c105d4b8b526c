//go:build unix

package localstack_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"homeroom/localstack"
)

func TestDataIsStillThereAfterARestart(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	s, err := localstack.Start(t.Context(), everything(dir))
	must(t, err)
	first := s.PostgresURL("main")
	ask(t, first, "CREATE TABLE kept AS SELECT 'here' AS word")
	_, err = redisDo(s.RedisURL(), "SET kept here")
	must(t, err)
	must(t, s.Stop())

	s = start(t, everything(dir))
	if got := ask(t, s.PostgresURL("main"), "SELECT word FROM kept"); got != "here" {
		t.Errorf("Postgres has %q", got)
	}
	if got, err := redisDo(s.RedisURL(), "GET kept"); got != "here" {
		t.Errorf("Redis has %q %v", got, err)
	}
	if s.PostgresURL("main") != first {
		t.Errorf("address and password changed: %s, then %s", first, s.PostgresURL("main"))
	}
}

func TestStopStopsEverythingItStarted(t *testing.T) {
	t.Parallel()
	s, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
	must(t, err)
	addresses := []string{s.PostgresURL("main"), s.PostgresURL("north"), s.RedisURL()}
	for _, a := range addresses {
		if !listens(a) {
			t.Errorf("%s does not answer", a)
		}
	}
	must(t, s.Stop())
	for _, a := range addresses {
		if listens(a) {
			t.Errorf("%s still answers", a)
		}
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("data that need not last is still in %s", s.Dir())
	}
	must(t, s.Stop()) // once more does no harm
}

func TestTheServersAreSetUpAsTheProductNeedsThem(t *testing.T) {
	t.Parallel()
	o := everything(durableDir(t))
	o.MaxConnections = 40
	durable := start(t, o).PostgresURL("main")
	s := start(t, localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}, Redis: true})
	fast := s.PostgresURL("main")
	sync := map[string]string{"linux": "syncfs"}[runtime.GOOS] // elsewhere there is none
	if sync == "" {
		sync = "fsync"
	}
	for _, c := range []struct{ url, setting, want string }{
		{durable, "recovery_init_sync_method", sync},
		{fast, "recovery_init_sync_method", sync},
		{durable, "max_connections", "40"},
		{durable, "fsync", "on"},
		{durable, "synchronous_commit", "on"},
		{durable, "wal_level", "logical"},
		{durable, "server_encoding", "UTF8"},
		{durable, "listen_addresses", "127.0.0.1"},
		{durable, "unix_socket_directories", ""},
		{fast, "max_connections", "100"},
		{fast, "fsync", "off"},
		{fast, "max_locks_per_transaction", "256"},
	} {
		if got := ask(t, c.url, "SHOW "+c.setting); got != c.want {
			t.Errorf("%s is %q, not %q", c.setting, got, c.want)
		}
	}
	if got := ask(t, durable, "SELECT current_user || ' ' || current_database()"); got != "homeroom homeroom" {
		t.Errorf("user and database are %s", got)
	}
	for _, right := range []string{durable, fast} {
		u, err := url.Parse(right)
		must(t, err)
		u.User = url.UserPassword("homeroom", "guess")
		if err := connect(u.String()); err == nil || !strings.Contains(err.Error(), "password") {
			t.Errorf("Postgres answers a wrong password with %v", err)
		}
	}
	if line, err := redisDo(strings.Replace(s.RedisURL(), "redis://:", "redis://:x", 1), "PING"); !strings.HasPrefix(line, "-WRONGPASS") {
		t.Errorf("Redis answers a wrong password with %q %v", line, err)
	}
}

func TestAFolderInUseIsNotSharedByMistake(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	o := localstack.Options{Dir: dir, Redis: true, Durable: true}
	s := start(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := localstack.Start(ctx, o); !errors.Is(err, localstack.ErrInUse) {
		t.Errorf("a second start in the same folder: %v", err)
	}
	must(t, s.Stop())
	must(t, start(t, o).Stop())
}

func TestAStartThatIsCancelledLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := everything(dir)
	o.Log = func(format string, _ ...any) {
		if strings.Contains(format, "making a new database") {
			cancel()
		}
	}
	if s, err := localstack.Start(ctx, o); err == nil {
		t.Errorf("started although cancelled: %v", s.Stop())
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "data", "*.pid"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	must(t, start(t, everything(dir)).Stop())
}
