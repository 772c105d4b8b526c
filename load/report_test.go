//go:build load

package load

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results are all runs: for each number of instances one at the steady rate, then steps;
// and of most and of one, in turns, those that ask for more than the machine can do.
type results struct {
	schools int
	others  float64 // processes that wanted a core before it began
	steady  []run
	steps   []run
	flood   []pair
	climbs  [][]*ascent // each of most and of one
}

// of is the runs of a number of instances, by rate.
func (r results) of(instances int) []run {
	var out []run
	for _, x := range slices.Concat(r.steady, r.steps) {
		if x.instances == instances {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b run) int { return a.rate - b.rate })
	return out
}

// held is the highest rate a number of instances held.
func (r results) held(instances int) (rate int) {
	for _, x := range r.of(instances) {
		if x.held() {
			rate = max(rate, x.rate)
		}
	}
	return rate
}

var kindNames = map[string]string{
	"child": "a parent reads their child", "attendance": "a parent reads the month's attendance", "bus": "a parent looks where the bus is",
	"mark": fmt.Sprintf("a teacher marks a division of %d", studentsEach), "pin": "somebody signs in by PIN",
	"position": "a bus's position, until it is in the database",
}

func (r results) text() string {
	var s strings.Builder
	first := r.steady[0]
	fmt.Fprintf(&s, "# A morning's load\n\n")
	fmt.Fprintf(&s, "Measured on %s: %s, %d cores, %s/%s, %s. Repeat with `make load`.\n", time.Now().UTC().Format(time.DateOnly),
		processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if r.others > float64(runtime.NumCPU())/2 {
		fmt.Fprintf(&s,
			"**The machine was not its own**: %.1f other processes wanted its cores when this began. Compare columns with each other, and believe the processor times more than the paces.\n", r.others)
	}
	fmt.Fprintf(&s, `
Eight o'clock at %d schools (%d students each): of every hundred calls 94 are parents who look where the child, the month's
attendance and the bus are, 5 are teachers marking a division of %d, and one is a sign-in by PIN. Besides, every school's bus says
over Socket.IO where it is, every %s. Calls come at a constant rate, whether or not they are answered. k6, nginx, the instances
(`+"`homeroom serve`"+`), Postgres and Redis share the machine's cores, so more instances can add no speed here: what is shown is
what they cost.

The limits on reads, writes and rides are the product's own (100, 30 and 300 a minute for a user); %d parents and %d teachers are
enough to stay under them. The limit on sign-ins is by address and everybody here has the same one, so it is lifted.

![How long 99 of 100 calls took, by rate and instances, and what the parts used](load.svg)

## At %d calls a second, for %d s

| instances | good answers/s | half within | 99 %% within | failed | not made in time |
|---|---|---|---|---|---|
`, r.schools, divisionsEach*studentsEach, studentsEach, busEvery, r.schools*ridersEach, r.schools*divisionsEach, first.rate, first.seconds)
	for _, x := range r.steady {
		fmt.Fprintf(&s, "| %d | %.0f | %s | %s | %.2f %% | %d |\n", x.instances, x.perSecond(), millis(x.p50), millis(x.p99), 100*x.failed,
			x.dropped)
	}
	r.kindTable(&s)
	r.partTable(&s)
	r.stepTable(&s)
	r.floodTable(&s)
	r.climbTables(&s)
	return s.String()
}

func (r results) kindTable(s *strings.Builder) {
	fmt.Fprintf(s, "\nOf these (half within / 99 %% within, failed):\n\n| what |")
	for _, x := range r.steady {
		fmt.Fprintf(s, " %s |", plural(x.instances, "instance"))
	}
	fmt.Fprintf(s, "\n|---|%s\n", strings.Repeat("---|", len(r.steady)))
	for _, name := range kinds {
		fmt.Fprintf(s, "| %s |", kindNames[name])
		for _, x := range r.steady {
			k := x.kinds[name]
			fmt.Fprintf(s, " %s / %s, %.2f %% |", millis(k.p50), millis(k.p99), 100*k.failed)
		}
		fmt.Fprintln(s)
	}
}

// partNames are the parts in the order of the tables, the instances first.
func (r results) partNames() []string {
	var names []string
	for _, x := range r.steady {
		for name := range x.parts {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (r results) partTable(s *strings.Builder) {
	fmt.Fprintf(s, "\nWhat each part used meanwhile (cores of %d, and memory at the end):\n\n| part |", runtime.NumCPU())
	for _, x := range r.steady {
		fmt.Fprintf(s, " %s |", plural(x.instances, "instance"))
	}
	fmt.Fprintf(s, "\n|---|%s\n", strings.Repeat("---|", len(r.steady)))
	for _, name := range r.partNames() {
		fmt.Fprintf(s, "| %s |", name)
		for _, x := range r.steady {
			if u, there := x.parts[name]; there {
				fmt.Fprintf(s, " %.2f cores, %.0f MB |", u.cores, float64(u.memory)/(1<<20))
			} else {
				s.WriteString(" |")
			}
		}
		fmt.Fprintln(s)
	}
	s.WriteString("| all of them |")
	for _, x := range r.steady {
		var all use
		for _, u := range x.parts {
			all.cores, all.memory = all.cores+u.cores, all.memory+u.memory
		}
		fmt.Fprintf(s, " %.2f cores, %.0f MB |", all.cores, float64(all.memory)/(1<<20))
	}
	fmt.Fprintln(s)
}

func (r results) stepTable(s *strings.Builder) {
	if len(r.steps) == 0 {
		return
	}
	fmt.Fprintf(s, `
## Step by step

%d s at each rate, until one is not held in two tries: 99 %% of the calls within %s, at most %.1f %% failed and %.0f %% not made in time.

| instances | calls/s | good answers/s | half within | 99 %% within | failed | not made | held |
|---|---|---|---|---|---|---|---|
`, r.steps[0].seconds, heldP99, 100*heldFailed, 100*heldDropped)
	var counts []int
	for _, x := range r.steady {
		counts = append(counts, x.instances)
	}
	for _, n := range counts {
		for _, x := range r.of(n) {
			fmt.Fprintf(s, "| %d | %d | %.0f | %s | %s | %.2f %% | %d | %s |\n", n, x.rate, x.perSecond(), millis(x.p50), millis(x.p99),
				100*x.failed, x.dropped, yesOrNo(x.held()))
		}
	}
	s.WriteString("\n| instances | highest rate held |\n|---|---|\n")
	for _, n := range counts {
		fmt.Fprintf(s, "| %d | %d/s |\n", n, r.held(n))
	}
}

// floodTable is the pace when everything is busy: what the instances can do, and no more.
func (r results) floodTable(s *strings.Builder) {
	if len(r.flood) == 0 {
		return
	}
	first := r.flood[0].many
	fmt.Fprintf(s, `
## Asked for more than there is

%d people call for %d s, and again as soon as they are answered: what is answered is the machine's pace. 19 of 20 calls
are a parent's and one a teacher's. Nobody signs in: that costs as much as thirty reads and is refused when the cores are full, so who
refuses more would look faster. %s and one, on the same servers, take turns, each first in every second; before that, both
are flooded for %d s that are not counted, so that their connections know their schools. Autovacuum is off meanwhile: it comes once a
minute, and to one of them.

| %d: good answers/s | half within | failed | cores of Postgres | of the instances | 1: good answers/s | half within | failed | cores of Postgres | of the instance | %d against 1 |
|---|---|---|---|---|---|---|---|---|---|---|
`, flooding, first.seconds, plural(first.instances, "instance"), warmUp*first.seconds, first.instances, first.instances)
	var ratios []float64
	for _, p := range r.flood {
		for _, x := range []run{p.many, p.one} {
			own := 0.0
			for name, u := range x.parts {
				if strings.HasPrefix(name, "instance ") {
					own += u.cores
				}
			}
			fmt.Fprintf(s, "| %.0f | %s | %.2f %% | %.2f | %.2f ", x.perSecond(), millis(x.p50), 100*x.failed, x.parts["Postgres"].cores, own)
		}
		fmt.Fprintf(s, "| %.2f |\n", p.ratio())
		ratios = append(ratios, p.ratio())
	}
	slices.Sort(ratios)
	fmt.Fprintf(s, "\n%s against 1: **%.2f**, the median of %d pairs (no less than at 1: ≥ 1.00); half of them are between %.2f and %.2f.\n",
		plural(first.instances, "instance"), median(ratios), len(ratios), ratios[len(ratios)/4], ratios[len(ratios)-1-len(ratios)/4])
}

// climbTables are how much the one and the other answer in time.
func (r results) climbTables(s *strings.Builder) {
	if len(r.climbs) == 0 {
		return
	}
	first := r.climbs[0][0]
	fmt.Fprintf(s, `
## Side by side, at higher and higher rates

%s and one as above, and as quiet; %d s at each rate, in turns, until neither holds one in two tries. Held is what it is step by step.
`, plural(first.instances, "instance"), first.runs[0].seconds)
	var many, one, ratios []float64
	for _, c := range r.climbs {
		climbTable(s, c[0], c[1])
		many, one = append(many, float64(c[0].highest())), append(one, float64(c[1].highest()))
		ratios = append(ratios, float64(c[0].highest())/float64(max(1, c[1].highest())))
	}
	for _, of := range [][]float64{many, one, ratios} {
		slices.Sort(of)
	}
	fmt.Fprintf(s,
		"\nIn the middle of %d climbs %s hold %.0f calls a second and one %.0f; the one against the other: **%.2f** (no less than at 1: ≥ 1.00), between %.2f and %.2f.\n",
		len(r.climbs), plural(first.instances, "instance"), median(many), median(one), median(ratios), ratios[0], ratios[len(ratios)-1])
}

func climbTable(s *strings.Builder, many, one *ascent) {
	fmt.Fprintf(s, `
| calls/s | %d: half within | 99 %% within | failed | not made | held | 1: half within | 99 %% within | failed | not made | held |
|---|---|---|---|---|---|---|---|---|---|---|
`, many.instances)
	for i := range max(len(many.runs), len(one.runs)) {
		rate, cells := 0, ""
		for _, a := range []*ascent{many, one} {
			if i >= len(a.runs) {
				cells += "| | | | | "
				continue
			}
			x := a.runs[i]
			rate = x.rate
			cells += fmt.Sprintf("| %s | %s | %.2f %% | %d | %s ", millis(x.p50), millis(x.p99), 100*x.failed, x.dropped, yesOrNo(x.held()))
		}
		fmt.Fprintf(s, "| %d %s|\n", rate, cells)
	}
}

// median is the middle of sorted numbers.
func median(of []float64) float64 {
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

func yesOrNo(held bool) string {
	if held {
		return "yes"
	}
	return "**no**"
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "unknown processor"
}

// wanting is how many processes want a core.
func wanting() (load float64) {
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &load)
	return load
}
