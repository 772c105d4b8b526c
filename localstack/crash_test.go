//go:build unix

package localstack_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"homeroom/localstack"
	"homeroom/testkit/wait"
)

const postmasterStart = "SELECT pg_postmaster_start_time()::text"

func TestASecondStartAfterKill9AdoptsTheServers(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	child := startChild(t, "durable", dir)
	began := ask(t, child.postgres, postmasterStart)
	_, err := redisDo(child.redis, "SET seen before")
	must(t, err)
	child.kill()

	s, err := localstack.Start(t.Context(), everything(dir))
	must(t, err)
	if s.PostgresURL("main") != child.postgres || s.RedisURL() != child.redis {
		t.Errorf("other addresses: %s and %s, before %s and %s", s.PostgresURL("main"), s.RedisURL(), child.postgres, child.redis)
	}
	if again := ask(t, s.PostgresURL("main"), postmasterStart); again != began {
		t.Errorf("Postgres was restarted: %s, before %s", again, began)
	}
	must(t, s.Stop())
	if listens(child.postgres) || listens(child.redis) {
		t.Errorf("an adopted server outlives Stop")
	}
}

func TestAStartAfterEverythingWasKilledRepairsTheData(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	child := startChild(t, "durable", dir)
	ask(t, child.postgres, "CREATE TABLE kept AS SELECT 'here' AS word")
	child.kill()
	must(t, syscall.Kill(pid(t, filepath.Join(dir, "postgres-main", "data", "postmaster.pid")), syscall.SIGKILL))
	must(t, syscall.Kill(pid(t, filepath.Join(dir, "redis", "data", "redis.pid")), syscall.SIGKILL))

	s := start(t, everything(dir))
	if got := ask(t, s.PostgresURL("main"), "SELECT word FROM kept"); got != "here" {
		t.Errorf("the committed row is lost: %q", got)
	}
}

// After a reboot, and always in containers, the number in a crashed server's pid file soon belongs to another process.
func TestAForeignProcessWithTheSamePidIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	s, err := localstack.Start(t.Context(), everything(dir))
	must(t, err)
	pidFile := filepath.Join(dir, "postgres-main", "data", "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	must(t, err)
	info, err := os.Stat(pidFile)
	must(t, err)
	must(t, s.Stop())
	_, rest, _ := strings.Cut(string(text), "\n")
	must(t, os.WriteFile(pidFile, fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0o600))
	owner := info.Sys().(*syscall.Stat_t)
	must(t, os.Chown(pidFile, int(owner.Uid), int(owner.Gid)))

	must(t, start(t, everything(dir)).Stop())
}

func TestATestThatIsKilledLeavesNoServersBehind(t *testing.T) {
	t.Parallel()
	dir := durableDir(t)
	child := startChild(t, "private", dir)
	if !listens(child.postgres) || !listens(child.redis) {
		t.Fatal("the servers do not answer")
	}
	child.kill()
	wait.Eventually(t, "the servers are gone", func() bool { return !listens(child.postgres) && !listens(child.redis) })
	wait.Eventually(t, "the data is gone", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
}

func pid(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	var n int
	_, err = fmt.Sscan(string(text), &n)
	must(t, err)
	return n
}

func TestReaper_AfterOneThatWasKilled_RemovesTheFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "postgres-main")
	for _, left := range []string{"data", "data.old/base"} {
		if err := os.MkdirAll(filepath.Join(folder, left), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := localstack.EndServer(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}
