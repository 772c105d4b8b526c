package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// restoreSite is a platform and a second node on servers of their own, archived by the page, and servers for their copies.
type restoreSite struct {
	t     *testing.T
	stack *localstack.Stack
	dir   string
	env   []string
}

func newRestoreSite(t *testing.T) *restoreSite {
	t.Helper()
	dir := folder(t)
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: filepath.Join(dir, "servers"),
		Postgres: []string{"main", "north", "copy-main", "copy-north"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	program, err := builtWhole()
	if err != nil {
		t.Fatal(err)
	}
	r := &restoreSite{t: t, stack: stack, dir: dir}
	r.env = environment("DATABASE_URL="+stack.PostgresURL("main"), "NORTH="+stack.PostgresURL("north"),
		"HOMEROOM_SECRET="+strings.Repeat("s", 40), "HOMEROOM_SHARDS=1", "HOMEROOM_SPARES=1")
	bin := platform[string](t, r.env, "select setting from pg_config where name = 'BINDIR'")
	r.env[0] = "PATH=" + strings.Join([]string{filepath.Dir(program), bin, os.Getenv("PATH")}, ":")
	for _, server := range []string{"main", "north"} {
		r.archive(server)
	}
	mustRun(t, r.env, "", "migrate")
	if err := lifecycle.AddNode(t.Context(), r.cluster(), "north", stack.PostgresURL("north"), ""); err != nil {
		t.Fatal(err)
	}
	return r
}

// of are the page's variables for a server; backup names the one whose backup it is restored from.
func (r *restoreSite) of(server, backup string) []string {
	data := filepath.Join(r.stack.Dir(), "postgres-"+server, "data")
	return append(r.env[:len(r.env):len(r.env)], "SERVER="+r.stack.PostgresURL(server), "PGDATA="+data,
		"ARCHIVE="+filepath.Join(r.dir, "archive-"+backup), "BACKUP="+filepath.Join(r.dir, "backup-"+backup))
}

// archive turns archiving on.
func (r *restoreSite) archive(server string) {
	r.t.Helper()
	to := filepath.Join(r.dir, "archive-"+server)
	owner, err := os.Stat(filepath.Join(r.stack.Dir(), "postgres-"+server, "data"))
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	if err == nil {
		s := owner.Sys().(*syscall.Stat_t)
		err = os.Chown(to, int(s.Uid), int(s.Gid))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	shell(r.t, r.of(server, server), tried(r.t, "backups.md", "archive"))
	r.restart(server)
}

func (r *restoreSite) restart(server string) {
	r.t.Helper()
	if err := r.stack.RestartPostgres(r.t.Context(), server); err != nil {
		r.t.Fatal(err)
	}
}

// restore brings the backup of a server to a moment, in its own place or, as a copy, in another's.
func (r *restoreSite) restore(backup, server, moment string) {
	r.t.Helper()
	if err := r.stack.KillPostgres(server); err != nil {
		r.t.Fatal(err)
	}
	env := append(r.of(server, backup), "MOMENT="+moment)
	shell(r.t, env, tried(r.t, "backups.md", "restore"))
	if backup != server {
		shell(r.t, env, tried(r.t, "backups.md", "copy"))
		// The servers of a test have passwords of their own.
		hba := filepath.Join(r.stack.Dir(), "postgres-"+server, "data", "pg_hba.conf")
		if err := os.WriteFile(hba, []byte("host all all 127.0.0.1/32 trust\n"), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.restart(server)
	shell(r.t, env, tried(r.t, "backups.md", "wait"))
}

// cluster opens the platform as an instance would.
func (r *restoreSite) cluster() *tenancy.Cluster {
	r.t.Helper()
	c, err := tenancy.Open(r.t.Context(), tenancy.Options{PlatformURL: setting(r.env, "DATABASE_URL"),
		Secret: []byte(setting(r.env, "HOMEROOM_SECRET")), Shards: 1, Spares: 1, RolePerSchool: true})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

func (r *restoreSite) create(code string) (id, schema string) {
	r.t.Helper()
	id = find(r.t, mustRun(r.t, r.env, "", "school", "create", code, strings.ToUpper(code), "--node", "north"), `School `+code+` is ready: (\S+)`)
	return id, platform[string](r.t, r.env, `select schema_name from platform.school where id = $1`, id)
}

// addClass leaves something in a school on north that tells one moment from another.
func (r *restoreSite) addClass(schema, name string) {
	r.t.Helper()
	execute(r.t, r.env, "NORTH", fmt.Sprintf(`insert into %s.class (id, name) values (gen_random_uuid(), '%s')`, schema, name))
}

func (r *restoreSite) spare() {
	r.t.Helper()
	if _, err := lifecycle.KeepSpares(r.t.Context(), r.cluster()); err != nil {
		r.t.Fatal(err)
	}
}

// must fails unless a text has the phrase.
func must(t *testing.T, what, text, phrase string) {
	t.Helper()
	if !strings.Contains(text, phrase) {
		t.Errorf("%s: %q is not in\n%s", what, phrase, text)
	}
}

func TestRestore_OneOfTwoServers_ShowsNoSchoolToAnother(t *testing.T) {
	t.Parallel()
	r := newRestoreSite(t)
	old, oldSchema := r.create("old")
	r.addClass(oldSchema, "Before")
	r.spare()
	for _, server := range []string{"main", "north"} {
		shell(t, r.of(server, server), tried(t, "backups.md", "base backup"))
	}
	moment := platform[string](t, r.env, "select clock_timestamp()::text")
	victim, victimSchema := r.create("victim")
	r.addClass(victimSchema, "Secret")
	r.addClass(oldSchema, "Since")
	for _, server := range []string{"DATABASE_URL", "NORTH"} {
		execute(t, r.env, server, "select pg_switch_wal()")
		execute(t, r.env, server, "create table since (x int)") // what follows the moment in the log
		execute(t, r.env, server, "select pg_switch_wal()")
	}

	// A copy of both, for one school at the moment. The live node refuses it.
	r.restore("main", "copy-main", moment)
	r.restore("north", "copy-north", moment)
	copyEnv := append(r.env[:len(r.env):len(r.env)], "DATABASE_URL="+r.stack.PostgresURL("copy-main"))
	file := filepath.Join(r.dir, "old.tar.gz")
	must(t, "an export by the copy", refuses(t, copyEnv, "", "school", "export", old, file), "homeroom restored")
	must(t, "the live node's address", refuses(t, copyEnv, "", "restored", "--copy", "--node", "north="+r.stack.PostgresURL("north")),
		"is not of a copy of it")
	mustRun(t, copyEnv, "", "restored", "--copy", "--node", "north="+r.stack.PostgresURL("copy-north"))
	mustRun(t, copyEnv, "", "school", "export", old, file)
	must(t, "the copy's check", mustRun(t, copyEnv, "", "migrate", "--check-all"), "Nothing to do")
	must(t, "the live one's check", mustRun(t, r.env, "", "migrate", "--check-all"), "Nothing to do")
	again := find(t, mustRun(t, r.env, "", "school", "import", file, "--code", "old-again", "--suspended", "--node", "north"),
		`School old-again is ready: (\S+)`)
	schema := platform[string](t, r.env, `select schema_name from platform.school where id = $1`, again)
	if got := ask[string](t, r.env, "NORTH", `select string_agg(name, ', ') from `+schema+`.class`); got != "Before" {
		t.Errorf("the school of the moment has the classes %q, want Before", got)
	}

	// The platform's server goes back in place.
	r.restore("main", "main", moment)
	must(t, "onboarding before a word is said", refuses(t, r.env, "", "school", "create", "early", "Early", "--node", "north"), "homeroom restored")
	mustRun(t, r.env, "", "restored", "--in-place")
	code, said, _ := run(t, r.env, "", "migrate", "--check-all")
	if code != 1 {
		t.Errorf("the check ends with %d, want 1", code)
	}
	for _, phrase := range []string{"orphan: schema " + victimSchema, "adopt " + victim, "adopt " + again} {
		must(t, "the check", said, phrase)
	}
	_, freshSchema := r.create("fresh")
	if freshSchema == victimSchema {
		t.Error("the new school was given the schema of the school made since")
	}
	if got := ask[int](t, r.env, "NORTH", `select count(*) from `+freshSchema+`.class`); got != 0 {
		t.Errorf("the new school has %d classes, want none", got)
	}
	execute(t, r.env, "DATABASE_URL", fmt.Sprintf(`insert into platform.spare_schema (schema_name, node, shard, schema_version, created_at)
		values ('%s', 'north', 0, 0, now() - interval '1 day')`, victimSchema))
	r.spare() // and sweeps
	must(t, "the adoption", mustRun(t, r.env, "", "school", "adopt", victim, "--code", "victim"), "School victim is ready: "+victim)
	if got := ask[string](t, r.env, "NORTH", `select string_agg(name, ', ') from `+victimSchema+`.class`); got != "Secret" {
		t.Errorf("the adopted school has the classes %q, want Secret", got)
	}
	mustRun(t, r.env, "", "school", "export", victim, filepath.Join(r.dir, "victim.tar.gz"))
}
