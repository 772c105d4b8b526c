package service_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// faultReport is the table of what every fault did.
type faultReport struct {
	path  string // where it is written; empty: nowhere
	what  string // what was run, on what
	began time.Time
	order []string
	by    map[string]*tally
	total tally
}

func newFaultReport(t *testing.T, s *site, rounds, requests int) *faultReport {
	t.Helper()
	return &faultReport{path: os.Getenv(faultReportEnv), began: time.Now(), what: machine(t, s.direct.Node) + fmt.Sprintf(
		"\nAsked for: %d rounds, %d calls. Two instances in processes of their own, six schools of 24 children on one Postgres, the platform on another, one Redis; toxiproxy 2.5.0 on every line between them.\n", rounds, requests)}
}

// machine says on what something was measured, and when.
func machine(t *testing.T, postgres string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var version string
	if err := conn.QueryRow(t.Context(), `select split_part(current_setting('server_version'), ' ', 1)`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	processor := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		processor = string(m[1])
	}
	load, _ := os.ReadFile("/proc/loadavg")
	others, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("Run on %s: %s, %d cores, %s/%s; %s, Postgres %s; load average %s when it began.",
		time.Now().UTC().Format("2006-01-02 15:04 UTC"), processor, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), version,
		others)
}

func (r *faultReport) add(name string, got tally) {
	if r.by == nil {
		r.by = map[string]*tally{}
	}
	if r.by[name] == nil {
		r.by[name] = &tally{}
		r.order = append(r.order, name)
	}
	r.by[name].add(got)
	r.total.add(got)
}

func (r *faultReport) table() string {
	var b strings.Builder
	b.WriteString("| fault | rounds | calls | answers by status | wrong answers | lost writes | doubled writes | longest recovery | slowest answer |\n|---|---:|---:|---|---:|---:|---:|---:|---:|\n")
	line := func(name string, t *tally) {
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %d | %.1f s | %.1f s |\n", name, t.rounds, t.requests, t.answers(), t.wrong, t.lost,
			t.doubled, t.recovery.Seconds(), t.slowest.Seconds())
	}
	for _, name := range r.order {
		line(name, r.by[name])
	}
	line("**all**", &r.total)
	return b.String()
}

// write keeps the report, whole or of what was done so far.
func (r *faultReport) write(t *testing.T) {
	t.Helper()
	if r.path == "" {
		return
	}
	text := "# What breaks, and what people see of it\n\n" + r.what +
		fmt.Sprintf("It took %s. Repeat with `make faults`; `HOMEROOM_FAULT_TURNS` and `HOMEROOM_FAULT_REQUESTS` make it shorter.\n",
			time.Since(r.began).Round(time.Second)) + `
In every round parents, teachers, offices and drivers of all schools read, mark, pay, drive and sign in, some before the fault, some while it lasts, some after. Who is
told to come back (503, 429) or gets no answer tries again, payments with their Idempotency-Key. After every round each school's records are compared with
what its people were told: every payment, mark and position there once, receipts without gaps, debit = credit, every payment told to the parent once, nothing of another school. *Wrong* is an answer with
another school's mark, without its own, or with a status or body that is not documented for it; *none* are calls to an instance as it was killed or was not yet back. *Recovery* is the time from
the end of the fault to the last call that was not answered as it should.

` + r.table()
	if err := os.WriteFile(r.path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// logged is what the instances logged so far.
func (s *site) logged() []byte {
	text, _ := os.ReadFile(s.via.Log)
	return text
}

// summary counts what was logged, the most frequent first.
func summary(log []byte) string {
	count := map[string]int{}
	for line := range bytes.Lines(log) {
		var said struct{ Msg, Error string }
		if json.Unmarshal(line, &said) == nil {
			count[fmt.Sprintf("%s: %.200s", said.Msg, said.Error)]++
		}
	}
	lines := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	var b strings.Builder
	for _, line := range lines[:min(len(lines), 12)] {
		fmt.Fprintf(&b, "%6d × %s\n", count[line], line)
	}
	return b.String()
}
