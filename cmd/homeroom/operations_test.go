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

// commandBlock is a block of commands and the line before it, both of which may be indented as a part of a list.
var commandBlock = regexp.MustCompile("(?m)^[ \\t>]*(.*)\\n+[ \\t>]*(?:```|~~~)(?:sh|bash|shell|console|sql)[ \\t]*\\n")

// fence is a line that begins or ends a block of any kind.
var fence = regexp.MustCompile("(?m)^[ \\t>]*(?:```|~~~)")

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
		text := readTop(t, "docs/operations/"+name)
		blocks := commandBlock.FindAllStringSubmatch(text, -1)
		if fences := len(fence.FindAllString(text, -1)); fences != 2*len(blocks) {
			t.Errorf("%s: %d blocks are of commands, and %d lines begin or end a block: say its language, sh or sql", name, len(blocks), fences)
		}
		for _, block := range blocks {
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

func TestOperations_EachAlert_HasItsRunbookAndEachRunbookItsAlert(t *testing.T) {
	t.Parallel()
	rules, alert := map[string]bool{}, regexp.MustCompile(`(?m)^\s*- alert: (\S+)$`)
	for _, rule := range alert.FindAllStringSubmatch(readTop(t, "docs/operations/prometheus/rules.yml"), -1) {
		if rules[rule[1]] {
			t.Errorf("rules.yml has two alerts called %s", rule[1])
		}
		rules[rule[1]] = true
	}
	_, page, _ := strings.Cut(readTop(t, "docs/operations/alerts.md"), "\n## Alerts\n")
	runbooks := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (Homeroom[^|]*) \| (.+) \|$`).FindAllStringSubmatch(page, -1) {
		for _, alert := range strings.Split(row[1], ", ") {
			switch {
			case runbooks[alert]:
				t.Errorf("alerts.md has two rows for %s", alert)
			case !rules[alert]:
				t.Errorf("alerts.md has a row for %s, and rules.yml no such alert", alert)
			}
			runbooks[alert] = true
		}
	}
	for alert := range rules {
		if !runbooks[alert] {
			t.Errorf("rules.yml has the alert %s, and alerts.md no row that says what to do", alert)
		}
	}
	if len(rules) < 20 {
		t.Errorf("found %d alerts, want 20 or more", len(rules))
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
