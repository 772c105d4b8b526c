package fleet

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// Instance is one `homeroom serve`. It keeps its addresses when it is stopped and started.
type Instance struct {
	URL    string // where it serves, without nginx
	OpsURL string // /healthz, /readyz and /metrics

	env []string
	dir string

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{}
}

func newInstance(t testing.TB, f *Fleet) *Instance {
	t.Helper()
	var ports [2]int
	for n := range ports {
		var err error
		if ports[n], err = reservePort(); err != nil {
			t.Fatal(err)
		}
	}
	i := &Instance{URL: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), OpsURL: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), dir: t.TempDir()}
	i.env = append([]string{"HOMEROOM_BIND=127.0.0.1", fmt.Sprintf("PORT=%d", ports[0]),
		fmt.Sprintf("HOMEROOM_OPS_ADDR=127.0.0.1:%d", ports[1])}, f.env...)
	t.Cleanup(func() {
		i.end(syscall.SIGKILL)
		if !t.Failed() {
			return
		}
		if said := i.Said(); said != "" {
			t.Logf("%s said, at the end:\n%s", i.URL, said[max(0, len(said)-2000):])
		}
	})
	return i
}

// App is this instance as testkit's clients know one.
func (i *Instance) App() *testkit.App {
	return &testkit.App{URL: i.URL, Log: testkit.LogFiles(i.log())}
}

// Said is what the instance has written to its log, all its lives together.
func (i *Instance) Said() string {
	text, _ := os.ReadFile(i.log()) // nothing, before its first life
	return string(text)
}

// log is a file, as for a service manager: a pipe would have the test's own process wake
// up at every line, which a load would have to share the cores with.
func (i *Instance) log() string { return filepath.Join(i.dir, "log") }

// PID is the number of the process, 0 while there is none.
func (i *Instance) PID() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cmd == nil {
		return 0
	}
	return i.cmd.Process.Pid
}

// Set has the instance's next life begin with these too, NAME=value each.
func (i *Instance) Set(env ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.env = append(i.env, env...)
}

// Start runs a stopped instance again, and waits until it is ready.
func (i *Instance) Start(t testing.TB) {
	t.Helper()
	i.launch(t)
	i.await(t)
}

func (i *Instance) launch(t testing.TB) {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cmd != nil {
		t.Fatalf("%s runs already", i.URL)
	}
	log, err := os.OpenFile(i.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd, ended := exec.Command(path, "serve"), make(chan struct{})
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = i.env, i.dir, log, log, withUs()
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	i.cmd, i.ended = cmd, ended
	go func() {
		_ = cmd.Wait() // its exit code is read from its state
		close(ended)
	}()
}

func (i *Instance) await(t testing.TB) {
	t.Helper()
	hasEnded := func() bool {
		select {
		case <-i.ended:
			return true
		default:
			return false
		}
	}
	if !wait.Until(t.Context(), func() bool { return i.Ready() || hasEnded() }) {
		t.Fatalf("%s does not become ready:\n%s", i.URL, i.Said())
	}
	if hasEnded() {
		t.Fatalf("%s ended before it was ready:\n%s", i.URL, i.Said())
	}
}

// Ready says whether the instance says so.
func (i *Instance) Ready() bool {
	status, _ := i.ops("/readyz")
	return status == http.StatusOK
}

// Metrics are what the instance tells Prometheus.
func (i *Instance) Metrics(t testing.TB) string {
	t.Helper()
	status, text := i.ops("/metrics")
	if status != http.StatusOK {
		t.Fatalf("the metrics of %s: %d", i.URL, status)
	}
	return text
}

// Served counts the requests the instance has answered since it was started.
func (i *Instance) Served(t testing.TB) (n float64) {
	t.Helper()
	for line := range strings.Lines(i.Metrics(t)) {
		var count float64
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "homeroom_http_requests_total{") {
			if _, err := fmt.Sscan(line[at:], &count); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			n += count
		}
	}
	return n
}

// ops asks the operations listener; nobody there is 0.
func (i *Instance) ops(path string) (int, string) {
	answer, err := http.Get(i.OpsURL + path)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, ""
	}
	return answer.StatusCode, string(text)
}

// Stop sends SIGTERM, waits, and expects a clean end.
func (i *Instance) Stop(t testing.TB) {
	t.Helper()
	if code := i.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("after SIGTERM %s ended with %d:\n%s", i.URL, code, i.Said())
	}
}

// end sends a signal and waits for the end; -1 is one by a signal.
func (i *Instance) end(s syscall.Signal) int {
	i.mu.Lock()
	cmd, ended := i.cmd, i.ended
	i.mu.Unlock()
	if cmd == nil {
		return 0
	}
	_ = cmd.Process.Signal(s)
	select {
	case <-ended:
	case <-time.After(wait.Limit):
		_ = cmd.Process.Kill()
		<-ended
	}
	i.mu.Lock()
	i.cmd = nil
	i.mu.Unlock()
	return cmd.ProcessState.ExitCode()
}
