package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeroom/localstack"
	"homeroom/testkit/wait"
)

var commandBlock = regexp.MustCompile("(?m)^(.*)\n+```(?:sh|sql)\n")

func TestOperations_CommandBlocks_AreRunOrSayWhyNot(t *testing.T) {
	t.Parallel()
	tests := ""
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		tests += string(text)
	}
	pages, err := filepath.Glob(filepath.Join(top, "docs/operations/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		for _, block := range commandBlock.FindAllStringSubmatch(readTop(t, "docs/operations/"+name), -1) {
			said := block[1]
			switch {
			case strings.HasPrefix(said, "<!-- not run: ") && len(said) > 25:
			case strings.HasPrefix(said, "<!-- tried: "):
				if key := strings.TrimSuffix(strings.TrimPrefix(said, "<!-- tried: "), " -->"); !strings.Contains(tests, `"`+key+`"`) {
					t.Errorf("%s: no test runs the block %q", name, key)
				}
			default:
				t.Errorf("%s: the block after %q has neither <!-- tried: name --> nor <!-- not run: why -->", name, said)
			}
		}
	}
}

// onPath lets a block of commands find the program, and the servers' own.
func onPath(t *testing.T, env []string, server string) []string {
	t.Helper()
	program, err := builtWhole()
	if err != nil {
		t.Fatal(err)
	}
	servers := ask[string](t, env, server, "select setting from pg_config where name = 'BINDIR'")
	return changed(env, "PATH", strings.Join([]string{filepath.Dir(program), servers, os.Getenv("PATH")}, ":"))
}

func TestOperations_FirstDay_WorksToTheLetter(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: filepath.Join(dir, "servers"), Postgres: []string{"main"}, Redis: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	server := stack.PostgresURL("main")
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.User, address.Path = url.UserPassword("riverside", "chalk-and-blackboard"), "/riverside"
	port, ops := freePort(t), freePort(t)
	env := environment("POSTGRES="+server, "DATABASE_URL="+address.String(), "REDIS_URL="+stack.RedisURL(), "PASSWORD=chalk-and-blackboard",
		"ENV_FILE="+filepath.Join(dir, "homeroom.env"), "OPERATOR_PASSWORD=slate-and-sponge", "ADMIN_PASSWORD=bell-and-corridor",
		"HOMEROOM_SHARDS=2", "HOMEROOM_SPARES=0", "PORT="+port, "HOMEROOM_BIND=127.0.0.1", "HOMEROOM_OPS_ADDR=127.0.0.1:"+ops)
	env = onPath(t, env, "POSTGRES")
	try := func(name string) string {
		t.Helper()
		return shell(t, env, tried(t, "first-day.md", name))
	}

	try("owner")
	try("secrets")
	if said := try("yourself"); !strings.Contains(said, "ops@example.org") {
		t.Errorf("the operators are\n%s", said)
	}
	serve := exec.Command("sh", "-euc", `set -a; . "$ENV_FILE"; exec homeroom serve`)
	serve.Env, serve.Dir = env, dir
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	wait.Eventually(t, "the service is ready", func() bool {
		cmd := exec.CommandContext(t.Context(), "sh", "-euc", tried(t, "first-day.md", "ready"))
		cmd.Env = env
		return cmd.Run() == nil
	})
	if said := try("school"); !regexp.MustCompile(`green-valley\s+ACTIVE`).MatchString(said) {
		t.Errorf("the schools are\n%s", said)
	}
}
