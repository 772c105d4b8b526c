package hashing

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// workerEnv makes the test binary be a hash worker.
const workerEnv = "HOMEROOM_TEST_HASH_WORKER"

func init() {
	if os.Getenv(workerEnv) != "" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

func workers(t *testing.T, cores int) *Hasher {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := New(cores, "env", workerEnv+"=1", self)
	t.Cleanup(h.Close)
	return h
}

func mustHash(t *testing.T, h *Hasher, secret string) string {
	t.Helper()
	stored, err := h.Hash(t.Context(), secret)
	if err != nil || !strings.HasPrefix(stored, "$argon2id$") {
		t.Fatalf("hashing: %q, %v", stored, err)
	}
	return stored
}

func wantVerdict(t *testing.T, h *Hasher, secret, stored string, want bool) {
	t.Helper()
	if ok, err := h.Verify(t.Context(), secret, stored); err != nil || ok != want {
		t.Errorf("%q against %q: %v, %v; want %v", secret, stored, ok, err, want)
	}
}

func TestAHashWorkersHashesAreTheServersOwn(t *testing.T) {
	t.Parallel()
	away, here := workers(t, 1), New(1)
	stored := mustHash(t, away, "a line\nin two \"parts\"")
	wantVerdict(t, here, "a line\nin two \"parts\"", stored, true)
	wantVerdict(t, away, "a line\nin two \"parts\"", mustHash(t, here, "a line\nin two \"parts\""), true)
	wantVerdict(t, away, "another", stored, false)
	wantVerdict(t, away, "a secret nobody has", "", false)
}

func TestAHashWorkerStandsBackForEverybodyElse(t *testing.T) {
	t.Parallel()
	h := workers(t, 1)
	mustHash(t, h, "secret")
	w := <-h.cores
	defer func() { h.cores <- w }()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", w.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", w.process.Process.Pid, thread.Name()))
		if err != nil {
			continue // it ended meanwhile
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if nice := strings.Fields(after)[16]; nice != fmt.Sprint(hashNice) {
			t.Errorf("thread %s has niceness %s", thread.Name(), nice)
		}
	}
}

func TestAHashWorkerIsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	h := workers(t, 1)
	mustHash(t, h, "secret")
	w := <-h.cores
	defer func() { h.cores <- w }()
	// Ctrl-C is for the server's session, and its priority is not the worker's.
	pid := w.process.Process.Pid
	if session, err := unix.Getsid(pid); err != nil || session != pid {
		t.Errorf("worker %d is of session %d, %v", pid, session, err)
	}
}

func TestASignInWhoseHashWorkerDiedIsAnsweredByAnother(t *testing.T) {
	t.Parallel()
	h := workers(t, 1)
	stored := mustHash(t, h, "secret")
	w := <-h.cores
	first := w.process.Process.Pid
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.cores <- w
	wantVerdict(t, h, "secret", stored, true)
	wantVerdict(t, h, "other", stored, false)
	if w.process == nil || w.process.Process.Pid == first {
		t.Error("no new worker was started")
	}
}

func TestWhereNoHashWorkerCanBeStartedTheServerHashesItself(t *testing.T) {
	t.Parallel()
	h := New(1, "/does/not/exist")
	wantVerdict(t, h, "secret", mustHash(t, h, "secret"), true)
}
