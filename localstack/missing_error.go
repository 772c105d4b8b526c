//go:build unix

package localstack

import (
	"runtime"
	"slices"
	"strings"
)

// MissingError says which servers are not installed, where they were looked for, and what to do.
type MissingError struct {
	Servers []string // "Postgres", "Redis", "PgBouncer", "nginx"
	Tried   []string
}

func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("no usable " + strings.Join(e.Servers, " and no usable ") + " found on this machine. Looked at:\n")
	for _, t := range e.Tried {
		b.WriteString("  " + t + "\n")
	}
	b.WriteString("Three ways out:\n")
	b.WriteString("  1. install it:          " + e.installation() + "\n")
	b.WriteString("  2. use one you have:    set " + strings.Join(e.variables(), " and ") + "\n")
	b.WriteString("  3. it is elsewhere:     put the folder with the server's programs on PATH")
	return b.String()
}

func (e *MissingError) installation() string {
	packages := map[string]string{"Postgres": "postgresql", "Redis": "redis-server", "PgBouncer": "pgbouncer", "nginx": "nginx"}
	command := "sudo apt-get install" // or what the distribution calls it; people there know
	if runtime.GOOS == "darwin" {
		packages = map[string]string{"Postgres": "postgresql@17", "Redis": "redis", "PgBouncer": "pgbouncer", "nginx": "nginx"}
		command = "brew install"
	}
	for _, server := range e.Servers {
		command += " " + packages[server]
	}
	return command
}

func (e *MissingError) variables() []string {
	var names []string
	if slices.Contains(e.Servers, "Postgres") || slices.Contains(e.Servers, "PgBouncer") {
		names = append(names, "DATABASE_URL=postgres://user:password@host:5432/database")
	}
	if slices.Contains(e.Servers, "Redis") {
		names = append(names, "REDIS_URL=redis://host:6379/0")
	}
	return names
}

// missing collects what is not there, so that nobody installs one thing only to hear of the next.
type missing struct{ found *MissingError }

func (m *missing) add(server string, tried []string) {
	if m.found == nil {
		m.found = &MissingError{}
	}
	m.found.Servers = append(m.found.Servers, server)
	m.found.Tried = append(m.found.Tried, tried...)
}

func (m *missing) asError() error {
	if m.found == nil {
		return nil
	}
	return m.found
}
