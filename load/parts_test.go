//go:build load

package load

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// part is one of the programs that share the machine, with the processes it starts.
type part struct {
	name string
	pids []int // of the first processes
}

// use is what a part has used between two looks: cores, and the memory it has in the end.
type use struct {
	cores  float64
	memory int64
}

// watch looks at the parts until it is told to stop. The memory of processes that share
// some of theirs (Postgres) is counted once: proportional set sizes are added up. That
// costs the machine seconds with hundreds of processes, so it is done when all is over.
func watch(parts []part) (stop func() map[string]use) {
	before, began := processorTimes(parts), time.Now()
	return func() map[string]use {
		after, took := processorTimes(parts), time.Since(began)
		memory := memories(parts)
		out := map[string]use{}
		for _, p := range parts {
			out[p.name] = use{cores: (after[p.name] - before[p.name]).Seconds() / took.Seconds(), memory: memory[p.name]}
		}
		return out
	}
}

type process struct {
	pid, parent int
	own, ended  time.Duration // the second: of children that are gone
}

// tick is the unit of /proc, the same on every Linux a Go program meets.
const tick = 10 * time.Millisecond

func processes() map[int]process {
	all := map[int]process{}
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		_, rest, _ := strings.Cut(string(text), ") ") // the name may hold spaces
		f := strings.Fields(rest)
		if len(f) < 15 {
			continue
		}
		number := func(i int) int {
			n, _ := strconv.Atoi(f[i])
			return n
		}
		p := process{parent: number(1), own: time.Duration(number(11)+number(12)) * tick, ended: time.Duration(number(13)+number(14)) * tick}
		p.pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
		all[p.pid] = p
	}
	return all
}

// of is a part's processes: the first ones and all below them.
func (p part) of(all map[int]process) []process {
	var out []process
	for _, q := range all {
		for at := q; ; {
			if slices.Contains(p.pids, at.pid) {
				out = append(out, q)
				break
			}
			up, ok := all[at.parent]
			if !ok {
				break
			}
			at = up
		}
	}
	return out
}

func processorTimes(parts []part) map[string]time.Duration {
	all := processes()
	out := map[string]time.Duration{}
	for _, p := range parts {
		for _, q := range p.of(all) {
			out[p.name] += q.own + q.ended
		}
	}
	return out
}

func memories(parts []part) map[string]int64 {
	all := processes()
	out := map[string]int64{}
	for _, p := range parts {
		for _, q := range p.of(all) {
			out[p.name] += proportional(q.pid)
		}
	}
	return out
}

func proportional(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "Pss:" {
			kilobytes, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// below is the processes of a name that this one started, itself or through others.
func below(name string) []int {
	all := processes()
	var out []int
	for _, q := range (part{pids: []int{os.Getpid()}}).of(all) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", q.pid))
		if strings.TrimSpace(string(text)) == name {
			out = append(out, q.pid)
		}
	}
	return out
}
