package main

import (
	"strings"
	"testing"
)

// changed is the environment with another value of a variable.
func changed(env []string, name, value string) []string {
	var out []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			out = append(out, entry)
		}
	}
	return append(out, name+"="+value)
}

func TestSecret_Another_IsRefusedByNameUntilItIsRotated(t *testing.T) {
	t.Parallel()
	env := production(t)
	mustRun(t, env, "", "migrate")
	id := find(t, mustRun(t, env, "", "school", "create", "one", "One"), `School one is ready: (\S+)`)
	next := strings.Repeat("n", 40)
	renewed := changed(env, "HOMEROOM_SECRET", next)
	must(t, "migrate with another secret", refuses(t, renewed, "", "migrate"), "HOMEROOM_SECRET is not the one of this installation")
	must(t, "an export with another secret", refuses(t, renewed, "", "school", "export", id, t.TempDir()+"/one.tar.gz"), "HOMEROOM_SECRET")
	must(t, "rotating to a short one", refuses(t, append(env, "HOMEROOM_NEW_SECRET=short"), "", "rotate-secret"), "at least 32")
	mustRun(t, env, "", "migrate") // nothing was changed

	shell(t, onPath(t, append(env, "HOMEROOM_NEW_SECRET="+next), "DATABASE_URL"), tried(t, "keys.md", "rotate"))
	mustRun(t, renewed, "", "migrate")
	mustRun(t, renewed, "", "school", "export", id, t.TempDir()+"/one.tar.gz")
	must(t, "migrate with the old secret", refuses(t, env, "", "migrate"), "HOMEROOM_SECRET is not the one of this installation")
}
