package hashing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Hashing is the one thing here that keeps a core busy for as long as a request lasts,
// and that allocates as much as a thousand requests. In the server's own process its
// goroutines hold a processor until they are preempted (10 ms) and its garbage
// collection stops every request; so it runs in processes of its own, at a low priority.
const (
	// hashNice is the niceness of hashing: when everything is busy it still gets a tenth of
	// what others get, so that a sign-in is slow then and not refused. A lower priority would
	// not shorten the others' waiting: that they preempt it is what counts (hashSlice).
	hashNice = 10
	// hashIdle is how long an idle worker is kept.
	hashIdle = time.Minute
)

// task is a worker's task: hash the secret, or compare it with a stored form.
type task struct {
	Secret string `json:"secret"`
	Stored string `json:"stored,omitempty"`
}

func (t task) do() hashed {
	if t.Stored == "" {
		return hashed{Hash: hash(t.Secret)}
	}
	return hashed{OK: verify(t.Secret, t.Stored)}
}

// hashed is a worker's answer.
type hashed struct {
	Hash string `json:"hash,omitempty"`
	OK   bool   `json:"ok,omitempty"`
}

// Serve is the work of a hash worker: a task a line in, an answer a line out,
// until in ends, which it does when the server is gone.
func Serve(in io.Reader, out io.Writer) error {
	lowerPriority()
	tasks, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var t task
		if err := tasks.Decode(&t); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := answers.Encode(t.do()); err != nil {
			return err
		}
	}
}

// worker is one such process, started when it is first needed. It is used by one
// sign-in at a time, the one that holds its core.
type worker struct {
	command []string

	mu      sync.Mutex
	process *exec.Cmd
	in      io.WriteCloser
	tasks   *json.Encoder
	answers *json.Decoder
	idle    *time.Timer
}

// do has the process do the task. One that died is replaced once; if that fails too, the
// task is done in this process, since users must be able to sign in.
func (w *worker) do(t task) hashed {
	if len(w.command) == 0 {
		return t.do()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for range 2 {
		if answer, err := w.send(t); err == nil {
			w.idle.Reset(hashIdle)
			return answer
		}
		w.end()
	}
	return t.do()
}

func (w *worker) send(t task) (answer hashed, err error) {
	if w.process == nil {
		if err := w.start(); err != nil {
			return answer, err
		}
	}
	if err := w.tasks.Encode(t); err != nil {
		return answer, err
	}
	return answer, w.answers.Decode(&answer)
}

func (w *worker) start() error {
	cmd := exec.Command(w.command[0], w.command[1:]...)
	// One task at a time needs one processor; what a task leaves behind is collected
	// when the next but one would not fit, not while it runs.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=64MiB")
	// A session of its own: Ctrl-C in the terminal is for the server, which finishes
	// sign-ins under way, and the kernel weighs a session as one.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("a hash worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("a hash worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("a hash worker: %w", err)
	}
	w.process, w.in, w.tasks, w.answers = cmd, in, json.NewEncoder(in), json.NewDecoder(out)
	w.idle = time.AfterFunc(hashIdle, w.stopWhenIdle)
	return nil
}

// stopWhenIdle ends a process that has been idle for a while.
func (w *worker) stopWhenIdle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
}

func (w *worker) end() {
	if w.process == nil {
		return
	}
	w.idle.Stop()
	_ = w.in.Close()
	_ = w.process.Process.Kill()
	_ = w.process.Wait()
	w.process = nil
}
