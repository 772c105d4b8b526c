//go:build load

package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	plotWidth, plotHeight = 880, 360
	plotTop, plotBottom   = 40, 300
)

// lineColours are of 1, 2 and 3 instances; partColours of the parts. All are told apart
// by people who do not see every colour.
var (
	lineColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}
	partColours = []string{"#0072b2", "#56b4e9", "#009e73", "#999999", "#e69f00", "#d55e00", "#cc79a7"}
)

// plot draws two pictures beside each other: how long calls took, and who used the cores.
func (r results) plot() string {
	var s strings.Builder
	fmt.Fprintf(&s,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		plotWidth, plotHeight, plotWidth, plotHeight)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	r.plotTimes(&s, 60, 420)
	r.plotCores(&s, 520, 740)
	s.WriteString("</svg>\n")
	return s.String()
}

func label(s *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(s, `<text x="%.0f" y="%.0f" text-anchor="%s" fill="#333">%s</text>`+"\n", x, y, anchor, text)
}

func stroke(s *strings.Builder, x1, y1, x2, y2 float64, colour string) {
	fmt.Fprintf(s, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, colour)
}

// plotTimes is the 99th percentile over the rate, both on scales where doubling is a step.
func (r results) plotTimes(s *strings.Builder, left, right float64) {
	least, most := math.Inf(1), 0.0
	slowest := 100.0
	for _, x := range slices.Concat(r.steady, r.steps) {
		least, most = min(least, float64(x.rate)), max(most, float64(x.rate))
		slowest = max(slowest, float64(x.p99.Milliseconds()))
	}
	if most <= least {
		most = least + 1
	}
	top := math.Pow(10, math.Ceil(math.Log10(slowest)))
	x := func(rate float64) float64 {
		return left + (right-left)*math.Log(rate/least)/math.Log(most/least)
	}
	y := func(ms float64) float64 {
		return plotBottom - (plotBottom-plotTop)*math.Log10(max(ms, 1))/math.Log10(top)
	}
	label(s, left, plotTop-16, "start", "99 % of the calls within, ms")
	for ms := 1.0; ms <= top; ms *= 10 {
		stroke(s, left, y(ms), right, y(ms), "#ddd")
		label(s, left-6, y(ms)+4, "end", fmt.Sprintf("%.0f", ms))
	}
	var rates []int
	for i, steady := range r.steady {
		var points []string
		for _, one := range r.of(steady.instances) {
			px, py := x(float64(one.rate)), y(float64(one.p99.Microseconds())/1000)
			points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
			fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, lineColours[i%len(lineColours)])
			if !slices.Contains(rates, one.rate) {
				rates = append(rates, one.rate)
			}
		}
		fmt.Fprintf(s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "),
			lineColours[i%len(lineColours)])
		at := float64(plotTop + 8 + 16*i)
		stroke(s, left+8, at, left+28, at, lineColours[i%len(lineColours)])
		label(s, left+34, at+4, "start", plural(steady.instances, "instance"))
	}
	for _, rate := range rates {
		label(s, x(float64(rate)), plotBottom+18, "middle", fmt.Sprint(rate))
	}
	label(s, (left+right)/2, plotBottom+38, "middle", "calls a second")
}

// plotCores is who used the cores at the steady rate.
func (r results) plotCores(s *strings.Builder, left, right float64) {
	names := r.partNames()
	most := 0.1
	for _, x := range r.steady {
		all := 0.0
		for _, u := range x.parts {
			all += u.cores
		}
		most = max(most, all)
	}
	top := math.Ceil(most*2) / 2
	y := func(cores float64) float64 { return plotBottom - (plotBottom-plotTop)*cores/top }
	label(s, left, plotTop-16, "start", fmt.Sprintf("cores used at %d calls a second", r.steady[0].rate))
	for cores := 0.0; cores <= top; cores += 0.5 {
		stroke(s, left, y(cores), right, y(cores), "#ddd")
		label(s, left-6, y(cores)+4, "end", fmt.Sprintf("%.1f", cores))
	}
	width := (right - left) / float64(len(r.steady))
	for i, x := range r.steady {
		from := 0.0
		for j, name := range names {
			cores := x.parts[name].cores
			fmt.Fprintf(s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n",
				left+width*(float64(i)+0.2), y(from+cores), width*0.6, y(from)-y(from+cores), partColours[j%len(partColours)])
			from += cores
		}
		label(s, left+width*(float64(i)+0.5), plotBottom+18, "middle", fmt.Sprint(x.instances))
	}
	label(s, (left+right)/2, plotBottom+38, "middle", "instances")
	for j, name := range names {
		at := float64(plotTop + 16*j)
		fmt.Fprintf(s, `<rect x="%.0f" y="%.0f" width="10" height="10" fill="%s"/>`+"\n", right+14, at, partColours[j%len(partColours)])
		label(s, right+30, at+9, "start", name)
	}
}
