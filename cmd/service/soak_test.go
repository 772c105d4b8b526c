//go:build soak

package service_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/localstack"
	"homeroom/testkit"
)

const (
	soakEnv       = "HOMEROOM_SOAK"        // how long, e.g. 20m
	soakRateEnv   = "HOMEROOM_SOAK_RATE"   // calls a second
	soakReportEnv = "HOMEROOM_SOAK_REPORT" // a file for the series
	soakSamples   = 40
	soakWarm      = 10 // samples before which caches and pools fill
)

// sample is how large an instance is at a moment.
type sample struct {
	at       time.Duration
	requests int
	testkit.Size
	conns int // to Postgres
}

// measured is one thing that must not grow: by more than a share of what it was, and some.
type measured struct {
	name   string
	of     func(sample) float64
	share  float64
	more   float64
	factor float64 // of the unit it is shown in
}

var soaked = []measured{
	{"heap in use after a collection, MB", func(s sample) float64 { return float64(s.Heap) }, 0.20, 4 << 20, 1 << 20},
	{"goroutines", func(s sample) float64 { return float64(s.Goroutines) }, 0.20, 10, 1},
	{"open files", func(s sample) float64 { return float64(s.Files) }, 0.20, 10, 1},
	{"connections to Postgres", func(s sample) float64 { return float64(s.conns) }, 0, 4, 1},
}

func TestAnInstanceUnderSteadyLoadDoesNotGrow(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv(soakEnv))
	if err != nil {
		t.Fatalf("%s: %v", soakEnv, err)
	}
	rate := int(fromEnv(t, soakRateEnv, 60))
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"}, Redis: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	s := &site{t: t}
	if s.direct, err = testkit.ServersOf(stack, "homeroom"); err != nil {
		t.Fatal(err)
	}
	furnisher, leaves := testkit.StartStoppableOn(t, stack, s.direct.Name)
	c := s.populate(t, furnisher, 6, 24)
	leaves()
	s.via = s.direct
	s.via.Log = filepath.Join(t.TempDir(), "log")
	if err := s.run(1); err != nil {
		t.Fatal(err)
	}
	what := machine(t, s.direct.Node)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	c.pace = func() { <-tick.C }
	c.watch.begin(false)
	c.watch.heal()
	began := time.Now()
	c.start()
	defer c.finish()
	var series []sample
	for i := range soakSamples {
		time.Sleep(time.Until(began.Add(lasts * time.Duration(i+1) / soakSamples)))
		c.freshen(t)
		now := sample{at: time.Since(began).Round(time.Second), requests: c.watch.count(), Size: s.process[0].Size(t)}
		for _, address := range []string{s.direct.Platform, s.direct.Node} {
			now.conns += connections(t, address)
		}
		series = append(series, now)
		t.Logf("%v: %d calls, heap %.1f MB, %d goroutines, %d files, %d connections", now.at, now.requests, float64(now.Heap)/(1<<20),
			now.Goroutines, now.Files, now.conns)
	}
	c.finish()
	got, said := c.watch.end()
	for _, words := range said {
		t.Error(words)
	}
	for _, school := range c.schools {
		inspector{s.direct.Node}.check(t, "the soak", school)
	}
	report := judgeSoak(t, series)
	text := fmt.Sprintf("# A long time under load\n\n%s\n%s at %d calls a second (reads as parents, teachers and offices; marks, payments, positions, sign-ins) on one instance; %d calls, answers by status: %s; the slowest took %.1f s. Repeat with `make soak`.\n\n%s\n%s",
		what, lasts, rate, got.requests, got.answers(), got.slowest.Seconds(), report, seriesTable(series))
	if path := os.Getenv(soakReportEnv); path != "" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	t.Log("\n" + text)
}

// connections counts what the instance holds on a server.
func connections(t *testing.T, address string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(t.Context(), `select count(*) from pg_stat_activity where backend_type = 'client backend'
		and pid <> pg_backend_pid()`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// judgeSoak compares the last quarter with the first one after the warm-up, by their medians.
func judgeSoak(t *testing.T, series []sample) string {
	t.Helper()
	quarter := (len(series) - soakWarm) / 4
	var b strings.Builder
	b.WriteString("| what | after the warm-up | at the end | allowed | |\n|---|---:|---:|---:|---|\n")
	for _, m := range soaked {
		median := func(part []sample) float64 {
			sorted := slices.SortedFunc(slices.Values(part), func(a, b sample) int { return cmp.Compare(m.of(a), m.of(b)) })
			return m.of(sorted[len(sorted)/2])
		}
		first, last := median(series[soakWarm:soakWarm+quarter]), median(series[len(series)-quarter:])
		allowed := first*(1+m.share) + m.more
		verdict := "flat"
		if last > allowed {
			verdict = "**grows**"
			t.Errorf("%s: from %.1f to %.1f", m.name, first/m.factor, last/m.factor)
		}
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f | %s |\n", m.name, first/m.factor, last/m.factor, allowed/m.factor, verdict)
	}
	return b.String()
}

func seriesTable(series []sample) string {
	var b strings.Builder
	b.WriteString("| after | calls | heap, MB | resident, MB | goroutines | open files | connections |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range series {
		fmt.Fprintf(&b, "| %v | %d | %.1f | %.0f | %d | %d | %d |\n", s.at, s.requests, float64(s.Heap)/(1<<20), float64(s.Resident)/1024,
			s.Goroutines, s.Files, s.conns)
	}
	return b.String()
}
