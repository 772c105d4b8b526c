//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// daemon is what all our servers have in common: a folder, a port, a log, and an answer that proves it is the right one.
//
//	<folder>/port   the port, kept over restarts
//	<folder>/log    what the server says
//	<folder>/data   the only part that belongs to the servers' user
type daemon struct {
	title   string // for people: "Postgres main"
	folder  string
	account account
	say     func(format string, args ...any)

	program string
	args    func(port int) []string
	pidFile string
	answers func(ctx context.Context, port int) error // nil only if our own server serves on that port
	ending  []syscall.Signal                          // gentle first

	port    int
	process *process
}

const (
	logLimit = 10 << 20        // a log larger than this is put aside at the next start
	slow     = 5 * time.Second // after which a start says that it is still waiting
	hung     = 30 * time.Second
)

// start adopts the server if it lives, and launches it otherwise.
func (d *daemon) start(ctx context.Context) error {
	if err := os.MkdirAll(d.folder, d.account.outerMode()); err != nil {
		return err
	}
	if adopted, err := d.adopt(ctx); adopted || err != nil {
		return err
	}
	return d.launch(ctx, false)
}

// adopt takes over what a killed process left running. One that lives but does not answer in time is ended: two servers
// on one data folder would be worse than a restart.
func (d *daemon) adopt(ctx context.Context) (bool, error) {
	p := findProcess(d.pidFile, d.folder)
	if p == nil {
		return false, nil
	}
	_ = p.signal(syscall.SIGCONT) // it may have been frozen
	port, began, said := readPort(d.path("port")), time.Now(), false
	errHung := errors.New("does not answer")
	wait, cancel := context.WithTimeout(ctx, hung)
	defer cancel()
	err := poll(wait, 10*time.Millisecond, func() (bool, error) {
		if d.answers(wait, port) == nil {
			d.process, d.port = p, port
			return true, nil
		}
		if !said && time.Since(began) > slow {
			said = true
			d.say("%s is running from an earlier start but does not answer yet", d.title)
		}
		return !p.alive(), nil
	}, func() error { return errHung })
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, errHung):
		d.say("%s of an earlier start does not answer: ending it", d.title)
		return false, p.end(hung, d.ending...)
	case err != nil:
		return false, err
	}
	if d.process != nil {
		d.say("%s is still running from an earlier start, on port %d", d.title, port)
	}
	return d.process != nil, nil
}

var (
	errPortTaken  = errors.New("the port is taken")
	errNotYetDead = errors.New("the earlier server is not quite gone")
)

// launch starts the program on the remembered port or, unless that one has to be kept, on another free one.
func (d *daemon) launch(ctx context.Context, keepPort bool) error {
	began := time.Now()
	for attempt := 1; ; attempt++ {
		err := d.tryLaunch(ctx, keepPort)
		if err == nil {
			d.say("%s is ready on port %d (%.1f s)", d.title, d.port, time.Since(began).Seconds())
			return nil
		}
		retry := errors.Is(err, errPortTaken) || errors.Is(err, errNotYetDead)
		if !retry || attempt == 50 || ctx.Err() != nil {
			return fmt.Errorf("start %s: %w", d.title, err)
		}
		if keepPort || errors.Is(err, errNotYetDead) {
			time.Sleep(200 * time.Millisecond) // its last children need a moment to notice
		}
	}
}

func (d *daemon) tryLaunch(ctx context.Context, keepPort bool) error {
	port := readPort(d.path("port"))
	if port == 0 || (!keepPort && !portIsFree(port)) {
		var err error
		if port, err = freePort(); err != nil {
			return err
		}
	}
	// Remembered before the start, for the process that has to adopt the server if we are killed during it.
	if err := d.account.write(d.path("port"), fmt.Sprintln(port)); err != nil {
		return err
	}
	log, err := d.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	before, _ := log.Seek(0, io.SeekEnd)
	p, err := spawn(d.account, d.program, d.args(port), d.path("data"), log)
	if err != nil {
		return err
	}
	began, said := time.Now(), false
	err = poll(ctx, 10*time.Millisecond, func() (bool, error) {
		if d.answers(ctx, port) == nil {
			return true, nil
		}
		if !p.alive() {
			return false, d.obituary(before)
		}
		if !said && time.Since(began) > slow {
			said = true
			d.say("%s is still starting: repairing after a crash can take a while; its log is %s", d.title, d.path("log"))
		}
		return false, nil
	}, ctx.Err)
	if err != nil {
		return errors.Join(err, p.end(slow, d.ending...))
	}
	d.process, d.port = p, port
	return nil
}

func (d *daemon) openLog() (*os.File, error) {
	path := d.path("log")
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// obituary turns the last words of a server that did not come up into an error.
func (d *daemon) obituary(from int64) error {
	words, _ := os.ReadFile(d.path("log"))
	words = words[min(from, int64(len(words))):]
	text := strings.TrimSpace(string(words[max(0, len(words)-2000):]))
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "address already in use"), strings.Contains(lower, "address in use"):
		return fmt.Errorf("%w: %s", errPortTaken, text)
	case strings.Contains(lower, "still in use"), strings.Contains(lower, "lock file \"postmaster.pid\" already exists"):
		return fmt.Errorf("%w: %s", errNotYetDead, text)
	}
	return fmt.Errorf("it ended at once; the end of %s:\n%s", d.path("log"), text)
}

// stop ends the server and returns when it is gone.
func (d *daemon) stop() error {
	if d.process == nil {
		return nil
	}
	if err := d.process.end(hung, d.ending...); err != nil {
		return fmt.Errorf("stop %s: %w", d.title, err)
	}
	d.process = nil
	d.say("%s is stopped", d.title)
	return nil
}

func (d *daemon) path(name string) string { return filepath.Join(d.folder, name) }
