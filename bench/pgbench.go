package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"homeroom/tenancy"
)

// pgbench runs the SQL alone: Postgres's own load generator, in C, with the binding
// in the same pipeline. No program that answers from Postgres can be faster.
type pgbench struct {
	url     string
	clients int
	seed    uint64
	schools int
	// sharded gives each connection a sixteenth of the schools, as our pools do;
	// otherwise every connection meets all of them.
	sharded bool
	only    int      // the one school that is asked, instead of the first so many
	least   float64  // transactions of the warm-up
	sql     []string // without the binding; :id is one of the students
	whole   string   // instead of all that, a script as it stands
	scripts []string // or several, of which each transaction runs one
	options string   // of its connections; unless given, the search_path in which statements are prepared
}

var (
	// The statements are those of the product, with values where it has parameters.
	listScript = []string{countSQL, `SELECT ` + lineColumns + ` FROM "bench_student" ORDER BY last_name, id LIMIT 20`}
	readScript = []string{`SELECT ` + recordColumns + ` FROM "bench_student" WHERE id = lpad((:id)::text, 32, '0')::uuid LIMIT 1`}
)

func (p pgbench) script() string {
	if p.whole != "" {
		return p.whole
	}
	n := `random(1, :schools)`
	if p.sharded {
		// Client c of 32 has the schools c, c+16, c+32 … of the first 16 clients.
		n = fmt.Sprintf(`:client_id %% %[1]d + 1 + %[1]d * random(0, (:schools - 1 - :client_id %% %[1]d) / %[1]d)`, min(bareShards, p.schools))
	}
	if p.only != 0 {
		n = fmt.Sprint(p.only)
	}
	name := `'school_' || lpad((:n)::text, 32, '0')`
	bind := fmt.Sprintf(`select set_config('search_path', %[1]s, true), set_config('role', %[1]s, true), set_config('transaction_read_only',
		'on', true)`, name)
	lines := []string{`\set n ` + n, fmt.Sprintf(`\set id random(1, %d)`, studentsEach), `\startpipeline`, bind + ";"}
	for _, sql := range p.sql {
		lines = append(lines, sql+";")
	}
	return strings.Join(append(lines, `\endpipeline`), "\n") + "\n"
}

// run warms up for so many seconds and until enough was done, then returns
// transactions a second over the given time; started and ended get the process.
func (p pgbench) run(ctx context.Context, warm, seconds int, started, ended func(pid int)) (float64, error) {
	dir, err := os.MkdirTemp("", "bench-pgbench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// It goes on until it is interrupted, when enough of its progress was seen.
	args := []string{"-n", "-M", "prepared", "-c", fmt.Sprint(p.clients), "-j", "2", "-P", "1", "-T", "3600", "-D",
		fmt.Sprintf("schools=%d", p.schools), fmt.Sprintf("--random-seed=%d", p.seed)}
	if p.scripts == nil {
		p.scripts = []string{p.script()}
	}
	for i, script := range p.scripts {
		path := filepath.Join(dir, fmt.Sprintf("%d.sql", i))
		if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
			return 0, err
		}
		args = append(args, "-f", path)
	}
	cmd := exec.CommandContext(ctx, program("pgbench"), append(args, p.url)...)
	cmd.Env = append(os.Environ(), "PGOPTIONS="+cmp.Or(p.options, "-c search_path="+tenancy.TemplateSchema))
	progress, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	var said []string
	var done, counted float64
	since := 0 // the second that is counted; 0 while it warms up
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		var at, tps float64
		if _, err := fmt.Sscanf(lines.Text(), "progress: %f s, %f tps", &at, &tps); err != nil {
			said = append(said, lines.Text())
			continue
		}
		if done += tps; since == 0 {
			if second := int(at + 0.5); second >= warm && (done >= p.least || second >= 10*warm) {
				started(cmd.Process.Pid)
				since = 1
			}
			continue
		}
		counted += tps
		if since++; since > seconds {
			ended(cmd.Process.Pid)
			return counted / float64(seconds), nil
		}
	}
	return 0, fmt.Errorf("pgbench ended early:\n%s", strings.Join(said, "\n"))
}

// program finds one of Postgres's own programs, which Debian keeps off the PATH.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/opt/homebrew/opt/postgresql*/bin/", "/usr/local/opt/postgresql*/bin/"} {
		if found, _ := filepath.Glob(pattern + name); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return name
}
