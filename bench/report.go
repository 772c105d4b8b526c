package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// target is what a ratio has to reach; the zero one is for information only.
type target struct{ least, most float64 }

func atLeast(v float64) target { return target{least: v} }
func atMost(v float64) target  { return target{most: v} }

func (t target) String() string {
	switch {
	case t.least > 0:
		return fmt.Sprintf("≥ %.2f", t.least)
	case t.most > 0:
		return fmt.Sprintf("≤ %.2f", t.most)
	}
	return ""
}

func (t target) mark(ratio float64) string {
	switch {
	case t == target{}:
		return ""
	case ratio >= t.least && (t.most == 0 || ratio <= t.most):
		return "pass"
	}
	return "**FAIL**"
}

// line is one comparison: what we do, what the limit does, and our share of it.
type line struct {
	what        string
	ours, limit string
	ratio       float64
	target      target
}

// cost is where the processor time of one request goes, in microseconds.
type cost struct {
	what, who                          string
	server, postgres, redis, load, all float64
	median, p99                        float64
}

// peerLine is one call by ours, by the peer and by its leanest SQL alone, in this order.
type peerLine struct {
	what                                   string
	paces, server, postgres, p99           [3]float64 // a second, microseconds a call, milliseconds
	redis                                  float64
	ofLimit, ofPeer, cpuOfLimit, cpuOfPeer float64
}

// wanted is what its pace must be of the peer's.
func (l peerLine) wanted() float64 {
	if l.postgres[0] < l.server[0]+l.redis {
		return peerShare
	}
	return peerShareOfPostgres
}

const aboutPeers = `
The calls people make most, beside a tuned Node server (bench/peer: two workers, node-postgres, JWT checked, statements prepared
for each school; its answers are compared with ours first) and the leanest SQL for the same answer by pgbench alone, one after
the other on the same servers. Processor times are microseconds a call, the load's left out; the ratios by time are limit or
Node / ours, all processes together. Ours must have %.1f of the limit's pace, and %.1f times Node's, or %.1f where Postgres has
more than half of ours' time.

`

func (r *report) peerTable(b *strings.Builder) {
	fmt.Fprintf(b, aboutPeers, limitShare, peerShare, peerShareOfPostgres)
	rows := [][]string{{"call", "ours", "Node", "limit", "ours/limit", "", "ours/Node", "", "by time: limit", "Node", "server", "Node's",
		"Postgres", "Node's", "limit's", "99 %, ms", "Node's"}}
	text, share := func(v float64) string { return fmt.Sprintf("%.0f", v) }, func(v float64) string { return fmt.Sprintf("%.2f", v) }
	for _, l := range r.peers {
		rows = append(rows, []string{l.what, perSecond(l.paces[0]), perSecond(l.paces[1]), perSecond(l.paces[2]),
			share(l.ofLimit), atLeast(limitShare).mark(l.ofLimit), share(l.ofPeer), atLeast(l.wanted()).mark(l.ofPeer),
			share(l.cpuOfLimit), share(l.cpuOfPeer), text(l.server[0]), text(l.server[1]), text(l.postgres[0]), text(l.postgres[1]),
			text(l.postgres[2]), text(l.p99[0]), text(l.p99[1])})
	}
	writeTable(b, rows)
}

type report struct {
	lines      []line
	peers      []peerLine
	costs      []cost
	capacities []capacity
	notes      []string
}

func (r *report) add(l line)    { r.lines = append(r.lines, l) }
func (r *report) cost(c cost)   { r.costs = append(r.costs, c) }
func (r *report) note(n string) { r.notes = append(r.notes, n) }

const besides = "Besides: [the eight o'clock rush](load.md) at 200 schools by 1, 2 and 3 instances (`make load`), [where a call's time " +
	"goes](profiles.md) (`make profile`), [what breaks](faults.md) (`make faults`) and [twenty minutes of steady load](soak.md) " +
	"(`make soak`)."

// text is the whole report in Markdown.
func (r *report) text(about string) string {
	var b strings.Builder
	b.WriteString("# Against the limit\n\n" + about + "\n" + besides + "\n\n")
	rows := [][]string{{"what, and what it is compared with", "ours", "limit", "ratio", "target", ""}}
	for _, l := range r.lines {
		rows = append(rows, []string{l.what, l.ours, l.limit, fmt.Sprintf("%.2f", l.ratio), l.target.String(), l.target.mark(l.ratio)})
	}
	writeTable(&b, rows)
	if len(r.peers) > 0 {
		r.peerTable(&b)
	}
	if len(r.capacities) > 0 {
		capacityTable(&b, r.capacities)
	}
	if len(r.costs) > 0 {
		b.WriteString("\nProcessor time of one request in microseconds, at the largest number of schools, and how long it took:\n\n")
		rows = [][]string{{"what", "who", "server", "Postgres", "Redis", "load", "together", "median", "99 %"}}
		for _, c := range r.costs {
			row := []string{c.what, c.who}
			for _, v := range []float64{c.server, c.postgres, c.redis, c.load, c.all, c.median, c.p99} {
				row = append(row, fmt.Sprintf("%.0f", v))
			}
			rows = append(rows, row)
		}
		writeTable(&b, rows)
	}
	if len(r.notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range r.notes {
		b.WriteString("- " + n + "\n")
	}
	return b.String()
}

// writeTable pads the cells, so that the Markdown can be read on a terminal too.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+1))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
}

// medianOf is the middle of what f says of each.
func medianOf[T any, N cmp.Ordered](all []T, f func(T) N) N {
	values := make([]N, len(all))
	for i, v := range all {
		values[i] = f(v)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func median[N cmp.Ordered](all []N) N { return medianOf(all, func(n N) N { return n }) }

func perSecond(v float64) string { return fmt.Sprintf("%.0f/s", v) }

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func micros(d time.Duration) string {
	return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
