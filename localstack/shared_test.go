//go:build unix

package localstack_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"homeroom/localstack"
	"homeroom/testkit/wait"
)

// sharedDir is a folder that the reaper removes when the test has let go of its servers; we must not do it before.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir := durableDir(t)
	t.Cleanup(func() {
		wait.Eventually(t, "the data is gone", func() bool {
			_, err := os.Stat(dir)
			return errors.Is(err, os.ErrNotExist)
		})
	})
	return dir
}

func TestTheLastTestBinaryGoneTheServersStop(t *testing.T) {
	t.Parallel()
	dir := sharedDir(t)
	first, second := startChild(t, "shared", dir), startChild(t, "shared", dir)
	if first.postgres != second.postgres || first.redis != second.redis {
		t.Fatalf("two test binaries have two sets of servers: %v and %v", first, second)
	}
	began := ask(t, first.postgres, postmasterStart)
	first.leave()
	if again := ask(t, second.postgres, postmasterStart); again != began {
		t.Errorf("the servers were restarted under the second test binary")
	}
	second.kill() // a test that times out ends like this
	third := startChild(t, "shared", dir)
	if again := ask(t, third.postgres, postmasterStart); again != began {
		t.Errorf("a test binary within the time of grace got new servers")
	}
	third.leave()
	wait.Eventually(t, "the servers are gone", func() bool { return !listens(first.postgres) && !listens(first.redis) })
} // and the data: see sharedDir

func TestTestBinariesThatComeAsTheServersGoGetNewOnes(t *testing.T) {
	t.Parallel()
	dir := sharedDir(t)
	for range 5 {
		child := startChild(t, "shared, Redis only", dir)
		if got, err := redisDo(child.redis, "PING"); got != "+PONG" {
			t.Fatalf("Redis says %q %v", got, err)
		}
		child.leave()
		wait.Eventually(t, "the port closes", func() bool { return !listens(child.redis) }) // the reaper is in the middle of it
	}
}

func TestFiveTestBinariesAtOnceStartOneSetOfServers(t *testing.T) {
	t.Parallel()
	dir := sharedDir(t)
	began := make(chan string)
	for range 5 {
		go func() {
			s, err := localstack.Shared(t.Context(), localstack.Options{Dir: dir, Postgres: []string{"main"}, Grace: time.Second})
			if err != nil {
				began <- err.Error()
				return
			}
			began <- ask(t, s.PostgresURL("main"), postmasterStart)
			_ = s.Stop()
		}()
	}
	first := <-began
	for range 4 {
		if other := <-began; other != first {
			t.Errorf("one has %q, another %q", first, other)
		}
	}
}

func TestALaterTestBinaryMayAskForOneServerMore(t *testing.T) {
	t.Parallel()
	dir := sharedDir(t)
	shared := func(names ...string) *localstack.Stack {
		s, err := localstack.Shared(t.Context(), localstack.Options{Dir: dir, Postgres: names, Redis: true, Grace: time.Millisecond})
		must(t, err)
		t.Cleanup(func() { must(t, s.Stop()) })
		return s
	}
	one, two := shared(), shared("north")
	if one.RedisURL() != two.RedisURL() {
		t.Errorf("the server that ran already was not used")
	}
	ask(t, two.PostgresURL("north"), "SELECT 'served'")
}

func TestSharedServersCannotBeHurt(t *testing.T) {
	t.Parallel()
	s, err := localstack.Shared(t.Context(), localstack.Options{Dir: sharedDir(t), Redis: true, Grace: time.Millisecond})
	must(t, err)
	defer s.Stop()
	for what, err := range map[string]error{
		"RestartPostgres": s.RestartPostgres(t.Context(), "main"),
		"KillPostgres":    s.KillPostgres("main"),
		"StopRedis":       s.StopRedis(t.Context()),
		"StartRedis":      s.StartRedis(t.Context()),
		"FreezeRedis":     s.FreezeRedis(),
		"ThawRedis":       s.ThawRedis(),
	} {
		if err == nil {
			t.Errorf("%s is allowed on the servers of all tests", what)
		}
	}
}
