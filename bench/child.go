package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// childEnv names what this program is when it starts itself once more: a server in a
// process of its own, so that its time and memory can be told from the load's.
const childEnv = "HOMEROOM_BENCH_CHILD"

// childSettings are handed to a child on its standard input, which it also watches:
// when it closes, the parent is gone and the child ends.
type childSettings struct {
	Database string
	Redis    string
	Added    int  // migrations of the migration part
	Product  bool // the product as it is: no rows and no tables of the benchmark's
	Peer     *peerSettings
}

// child is a server in a process of its own.
type child struct {
	Address string // of what is measured: host:port
	Control string // of what measures it: http://host:port
	cmd     *exec.Cmd
	stdin   io.Closer
}

func beChild(role string) error {
	in := bufio.NewReader(os.Stdin)
	text, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	var s childSettings
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	control, err := serveControl()
	if err != nil {
		return err
	}
	ready := func(address string) {
		_ = json.NewEncoder(os.Stdout).Encode(child{Address: strings.TrimPrefix(address, "http://"), Control: control})
	}
	switch role {
	case "ours":
		return serveOurs(ctx, s, ready)
	case "bare":
		return serveBare(ctx, s, ready)
	case "sockets":
		return serveSockets(ctx, ready)
	}
	return fmt.Errorf("no child is called %q", role)
}

func startChild(ctx context.Context, role string, s childSettings) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	return startProgram(cmd, role, s)
}

// startProgram starts a child that may be another program than this one.
func startProgram(cmd *exec.Cmd, role string, s childSettings) (*child, error) {
	c := &child{cmd: cmd}
	c.cmd.Stderr = os.Stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	err = json.NewEncoder(stdin).Encode(s)
	if err == nil {
		err = json.NewDecoder(stdout).Decode(c)
	}
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("the server %q did not start: %w", role, err)
	}
	return c, nil
}

func (c *child) stop() {
	_ = c.stdin.Close()
	done := make(chan struct{})
	go func() {
		_ = c.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(15 * time.Second):
		_ = c.cmd.Process.Kill()
		<-done
	}
}

// usage is what a child has used so far.
type usage struct {
	CPU  time.Duration
	RSS  int64 // bytes now
	Heap int64 // bytes that are alive
}

func (c *child) usage() (u usage, err error) { return u, c.ask("/usage", &u) }

// collected is usage after the garbage is gone and its memory given back.
func (c *child) collected() (u usage, err error) { return u, c.ask("/collected", &u) }

func (c *child) ask(path string, into any) error {
	resp, err := http.Get(c.Control + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// profile writes a CPU profile of the next seconds, beside what is measured.
func (c *child) profile(path string, seconds int) <-chan error {
	done := make(chan error, 1)
	go func() {
		resp, err := http.Get(fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", c.Control, seconds))
		if err != nil {
			done <- err
			return
		}
		defer resp.Body.Close()
		file, err := os.Create(path)
		if err == nil {
			_, err = io.Copy(file, resp.Body)
			err = errors.Join(err, file.Close())
		}
		done <- err
	}()
	return done
}
