// Command bench measures the house against the limit: the same work done by the
// barest program that can do it, on the same servers, in the same run. Only ratios
// are judged, since a machine's own speed says nothing about the code.
//
//	go -C bench run .          everything; writes bench/results.md
//	go -C bench run . -quick   a look in under a minute
//	go -C bench run . -only list,read -schools 100 -seconds 5
//
// It runs in its own folder, whose files it reads and writes.
//
// It starts servers of its own, or uses those of DATABASE_URL and REDIS_URL, in
// which it makes databases named bench_…; schools it finds there are used again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"homeroom/auth/hashing"
)

// settings are the flags.
type settings struct {
	only    []string
	schools []int
	seconds int
	rounds  int
	clients int
	seed    uint64
	quick   bool
	durable bool
	out     string
	profile string
	calls   *regexp.Regexp
}

// part is something that can be measured by itself.
type part struct {
	name string
	run  func(context.Context, *bench) error
}

var parts = []part{
	{"memory", measureMemory},
	{"list", func(ctx context.Context, b *bench) error { return measureServing(ctx, b, list) }},
	{"read", func(ctx context.Context, b *bench) error { return measureServing(ctx, b, read) }},
	{"peer", measurePeer},
	{"page", measurePaging},
	{"overhead", measureOverhead},
	{"storm", measureStorm},
	{"import", measureImport},
	{"promotion", measurePromotion},
	{"export", measureExport},
	{"search", measureSearch},
	{"attendance", measureAttendance},
	{"publish", measurePublishing},
	{"payment", measurePayments},
	{"charge", measureCharging},
	{"account", measureAccounts},
	{"dues", measureDues},
	{"books", measureBooks},
	{"dashboard", measureDashboard},
	{"delivery", measureDelivery},
	{"positions", measurePositions},
	{"sockets", measureSockets},
	{"migrate", measureMigration},
	{"provision", measureProvisioning},
	{"move", measureMove},
	{"capacity", measureCapacity},
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == hashWorker {
		exitOn(hashing.Serve(os.Stdin, os.Stdout))
		return
	}
	if role := os.Getenv(childEnv); role != "" {
		exitOn(beChild(role))
		return
	}
	s, err := parseFlags()
	exitOn(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exitOn(run(ctx, s))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags() (settings, error) {
	var s settings
	var only, schools string
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	flag.StringVar(&only, "only", "", "parts to run, with commas: "+strings.Join(names, ", "))
	flag.StringVar(&schools, "schools", "1,100,1000", "numbers of schools the load is spread over; the targets hold for the last")
	flag.IntVar(&s.seconds, "seconds", 5, "how long each measurement takes")
	flag.IntVar(&s.rounds, "rounds", 3, "how often each is repeated; the medians count")
	flag.IntVar(&s.clients, "clients", 32, "connections of the load, over HTTP and of pgbench")
	flag.Uint64Var(&s.seed, "seed", 1, "of what is asked for")
	flag.BoolVar(&s.quick, "quick", false, "few schools, short measurements: does it still work?")
	flag.BoolVar(&s.durable, "durable", false, "servers that fsync")
	flag.StringVar(&s.out, "out", "", "where the table is written; results.md after a whole run")
	flag.StringVar(&s.profile, "profile", "", "folder for CPU profiles of the server while it is measured, and what they say (profiles.md)")
	calls := flag.String("calls", "", "of the peer's part, those whose name matches: a payment|timetable")
	flag.Parse()
	var err error
	if s.calls, err = regexp.Compile(*calls); err != nil {
		return s, fmt.Errorf("-calls %s: %w", *calls, err)
	}
	if s.quick {
		schools, s.seconds, s.rounds = "1,20", 1, 1
	}
	if only != "" {
		s.only = strings.Split(only, ",")
	}
	for _, name := range s.only {
		if !slices.Contains(names, name) {
			return s, fmt.Errorf("there is no part %q: use %s", name, strings.Join(names, ", "))
		}
	}
	for _, text := range strings.Split(schools, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return s, fmt.Errorf("-schools %s: want numbers with commas", schools)
		}
		s.schools = append(s.schools, n)
	}
	if s.out == "" && s.only == nil && !s.quick {
		s.out = "results.md"
	}
	return s, nil
}

func run(ctx context.Context, s settings) error {
	servers, stop, err := startServers(ctx, s)
	if err != nil {
		return err
	}
	defer stop()
	b := &bench{settings: s, servers: servers, report: &report{}, others: loadAverage()}
	defer b.close()
	about := describe(ctx, b)
	failed := b.measure(ctx)
	// Who is interrupted has what was measured until then on the screen; the file is of whole runs.
	text := b.report.text(about)
	fmt.Println(text)
	if s.out != "" && failed == nil {
		failed = os.WriteFile(s.out, []byte(text), 0o644)
	}
	if s.profile != "" && failed == nil {
		failed = tellProfiles(s.profile, about)
	}
	return failed
}

// measure runs the parts that are wanted, until one fails.
func (b *bench) measure(ctx context.Context) error {
	for _, p := range parts {
		if b.only != nil && !slices.Contains(b.only, p.name) {
			continue
		}
		say("measuring: %s", p.name)
		if err := p.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// say tells the terminal how far it is.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
