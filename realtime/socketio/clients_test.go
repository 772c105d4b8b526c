package socketio

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/testkit/wait"
)

const clientsFolder = "testdata/clients"

// steps are what a cell does; see cell.js.
const steps = 11

// TestTheClientsOfEveryVersionWork runs the clients that apps use, as they are published.
func TestTheClientsOfEveryVersionWork(t *testing.T) {
	t.Parallel()
	needClients(t)
	for _, version := range []string{"2", "3", "4"} {
		for _, transport := range []string{"polling", "websocket", "upgrade"} {
			t.Run(version+"/"+transport, func(t *testing.T) {
				t.Parallel()
				out := runCell(t, version, transport, newRestartable(t, 0, 0), newRestartable(t, 200*time.Millisecond, 5*time.Second))
				if n := strings.Count(out, "\n"); n != steps {
					t.Errorf("%d of %d steps were done:\n%s", n, steps, out)
				}
			})
		}
	}
}

// On a machine that has better to do, with heartbeats of a second, an upgrade takes long
// and clients hold their pongs back meanwhile.
func TestUpgradesSucceedOnABusyMachine(t *testing.T) {
	needClients(t)
	stop := make(chan struct{})
	var burning sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		burning.Go(func() {
			for n := 0; ; n++ {
				if n%1000 == 0 {
					select {
					case <-stop:
						return
					default:
					}
				}
			}
		})
	}
	defer burning.Wait()
	defer close(stop)
	for _, version := range []string{"2", "3", "4"} {
		server := newRestartable(t, time.Second, 2*time.Second)
		runCell(t, version, "upgrade", server, server, "ONLY=connects", "TIMES=20")
		runCell(t, version, "upgrade", server, server, "ONLY=forty", "TIMES=5")
	}
}

func needClients(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatal("there is no node to run the clients with: install it, or let `make test` do it")
	}
	if _, err := os.Stat(filepath.Join(clientsFolder, "node_modules")); err != nil {
		t.Fatal("the clients are not installed: `make test` does it, or scripts/packages realtime/socketio/" + clientsFolder)
	}
}

func runCell(t *testing.T, version, transport string, server, quick *restartable, env ...string) string {
	t.Helper()
	cmd := exec.Command("node", "cell.js", version, transport, server.http.URL, quick.http.URL)
	cmd.Dir = clientsFolder
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s over %s: %v\n%s", version, transport, err, out)
	}
	return string(out)
}

// restartable is a server that starts anew, as another process would, when a client asks.
type restartable struct {
	t                 *testing.T
	http              *httptest.Server
	interval, timeout time.Duration
	current           atomic.Pointer[Server]
}

// newRestartable is one with such heartbeats; 0: the usual ones.
func newRestartable(t *testing.T, interval, timeout time.Duration) *restartable {
	r := &restartable{t: t, interval: interval, timeout: timeout}
	r.current.Store(New(r.options()))
	r.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.current.Load().ServeHTTP(w, req) }))
	t.Cleanup(func() {
		r.stop(r.current.Load())
		r.http.Close()
	})
	return r
}

func (r *restartable) stop(s *Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.Close(ctx)
}

func (r *restartable) options() Options {
	return Options{
		Log: slog.New(slog.DiscardHandler), PingInterval: r.interval, PingTimeout: r.timeout,
		Authenticate: func(req *http.Request, auth json.RawMessage) (any, *Refusal) {
			sent := struct{ Token string }{req.URL.Query().Get("token")}
			_ = json.Unmarshal(auth, &sent)
			if sent.Token != "anna" && sent.Token != "ben" {
				return nil, &Refusal{Message: "who are you?", Data: map[string]string{"code": "NOBODY"}}
			}
			return sent.Token, nil
		},
		OnEvent: func(s *Socket, name string, args []json.RawMessage, ack func(any)) {
			var first string
			if len(args) > 0 {
				_ = json.Unmarshal(args[0], &first)
			}
			switch name {
			case "whoami":
				ack(s.User())
			case "echo":
				ack(args[0])
			case "join":
				s.Join(first)
				ack("joined")
			case "shout":
				_ = r.current.Load().To(first).Emit("shout", args[1])
			case "n":
				_ = s.Emit("n", args[0])
			case "ask me":
				_ = s.EmitAck(wait.Limit, func(args []json.RawMessage, _ error) { _ = s.Emit("answered", args[0]) }, "question", 21)
			case "logout":
				s.Disconnect()
			case "restart":
				go r.stop(r.current.Swap(New(r.options())))
			}
		},
	}
}
