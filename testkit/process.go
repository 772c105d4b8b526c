package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"homeroom/cmd/service"
	"homeroom/config"
)

// childEnv makes a test binary run as an instance instead of running its tests. Its value are
// the servers; without any, those that Shared is on.
const childEnv = "HOMEROOM_TEST_CHILD"

// Main runs a package's tests; call it from TestMain where a test kills a process. In the
// process that Killable starts, it is an instance instead.
func Main(m *testing.M, changes ...Change) {
	if text := os.Getenv(childEnv); text != "" {
		serveAlone(text, changes...)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// serveAlone runs an instance until the test's process ends and its end of the pipe is closed.
// Every line before that asks for the size of the process.
func serveAlone(text string, changes ...Change) {
	var at Servers
	err := json.Unmarshal([]byte(text), &at)
	if err == nil && at.Name == "" {
		at, err = serversOf(Stack(processTB{}), DatabaseName())
		changes = append([]Change{logTo(os.Stderr)}, changes...)
	} else if err == nil {
		changes = append([]Change{withProductionLimits(at.Log)}, changes...)
	}
	if err != nil {
		processTB{}.Fatalf("%v", err)
	}
	c, o, err := settings(at, changes...)
	if err != nil {
		processTB{}.Fatalf("%v", err)
	}
	app, _, err := run(c, o)
	if err != nil {
		processTB{}.Fatalf("starting the service: %v", err)
	}
	fmt.Println(app.URL)
	asked := bufio.NewReader(os.Stdin)
	for {
		if _, err := asked.ReadString('\n'); err != nil {
			return
		}
		size, _ := json.Marshal(measure())
		fmt.Println(string(size))
	}
}

// withProductionLimits waits for Redis no longer than an instance in production does, and logs to
// a file: hours of it are no part of the process.
func withProductionLimits(log string) Change {
	return func(c *config.Config, o *service.Options) {
		out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			processTB{}.Fatalf("%v", err)
		}
		logTo(out)(c, o)
		o.Patience = 0
	}
}

// logTo has an instance's warnings and errors logged where the test's process can read them.
func logTo(out io.Writer) Change {
	return func(_ *config.Config, o *service.Options) {
		o.Log = slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}

// processTB is the testing.TB of a process without a test: Fatalf prints the reason and ends it.
type processTB struct{ testing.TB }

func (processTB) Helper()        {}
func (processTB) Cleanup(func()) {}
func (processTB) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(3)
}

// Size is how large an instance's process is.
type Size struct {
	Heap       uint64 // bytes in use after a collection
	Goroutines int
	Files      int // open descriptors; 0 where the system does not say
	Resident   int // kB of memory the process has; 0 where the system does not say
}

func measure() Size {
	runtime.GC()
	runtime.GC() // what the first one found to be finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open, _ := os.ReadDir("/proc/self/fd")
	s := Size{Heap: m.HeapAlloc, Goroutines: runtime.NumGoroutine(), Files: len(open)}
	status, _ := os.ReadFile("/proc/self/status")
	if _, after, found := strings.Cut(string(status), "VmRSS:"); found {
		_, _ = fmt.Sscan(after, &s.Resident)
	}
	return s
}

// Process is an instance in a process of its own.
type Process struct {
	App   *App
	in    io.Writer
	lines *bufio.Scanner
	kill  func()
}

// Kill ends it with SIGKILL, at once.
func (p *Process) Kill() { p.kill() }

// Size asks the process how large it is.
func (p *Process) Size(t testing.TB) (s Size) {
	t.Helper()
	if _, err := io.WriteString(p.in, "size\n"); err != nil {
		t.Fatal(err)
	}
	if !p.lines.Scan() {
		t.Fatalf("the instance says nothing: %v", p.lines.Err())
	}
	if err := json.Unmarshal(p.lines.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Killable starts an instance in a process of its own, on the same databases as Shared. kill
// ends it with SIGKILL, at once.
func Killable(t testing.TB) (app *App, kill func()) {
	t.Helper()
	p, err := Run(t, Servers{})
	if err != nil {
		t.Fatal(err)
	}
	return p.App, p.Kill
}

// Run is Killable on given servers, with production's time limits. It ends with the test.
func Run(t testing.TB, at Servers) (*Process, error) {
	text, err := json.Marshal(at)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text), databaseEnv+"="+DatabaseName())
	said := &Log{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(func() {
		kill()
		if text := said.String(); t.Failed() && text != "" {
			t.Logf("the instance in a process of its own said, at the end:\n%s", text[max(0, len(text)-2000):])
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		kill()
		return nil, fmt.Errorf("the instance did not start: %v\n%s", lines.Err(), said)
	}
	log := said
	if at.Log != "" {
		log = LogFiles(at.Log)
	}
	return &Process{App: &App{URL: lines.Text(), Namespace: at.Name, Log: log}, in: in, lines: lines, kill: kill}, nil
}
