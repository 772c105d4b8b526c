package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	process "os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"homeroom/testkit"
)

// lines are between the instances and their servers, and can be hurt. Each has the name of
// the server it leads to.
type lines interface {
	// through is a server's address by way of the line of that name.
	through(t *testing.T, name, address string) string
	// cut ends every connection of the line.
	cut(name string) error
}

// rerouted is an address with another host.
func rerouted(t *testing.T, address, host string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = host
	return u.String()
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// plainLines pass everything on, and can only be cut.
type plainLines struct {
	mu    sync.Mutex
	conns map[string][]net.Conn
}

func newPlainLines() *plainLines { return &plainLines{conns: map[string][]net.Conn{}} }

func (l *plainLines) through(t *testing.T, name, address string) string {
	t.Helper()
	upstream := hostOf(t, address)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = listener.Close()
		_ = l.cut(name)
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", upstream)
			if err != nil {
				_ = near.Close()
				continue
			}
			l.mu.Lock()
			l.conns[name] = append(l.conns[name], near, far)
			l.mu.Unlock()
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					_ = way[0].Close()
				}()
			}
		}
	}()
	return rerouted(t, address, listener.Addr().String())
}

func (l *plainLines) cut(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns[name] {
		_ = c.Close()
	}
	l.conns[name] = nil
	return nil
}

// toxiproxy is a running server of github.com/Shopify/toxiproxy, which hurts lines in many
// ways. scripts/need brings the program.
type toxiproxy struct{ api string }

// toxiproxyProgram is where scripts/need puts it.
const toxiproxyProgram = "../../bin/tools/toxiproxy-v2.5.0/server"

func startToxiproxy(t *testing.T) *toxiproxy {
	t.Helper()
	program, err := filepath.Abs(toxiproxyProgram)
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Fatalf("toxiproxy is not installed (`make faults` does it, or scripts/need toxiproxy): %v", err)
	}
	address := lowPort(t)
	_, port, _ := net.SplitHostPort(address)
	cmd := process.CommandContext(t.Context(), program, "-host", "127.0.0.1", "-port", port)
	cmd.Env = append(os.Environ(), "LOG_LEVEL=error")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p := &toxiproxy{api: "http://" + address}
	testkit.Eventually(t, "toxiproxy answers", func() bool { return p.ask("GET", "/version", nil) == nil })
	return p
}

func (p *toxiproxy) ask(method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, p.api+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("toxiproxy: %s %s: %d %s", method, path, resp.StatusCode, said)
	}
	return err
}

func (p *toxiproxy) through(t *testing.T, name, address string) string {
	t.Helper()
	near := lowPort(t)
	if err := p.ask("POST", "/proxies", map[string]any{"name": name, "listen": near, "upstream": hostOf(t, address), "enabled": true}); err != nil {
		t.Fatal(err)
	}
	return rerouted(t, address, near)
}

// cut switches a line off and on: every connection ends, and for a moment none can be made.
func (p *toxiproxy) cut(name string) error {
	if err := p.ask("POST", "/proxies/"+name, map[string]any{"enabled": false}); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond)
	return p.ask("POST", "/proxies/"+name, map[string]any{"enabled": true})
}

// lowPort is a free one below those the kernel takes for outgoing connections, which could
// sit on it while a line is cut.
func lowPort(t *testing.T) string {
	t.Helper()
	for range 200 {
		address := fmt.Sprintf("127.0.0.1:%d", 15000+rand.IntN(17000))
		if l, err := net.Listen("tcp4", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no free port found")
	return ""
}

// poison hurts a line in one direction until heal.
func (p *toxiproxy) poison(name, kind, stream string, attributes map[string]any) error {
	return p.ask("POST", "/proxies/"+name+"/toxics",
		map[string]any{"name": "hurt", "type": kind, "stream": stream, "toxicity": 1, "attributes": attributes})
}

func (p *toxiproxy) heal(name string) error {
	return p.ask("DELETE", "/proxies/"+name+"/toxics/hurt", nil)
}
