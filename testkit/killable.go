package testkit

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// childEnv makes a test binary run as an instance instead of running its tests.
const childEnv = "HOMEROOM_TEST_CHILD"

// Main runs a package's tests; call it from TestMain where a test kills a process. In the
// process that Killable starts, it is an instance instead.
func Main(m *testing.M, changes ...Change) {
	if os.Getenv(childEnv) != "" {
		app := Start(alone{}, changes...)
		fmt.Println(app.URL)
		_, _ = io.Copy(io.Discard, os.Stdin) // closed when the test is gone, however it went
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// alone stands for the test in a process that has none: what is fatal ends it, and says why.
type alone struct{ testing.TB }

func (alone) Helper()        {}
func (alone) Cleanup(func()) {}
func (alone) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(3)
}

// Killable starts an instance in a process of its own, on the same databases as Shared. kill
// ends it with SIGKILL, at once and in the middle of whatever it does.
func Killable(t testing.TB) (app *App, kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the instance did not start: %v", lines.Err())
	}
	return &App{URL: lines.Text()}, kill
}
