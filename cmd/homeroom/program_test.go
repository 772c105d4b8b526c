package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// The program as it ships and as `make run` builds it, but optimised, each built once for all tests. They have no race detector
// in them: that would take a second and more of every command.
var (
	builtWhole = sync.OnceValues(func() (string, error) { return build("homeroom", "nomsgpack") })
	builtLean  = sync.OnceValues(func() (string, error) { return build("homeroom-lean", "lean,nomsgpack") })
)

func build(name, tags string) (path string, err error) {
	folder, err := binFolder()
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, name)
	flags := fmt.Sprintf("-ldflags=-w -X homeroom/version.version=%s -X homeroom/version.revision=%s -X homeroom/version.date=%s",
		builtVersion, builtRevision, builtDate)
	said, err := exec.Command("go", "build", "-trimpath", "-tags="+tags, flags, "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, said)
	}
	return path, nil
}

var binFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "homeroom-bin-") })

func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := binFolder(); err == nil {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// program is a running homeroom.
type program struct {
	cmd    *exec.Cmd
	stdout testkit.Log
	stderr testkit.Log
	ended  chan struct{}
}

// environment is all a program of the tests sees; nothing of the developer's own.
func environment(settings ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}, settings...)
}

// start runs a verb and does not wait for it. It is killed with the test.
func start(t *testing.T, env []string, stdin string, args ...string) *program {
	t.Helper()
	built := builtWhole
	if args[0] == "local" || args[0] == "demo-drive" { // the lean build's own verbs
		built = builtLean
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = env, t.TempDir(), strings.NewReader(stdin), &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // its exit code is read from its state
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			said := p.stdout.String() + p.stderr.String()
			t.Logf("homeroom %s said, at the end:\n%s", strings.Join(args, " "), said[max(0, len(said)-2000):])
		}
	})
	return p
}

// run runs a verb to its end.
func run(t *testing.T, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := start(t, env, stdin, args...)
	return p.exit(t), p.stdout.String(), p.stderr.String()
}

// mustRun runs a verb that has to succeed.
func mustRun(t *testing.T, env []string, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := run(t, env, stdin, args...)
	if code != 0 {
		t.Fatalf("homeroom %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// refuses runs a verb that has to fail with exit code 1, and returns what it says.
func refuses(t *testing.T, env []string, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := run(t, env, stdin, args...)
	if code != 1 {
		t.Fatalf("homeroom %s: want exit 1, got %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stderr
}

func (p *program) exit(t *testing.T) int {
	t.Helper()
	wait.Receive(t, "the program ends", p.ended)
	return p.cmd.ProcessState.ExitCode()
}

// stop sends a signal and expects a clean end.
func (p *program) stop(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(t); code != 0 {
		t.Fatalf("after %v it ended with %d", s, code)
	}
}

// kill ends it without giving it a chance to do anything.
func (p *program) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-p.ended
}

// until waits for something in an output and returns what find found there.
func (p *program) until(t *testing.T, what string, from *testkit.Log, find func(text string) string) string {
	t.Helper()
	found, ended := "", false
	wait.Eventually(t, "it says "+what, func() bool {
		select {
		case <-p.ended:
			ended = true
		default:
		}
		found = find(from.String())
		return found != "" || ended
	})
	if found == "" {
		t.Fatalf("it ended before it said %s", what)
	}
	return found
}

// folder is one that the servers' own user can reach, which t.TempDir is not for root.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "homeroom-verbs-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// redisDatabases are handed out one a test (there are 16, and 0 is for the other
// packages), so that no test meets another's counters or marks.
var redisDatabases atomic.Int32

// production is the environment of an installation of its own on the tests' servers:
// the platform on one Postgres, the schools on another.
func production(t *testing.T, more ...string) []string {
	t.Helper()
	stack := testkit.Stack(t)
	name := "verbs_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	redis, err := url.Parse(stack.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	redis.Path = fmt.Sprintf("/%d", 1+redisDatabases.Add(1)%15)
	return environment(append([]string{
		"DATABASE_URL=" + testkit.Database(t, stack, "main", name), "HOMEROOM_NODE_URL=" + testkit.Database(t, stack, "north", name),
		"REDIS_URL=" + redis.String(), "HOMEROOM_SECRET=" + strings.Repeat("s", 40), "HOMEROOM_SHARDS=2", "HOMEROOM_SPARES=0",
		"HOMEROOM_JWT_KEYS=k1:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 48)),
		"HOMEROOM_PUBLIC_URL=https://school.example.org", "HOMEROOM_LIMIT_AUTH=10000-M", "HOMEROOM_LIMIT_READ=10000-M",
	}, more...)...)
}
