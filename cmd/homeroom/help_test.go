package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestHelpSaysWhatEachVerbDoesAndNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"help"}, []string{"homeroom serve", "homeroom migrate", "HOMEROOM_SECRET", "at least 32 characters", "PORT", "3001",
			"superadmin", "school", "openapi"}},
		{[]string{"local", "--help"}, []string{"HOMEROOM_DATA", "DATABASE_URL", "REDIS_URL", "PORT", "Ctrl-C", "loopback", "/dev/outbox",
			"Postgres 15"}},
		{[]string{"serve", "--help"}, []string{"DATABASE_URL", "REDIS_URL", "HOMEROOM_SECRET", "HOMEROOM_JWT_KEYS", "HOMEROOM_PUBLIC_URL",
			"HOMEROOM_OPS_ADDR", "SIGTERM", "newer"}},
		{[]string{"migrate", "--help"}, []string{"DATABASE_URL", "HOMEROOM_SECRET", "--workers", "--check-all", "exit code 1", "interrupted"}},
		{[]string{"school", "--help"}, []string{"DATABASE_URL", "HOMEROOM_SECRET", "REDIS_URL", "create", "list", "suspend", "activate",
			"archive"}},
		{[]string{"school", "create", "--help"}, []string{"--time-zone", "--currency", "--node", "--admin-email", "Example"}},
		{[]string{"school", "suspend", "--help"}, []string{"its data stays"}},
		{[]string{"superadmin", "create", "--help"}, []string{"DATABASE_URL", "HOMEROOM_SECRET", "never shown", "standard input"}},
		{[]string{"pool-users", "--help"}, []string{"PgBouncer", "auth_file", "HOMEROOM_SECRET", "HOMEROOM_SHARDS", "--node"}},
		{[]string{"restored", "--help"}, []string{"--in-place", "--copy", "--node", "503", "drill", "HOMEROOM_NODE_URL"}},
		{[]string{"rotate-secret", "--help"}, []string{"HOMEROOM_NEW_SECRET", "HOMEROOM_SECRET", "PgBouncer", "one after", "keys.md"}},
		{[]string{"node", "standby", "--help"}, []string{"--off", "DATABASE_URL", "HOMEROOM_STANDBY_LAG", "PgBouncer"}},
		{[]string{"node", "remove", "--help"}, []string{"DATABASE_URL", "Drain it first", "may be gone"}},
		{[]string{"school", "adopt", "--help"}, []string{"--code", "--id", "--node", "--check-all", "second factors"}},
		{[]string{"demo-drive", "--help"}, []string{"Socket.IO", "--speed", "--pause", "--incident", "--url", "homeroom local"}},
		{[]string{"health", "--help"}, []string{"HOMEROOM_OPS_ADDR", "exit code", "--alive"}},
		{[]string{"version", "--help"}, []string{"--json", "lean", "no database", "homeroom --version"}},
		{[]string{"openapi", "--help"}, []string{"docs/openapi.json", "make openapi", "no database"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			said := mustRun(t, environment(), "", c.args...)
			for _, phrase := range c.says {
				if !strings.Contains(said, phrase) {
					t.Errorf("%q is not in\n%s", phrase, said)
				}
			}
		})
	}
}

func TestBuild_Whole_HasNoDemo(t *testing.T) {
	t.Parallel()
	if said := mustRun(t, environment(), "", "help"); strings.Contains(said, "homeroom local") || strings.Contains(said, "demo-drive") {
		t.Errorf("help of the program that ships names a demo:\n%s", said)
	}
	whole, err := builtWhole()
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"local", "demo-drive"} {
		said, err := exec.Command(whole, verb).CombinedOutput()
		if err == nil || !strings.Contains(string(said), "unknown command") {
			t.Errorf("homeroom %s: %v, %s, want an unknown command", verb, err, said)
		}
	}
}

func TestBuild_Lean_HelpNamesTheDemo(t *testing.T) {
	t.Parallel()
	lean, err := builtLean()
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(lean, "help").Output()
	if err != nil || !strings.Contains(string(said), "homeroom local") || !strings.Contains(string(said), "homeroom demo-drive") {
		t.Errorf("help: %v\n%s", err, said)
	}
}

func TestAnUnknownVerbIsRefused(t *testing.T) {
	t.Parallel()
	if said := refuses(t, environment(), "", "serv"); !strings.Contains(said, "unknown command") || !strings.Contains(said, "serve") {
		t.Errorf("it says %q", said)
	}
}

func TestTheCommittedOpenAPIDocumentIsWhatTheProgramSays(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if said := mustRun(t, environment(), "", "openapi"); said != string(committed) {
		t.Error("docs/openapi.json differs; cure: make openapi")
	}
	if most := 1_500_000; len(committed) > most {
		t.Errorf("docs/openapi.json has %d bytes, want at most %d: what rows have in common belongs into components", len(committed), most)
	}
}
