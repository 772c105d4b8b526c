//go:build load

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// kinds are what the rush is made of, in the order of the tables.
var kinds = []string{"child", "attendance", "bus", "mark", "pin", "position"}

// run is one run of k6: what was asked for, what came of it, and what the parts used.
type run struct {
	instances, rate, seconds int
	calls                    int     // answered, positions apart
	failed                   float64 // share of all of them, positions among them
	dropped                  int     // calls that had nobody to make them in time
	p50, p99                 time.Duration
	kinds                    map[string]kindRun
	parts                    map[string]use
}

type kindRun struct {
	count    int
	p50, p99 time.Duration
	failed   float64
}

// perSecond is the pace of good answers.
func (r run) perSecond() float64 {
	good := 0.0
	for name, k := range r.kinds {
		if name != "position" {
			good += float64(k.count) * (1 - k.failed)
		}
	}
	return good / float64(r.seconds)
}

// What a rate must keep to count as held.
const (
	heldP99     = time.Second
	heldFailed  = 0.001
	heldDropped = 0.01
)

func (r run) held() bool {
	return r.p99 <= heldP99 && r.failed <= heldFailed && float64(r.dropped) <= heldDropped*float64(r.rate*r.seconds)
}

// metric is one of k6's summary.
type metric struct {
	Values struct {
		Med   float64 `json:"med"`
		P99   float64 `json:"p(99)"`
		Count float64 `json:"count"`
		Rate  float64 `json:"rate"`
	} `json:"values"`
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// rush has k6 make a morning of so many calls a second.
type rush struct {
	url    string
	users  string // file
	marked int    // registers marked so far
	parts  []part
}

// busEvery is how often a bus says where it is.
const busEvery = 2 * time.Second

// flooding asks for more than there is: so many people call, and again as soon as they are answered.
const flooding = 120

// flood is a run at whatever rate is answered.
func (h *rush) flood(t *testing.T, instances, seconds int) run {
	t.Helper()
	return h.call(t, instances, 0, flooding, seconds)
}

// run is a run at a rate that does not ask how it is answered.
func (h *rush) run(t *testing.T, instances, rate, seconds int) run {
	t.Helper()
	return h.call(t, instances, rate, 0, seconds)
}

func (h *rush) call(t *testing.T, instances, rate, people, seconds int) run {
	t.Helper()
	out := filepath.Join(t.TempDir(), "summary.json")
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds+90)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, k6(t), "run", "--quiet", "--no-usage-report", "--address", "", "--local-ips", "127.0.1.1-127.0.1.100",
		"--log-output", "stderr",
		"-e", "BASE="+h.url, "-e", "USERS="+h.users, "-e", fmt.Sprintf("RATE=%d", rate), "-e", fmt.Sprintf("FLOOD=%d", people), "-e",
		fmt.Sprintf("SECONDS=%d", seconds),
		"-e", fmt.Sprintf("FIRST=%d", h.marked), "-e", fmt.Sprintf("EVERY=%d", busEvery.Milliseconds()), "-e", "OUT="+out, "rush.js")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as on a machine of its own: the kernel may weigh sessions
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := watch(append(h.parts, part{name: "k6", pids: []int{cmd.Process.Pid}}))
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	var err error
	var parts map[string]use
	select { // while k6 is still there to be looked at
	case err = <-exited:
		parts = stop()
	case <-time.After(time.Duration(seconds) * time.Second):
		parts = stop()
		err = <-exited
	}
	if err != nil {
		t.Fatalf("k6: %v", err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var metrics map[string]metric
	if err := json.Unmarshal(text, &metrics); err != nil {
		t.Fatal(err)
	}
	r := read(metrics)
	r.instances, r.rate, r.seconds, r.parts = instances, rate, seconds, parts
	h.marked += r.kinds["mark"].count
	t.Logf("%s, %d/s for %d s: %.0f/s good, %d not made, %.2f %% failed, half within %s, 99 %% within %s",
		plural(instances, "instance"), rate, seconds, r.perSecond(), r.dropped, 100*r.failed, r.p50.Round(time.Millisecond),
		r.p99.Round(time.Millisecond))
	return r
}

func read(metrics map[string]metric) run {
	r := run{kinds: map[string]kindRun{}}
	all, failed := 0.0, 0.0
	for _, name := range kinds {
		took, wrong := metrics["took_"+name].Values, metrics["failed_"+name].Values
		r.kinds[name] = kindRun{count: int(took.Count), p50: milliseconds(took.Med), p99: milliseconds(took.P99), failed: wrong.Rate}
		all += took.Count
		failed += took.Count * wrong.Rate
	}
	r.failed = failed / max(all, 1)
	took := metrics["took"].Values
	r.calls, r.p50, r.p99 = int(took.Count), milliseconds(took.Med), milliseconds(took.P99)
	r.dropped = int(metrics["dropped_iterations"].Values.Count)
	return r
}

// k6 is where scripts/need puts it.
func k6(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/tools/k6-v1.8.1/k6")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("k6 is not there; cure: scripts/need k6 (%v)", err)
	}
	return path
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
