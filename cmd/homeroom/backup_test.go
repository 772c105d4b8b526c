package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"homeroom/localstack"
)

// tried is a block of commands of a page of operations, as it stands there.
func tried(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)<!-- tried: " + name + " -->\n```sh\n(.*?)```").FindStringSubmatch(readTop(t, "docs/operations/"+page))
	if found == nil {
		t.Fatalf("%s has no block %q", page, name)
	}
	return found[1]
}

// shell runs a block with these variables, and returns what it says.
func shell(t *testing.T, env []string, block string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu")
	cmd.Env, cmd.Dir, cmd.Stdin = env, t.TempDir(), strings.NewReader(block)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, block, said)
	}
	return string(said)
}

func TestANodeIsRestoredToAMomentAndASchoolFromItsFile(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: filepath.Join(dir, "servers"), Postgres: []string{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	server := stack.PostgresURL("main")
	env := environment("SERVER="+server, "DATABASE_URL="+server)
	data := platform[string](t, env, "show data_directory")
	archive := filepath.Join(dir, "archive")
	if err := os.Mkdir(archive, 0o700); err != nil {
		t.Fatal(err)
	}
	owner, err := os.Stat(data)
	if err == nil {
		s := owner.Sys().(*syscall.Stat_t)
		err = os.Chown(archive, int(s.Uid), int(s.Gid)) // it is the servers' user who archives
	}
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "ARCHIVE="+archive, "BACKUP="+filepath.Join(dir, "backup"), "PGDATA="+data, "FILE="+filepath.Join(dir, "school.tar.gz"),
		"HOMEROOM_SECRET="+strings.Repeat("s", 40), "HOMEROOM_SHARDS=1", "HOMEROOM_SPARES=0")
	env = onPath(t, env, "DATABASE_URL")
	try := func(name string, more ...string) string {
		t.Helper()
		return shell(t, append(env, more...), tried(t, "backups.md", name))
	}
	create := func(code string) string {
		t.Helper()
		return find(t, mustRun(t, env, "", "school", "create", code, strings.ToUpper(code)), `School `+code+` is ready: (\S+)`)
	}

	try("archive")
	if err := stack.RestartPostgres(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	mustRun(t, env, "", "migrate")
	first := create("first")
	try("base backup")
	second := create("second") // which only the log has
	if said := try("school backup", "SCHOOL="+second); !strings.Contains(said, "whole") {
		t.Errorf("the school's backup says %q", said)
	}
	moment := platform[string](t, env, "select clock_timestamp()::text")

	// Somebody drops a school's tables and strikes another from the books; then the machine fails.
	schema := platform[string](t, env, `select schema_name from platform.school where code = 'first'`)
	for _, sql := range []string{
		"drop schema " + schema + " cascade", "update platform.school set status = 'ARCHIVED', schema_name = null where code = 'second'",
		"select pg_switch_wal()", "update platform.school set name = 'lost'",
	} {
		execute(t, env, "DATABASE_URL", sql)
	}
	if err := stack.KillPostgres("main"); err != nil {
		t.Fatal(err)
	}

	try("restore", "MOMENT="+moment)
	if err := stack.RestartPostgres(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	try("wait")
	said := try("afterwards")
	for _, line := range []string{first + `  first   ACTIVE`, second + `  second  ACTIVE`} {
		if !strings.Contains(said, line) {
			t.Errorf("%q is not in\n%s", line, said)
		}
	}
	if !strings.Contains(said, "Nothing to do: every school is at version") || strings.Contains(said, "lost") {
		t.Errorf("after the restore it says\n%s", said)
	}
	// The tables that were dropped are there, and whole.
	mustRun(t, env, "", "school", "export", first, filepath.Join(dir, "first.tar.gz"))

	// One school comes back by itself, from its file.
	if said := try("school restore", "SCHOOL="+second, "CODE=second-again"); !strings.Contains(said, "School second-again is ready") ||
		!strings.Contains(said, "equal") {
		t.Errorf("the school's restore says %q", said)
	}
	list := mustRun(t, env, "", "school", "list")
	for _, line := range []string{`second\s+ARCHIVED`, `second-again\s+ACTIVE`} {
		if !regexp.MustCompile(line).MatchString(list) {
			t.Errorf("%s is not in\n%s", line, list)
		}
	}
}
