package service_test

import (
	"bufio"
	"encoding/json"
	"os"
	process "os/exec"
	"path/filepath"
	"testing"
	"time"

	"homeroom/modules/transport/live"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// appWatching is a published Socket.IO client that watches the bus; see watch.js.
type appWatching struct {
	t     *testing.T
	name  string
	lines chan appLine
}

type appLine struct {
	Refused  string
	Joined   bool
	Location *live.Location
}

const appsFolder = "../../realtime/socketio/testdata/clients"

func (d *busDay) openApp(t *testing.T, version, transports string, parent *testkit.Client) *appWatching {
	t.Helper()
	if _, err := os.Stat(filepath.Join(appsFolder, "node_modules")); err != nil {
		t.Fatal("the clients are not installed: `make test` does it, or scripts/packages realtime/socketio/testdata/clients")
	}
	cmd := process.Command("node", "watch.js", version, transports, d.at.next().URL, parent.Token, d.school.String(), d.bus.String())
	cmd.Dir, cmd.Stderr = appsFolder, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	app := &appWatching{t: t, name: version + ".x over " + transports, lines: make(chan appLine, 100)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	go func() {
		defer close(app.lines)
		for said := bufio.NewScanner(out); said.Scan(); {
			var line appLine
			if json.Unmarshal(said.Bytes(), &line) == nil {
				app.lines <- line
			}
		}
	}()
	return app
}

// until waits for the app to say something.
func (a *appWatching) until(what string, fits func(appLine) bool) {
	a.t.Helper()
	for limit := time.After(wait.Limit); ; {
		select {
		case line, on := <-a.lines:
			if !on || line.Refused != "" {
				a.t.Fatalf("the app %s ended or was refused: %s", a.name, line.Refused)
			}
			if fits(line) {
				return
			}
		case <-limit:
			a.t.Fatalf("the app %s: not seen: %s", a.name, what)
		}
	}
}
