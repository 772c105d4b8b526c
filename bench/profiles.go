package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// roots are under everything that is done for a call, over a connection or without one;
// and in Redis, for all calls that wait to be counted.
var roots = []string{"net/http.(*conn).serve", "github.com/gin-gonic/gin.(*Engine).ServeHTTP", "homeroom/api/limit.scripts.flush"}

// tells are roots of what happens after a call: facts are published.
var tells = []string{"homeroom/events.(*Relay).work", "homeroom/events.listener.call"}

// collects are roots of the garbage collector, which works for all calls together.
var collects = []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}

// owners are whose code a function is, by how its name begins. What none of them owns (the
// language, the kernel) is counted for who called it.
var owners = []struct{ prefix, owner string }{
	{"homeroom/", "ours"},
	{"github.com/jackc/", "Postgres: pgx"}, {"database/sql", "Postgres: database/sql"}, {"gorm.io/", "Postgres: GORM"},
	{"github.com/redis/", "Redis and limits"}, {"github.com/ulule/limiter", "Redis and limits"},
	{"github.com/golang-jwt/", "tokens, ids and digests"}, {"crypto/", "tokens, ids and digests"},
	{"github.com/casbin/", "rights: casbin"},
	{"github.com/go-playground/", "validation"},
	{"encoding/json", "JSON"},
	{"log/slog", "the log"},
	{"github.com/prometheus/", "metrics"},
	{"github.com/gin-gonic/", "HTTP"}, {"net/http", "HTTP"},
}

// spent is where the processor time of one kind of call went.
type spent struct {
	samples                    int   // of calls
	calls, telling, collecting int64 // nanoseconds
	owners                     map[string]int64
	ours                       map[string]int64 // by package
}

// readProfiles adds up what the profiles of the paths say.
func readProfiles(paths []string) (spent, error) {
	s := spent{owners: map[string]int64{}, ours: map[string]int64{}}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return s, err
		}
		p, err := profile.Parse(file)
		_ = file.Close()
		if err != nil {
			return s, fmt.Errorf("%s: %w", path, err)
		}
		for _, sample := range p.Sample {
			for range sample.Value[0] { // so many alike
				s.add(stack(sample), sample.Value[1]/sample.Value[0])
			}
		}
	}
	return s, nil
}

// stack is a sample's functions, the innermost first.
func stack(s *profile.Sample) []string {
	var names []string
	for _, at := range s.Location {
		for _, line := range at.Line {
			names = append(names, line.Function.Name)
		}
	}
	return names
}

func (s *spent) add(names []string, nanos int64) {
	under := func(some []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(some, func(root string) bool { return strings.HasPrefix(name, root) })
		})
	}
	if under(collects) {
		s.collecting += nanos
		return
	}
	if under(tells) {
		s.telling += nanos
		return
	}
	if !under(roots) {
		return // the load's, where it is in the same process, or nobody's
	}
	s.samples++
	s.calls += nanos
	for _, name := range names {
		for _, o := range owners {
			if strings.HasPrefix(name, o.prefix) {
				s.owners[o.owner] += nanos
				if o.owner == "ours" {
					s.ours[packageOf(name)] += nanos
				}
				return
			}
		}
	}
}

// packageOf is the package of a function: what is before the first dot after the last slash.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // of a type
	slash := strings.LastIndex(function, "/") + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return strings.TrimPrefix(function[:slash]+name, "homeroom/")
}

const aboutProfiles = `# Where the time of a call goes

The processor's time of calls while an instance is asked for as much as it can give, by whose code it is spent in; what
the language and the kernel do is counted for who asked for it (a write to Postgres is pgx's). Postgres and Redis are
other processes: what they cost is in [the results](results.md), with the paces. Marks are made without a connection, so
nothing of theirs is HTTP's but the router.
Repeat with ` + "`make profile`" + `.

`

// tellProfiles writes what the profiles in a folder say, for those calls that were measured.
func tellProfiles(folder, about string) error {
	machine, _, _ := strings.Cut(about, "Repeat with")
	var text strings.Builder
	text.WriteString(aboutProfiles + machine)
	for _, call := range []struct{ name, what string }{
		{"list", "A page of a list"}, {"attendance", "Marking a class of 40"}, {"payment", "Recording a payment"},
	} {
		paths, err := filepath.Glob(filepath.Join(folder, call.name+"*.prof"))
		if err != nil || len(paths) == 0 {
			continue
		}
		s, err := readProfiles(paths)
		if err != nil {
			return err
		}
		share := func(nanos int64) string { return fmt.Sprintf("%.1f %%", 100*float64(nanos)/float64(max(s.calls, 1))) }
		fmt.Fprintf(&text, "\n## %s\n\n%d samples of 10 ms.\n\n", call.what, s.samples)
		rows := [][]string{{"whose", "share"}}
		for _, owner := range byMost(s.owners) {
			rows = append(rows, []string{owner, share(s.owners[owner])})
		}
		writeTable(&text, rows)
		var packages []string
		for _, name := range byMost(s.ours) {
			packages = append(packages, name+" "+share(s.ours[name]))
		}
		fmt.Fprintf(&text,
			"\nOurs, by package: %s.\nBesides: telling people afterwards, %s of the above; the garbage collector, for everything together, %s.\n",
			strings.Join(packages, ", "), share(s.telling), share(s.collecting))
	}
	return os.WriteFile(filepath.Join(folder, "profiles.md"), []byte(text.String()), 0o644)
}

func byMost(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
}
