package web_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if theatre.in != nil {
		_ = theatre.in.Close()
		<-theatre.gone
	}
	os.Exit(code)
}

// theatre is the process that plays the stories of web/test, all in one browser. The
// first test that has one starts it; it ends when nobody holds its input any more.
var theatre struct {
	once sync.Once
	err  error
	in   io.WriteCloser
	gone chan struct{} // closed when it has ended
	last bytes.Buffer  // what it complained of, to be read then

	mu      sync.Mutex
	stories []chan line
}

// line is one thing that a story says.
type line struct {
	ID    int
	Said  string
	Over  bool
	Error string
}

// patience is how long a story may take, which waits for many things: longer on a slow line.
var patience = map[bool]time.Duration{false: 4 * wait.Limit, true: 12 * wait.Limit}[os.Getenv("LINE") != ""]

// browse plays a story of web/test in a real browser, against the instance.
func browse(t *testing.T, app *testkit.App, story string, stage map[string]any) {
	t.Helper()
	theatre.once.Do(func() { theatre.err = openTheatre() })
	if theatre.err != nil {
		t.Fatal(theatre.err)
	}
	stage = maps.Clone(stage)
	stage["url"] = app.URL
	said := make(chan line, 1000)
	theatre.mu.Lock()
	theatre.stories = append(theatre.stories, said)
	err := json.NewEncoder(theatre.in).Encode(map[string]any{"id": len(theatre.stories) - 1, "story": story, "stage": stage})
	theatre.mu.Unlock()
	if err != nil {
		t.Fatalf("asking for %s: %v", story, err)
	}
	errorsSince := app.Log.Errors()
	enough := time.After(patience)
	for {
		select {
		case l := <-said:
			if l.Said != "" {
				t.Log(l.Said)
			}
			if l.Error != "" {
				t.Fatalf("%s: %s\nthe instance said meanwhile:\n%s", story, l.Error, errorsSince(""))
			}
			if l.Over {
				return
			}
		case <-theatre.gone:
			t.Fatalf("%s: the browser's process has ended: %s", story, &theatre.last)
		case <-enough:
			t.Fatalf("%s is not over after %v\nthe instance said meanwhile:\n%s", story, patience, errorsSince(""))
		}
	}
}

// openTheatre starts the process. What it leans on is installed first, by the
// project's own set-up.
func openTheatre() error {
	setUp := exec.Command("sh", "-c", "scripts/need node chromium && scripts/web deps")
	setUp.Dir = ".."
	if out, err := setUp.CombinedOutput(); err != nil {
		return fmt.Errorf("setting the browser up: %w\n%s", err, out)
	}
	node := exec.Command("node", "test/run.mjs")
	node.Stderr = &theatre.last
	node.Env = append(os.Environ(), fmt.Sprintf("PATIENCE=%d", wait.Limit.Milliseconds()))
	in, err := node.StdinPipe()
	if err != nil {
		return err
	}
	out, err := node.StdoutPipe()
	if err != nil {
		return err
	}
	if err := node.Start(); err != nil {
		return err
	}
	theatre.in, theatre.gone = in, make(chan struct{})
	go func() {
		defer close(theatre.gone)
		for lines := bufio.NewReader(out); ; {
			text, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var l line
			if json.Unmarshal(text, &l) != nil {
				continue
			}
			theatre.mu.Lock()
			said := theatre.stories[l.ID]
			theatre.mu.Unlock()
			select {
			case said <- l:
			default: // nobody listens any more
			}
		}
		if err := node.Wait(); err != nil {
			fmt.Fprintln(&theatre.last, err)
		}
	}()
	return nil
}
