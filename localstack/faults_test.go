//go:build unix

package localstack_test

import (
	"testing"
	"time"

	"homeroom/localstack"
	"homeroom/testkit/wait"
)

func TestARestartedOrKilledPostgresKeepsItsPortAndItsData(t *testing.T) {
	t.Parallel()
	s := start(t, localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}})
	url := s.PostgresURL("main")
	ask(t, url, "CREATE TABLE kept AS SELECT 'here' AS word")
	began := ask(t, url, postmasterStart)
	must(t, s.RestartPostgres(t.Context(), "main"))
	if s.PostgresURL("main") != url {
		t.Errorf("it moved from %s to %s", url, s.PostgresURL("main"))
	}
	if ask(t, url, postmasterStart) == began {
		t.Errorf("it was not restarted")
	}
	if got := ask(t, url, "SELECT word FROM kept"); got != "here" {
		t.Errorf("it has %q", got)
	}

	must(t, s.KillPostgres("main"))
	wait.Eventually(t, "nothing listens", func() bool { return !listens(url) })
	must(t, s.RestartPostgres(t.Context(), "main"))
	if got := ask(t, url, "SELECT word FROM kept"); got != "here" {
		t.Errorf("after a kill it has %q", got)
	}
}

func TestCrashableServer_KilledOrFrozen_KeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	s := start(t, localstack.Options{Dir: t.TempDir(), Postgres: []string{"main"}, Crashable: true})
	url := s.PostgresURL("main")
	ask(t, url, "CREATE TABLE kept (n int)")
	for range 20 {
		ask(t, url, "INSERT INTO kept VALUES (1)")
	}
	must(t, s.KillPostgres("main"))
	must(t, s.RestartPostgres(t.Context(), "main"))
	if got := ask(t, url, "SELECT count(*) FROM kept"); got != "20" {
		t.Errorf("of 20 acknowledged it has %s", got)
	}
	must(t, s.FreezePostgres("main"))
	if err := connect(url + "&connect_timeout=1"); err == nil {
		t.Error("a frozen server answers")
	}
	must(t, s.ThawPostgres("main"))
	if got := ask(t, url, "SELECT count(*) FROM kept"); got != "20" {
		t.Errorf("thawed it has %s", got)
	}
	must(t, s.FreezePostgres("main"))
	must(t, s.Stop()) // a frozen server can be stopped
}

func TestRedisStopsAndStartsOnTheSamePort(t *testing.T) {
	t.Parallel()
	s := start(t, localstack.Options{Dir: t.TempDir(), Redis: true})
	url := s.RedisURL()
	must(t, s.StopRedis(t.Context()))
	if listens(url) {
		t.Errorf("it still listens")
	}
	must(t, s.StartRedis(t.Context()))
	if got, err := redisDo(url, "PING"); got != "+PONG" || s.RedisURL() != url {
		t.Errorf("back on %s it says %q %v", s.RedisURL(), got, err)
	}
}

func TestAFrozenRedisAcceptsConnectionsAndAnswersNothing(t *testing.T) {
	t.Parallel()
	s := start(t, localstack.Options{Dir: t.TempDir(), Redis: true})
	must(t, s.FreezeRedis())
	if !listens(s.RedisURL()) {
		t.Errorf("its port is closed")
	}
	if got, err := redisWithin(500*time.Millisecond, s.RedisURL(), "PING"); err == nil {
		t.Errorf("it says %q", got)
	}
	must(t, s.ThawRedis())
	if got, err := redisDo(s.RedisURL(), "PING"); got != "+PONG" {
		t.Errorf("thawed it says %q %v", got, err)
	}
	must(t, s.FreezeRedis())
	must(t, s.Stop()) // a frozen server can be stopped
}
