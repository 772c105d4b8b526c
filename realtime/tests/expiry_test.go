package realtime_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/realtime"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

const clientsFolder = "../socketio/testdata/clients"

// published is a published Socket.IO client whose token ends; see expiry.js.
type published struct {
	lines chan publishedLine
	give  func(token string)
}

type publishedLine struct {
	What   string
	Reason string
	Data   struct {
		StatusCode int
		Error      string
		Message    string
		realtime.TokenExpiring
	}
}

func openPublished(t *testing.T, app *testkit.App, version, transport, token string) *published {
	t.Helper()
	if _, err := os.Stat(filepath.Join(clientsFolder, "node_modules")); err != nil {
		t.Fatal("the clients are not installed: `make test` does it, or scripts/packages realtime/socketio/testdata/clients")
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Limit)
	cmd := exec.CommandContext(ctx, "node", "expiry.js", version, transport, app.URL, token)
	cmd.Dir, cmd.Stderr = clientsFolder, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it hangs up and ends
		_ = cmd.Wait()
		cancel()
	})
	p := &published{lines: make(chan publishedLine, 1000), give: func(token string) { _, _ = fmt.Fprintln(in, token) }}
	go func() {
		defer close(p.lines)
		for said := bufio.NewScanner(out); said.Scan(); {
			var line publishedLine
			if json.Unmarshal(said.Bytes(), &line) == nil {
				p.lines <- line
			}
		}
	}()
	return p
}

// next waits for a line, which must be of that kind.
func (p *published) next(t *testing.T, what string) publishedLine {
	t.Helper()
	line := wait.Receive(t, what, p.lines)
	if line.What != what {
		t.Fatalf("the client says %+v, want %s", line, what)
	}
	return line
}

func TestTokenEnd_PublishedClients_ComeBackAndAreTold401(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	s := app.NewSchool(t)
	type client struct {
		*published
		name string
		user *testkit.Client
	}
	var clients []client
	for _, version := range []string{"2", "3", "4"} {
		for _, transport := range []string{"polling", "websocket", "upgrade"} {
			user := s.As(t, api.SchoolAdmin)
			clients = append(clients, client{openPublished(t, app, version, transport, user.Token), version + "/" + transport, user})
		}
	}
	ends := clock.Now().Add(15 * time.Minute).Truncate(time.Second)
	for _, c := range clients {
		c.next(t, "connected")
	}
	clock.Pass(14*time.Minute + 10*time.Second)
	for _, c := range clients {
		if line := c.next(t, "expiring"); line.Data.ExpiresAt.Sub(ends).Abs() > time.Second {
			t.Errorf("%s: warned of %v, the token ends %v", c.name, line.Data.ExpiresAt, ends)
		}
	}
	clock.Pass(time.Minute)
	for _, c := range clients {
		if line := c.next(t, "gone"); line.Reason == "io server disconnect" {
			t.Errorf("%s: was told to stay away", c.name)
		}
		line := c.next(t, "refused") // it came back by itself
		if line.Data.StatusCode != 401 || line.Data.Error != "Unauthorized" || line.Data.Message == "" {
			t.Errorf("%s: refused with %+v", c.name, line.Data)
		}
	}
	for _, c := range clients {
		c.give(app.Sign(t, s, c.user, api.SchoolAdmin))
		for wait.Receive(t, c.name+" is let in again", c.lines).What != "connected" { // a 3.x client tries again and again
		}
	}
}

func TestTokenEnd_IsWarnedOfOnceAndNotAfterARenewal(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	l := newLine(t, app)
	kept, dropped := dial(t, app, l.admin), dial(t, app, l.admin)
	clock.Pass(14*time.Minute + 10*time.Second)
	expiring := func(c *ioclient.Client) realtime.TokenExpiring {
		t.Helper()
		e := wait.Receive(t, "a warning", c.Events)
		var said realtime.TokenExpiring
		if err := json.Unmarshal(e.Data, &said); err != nil || e.Name != "token-expiring" {
			t.Fatalf("heard %s %s", e.Name, e.Data)
		}
		return said
	}
	first := expiring(kept)
	expiring(dropped)
	must(t, kept, "renew", map[string]any{"token": app.Sign(t, l.School, l.admin, api.SchoolAdmin)})
	clock.Pass(time.Minute)
	cutOff(t, dropped, ioclient.ErrDropped)
	if n := len(dropped.Events); n != 0 {
		t.Errorf("%d more events before the end", n)
	}
	if _, err := ioclient.Dial(t.Context(), app.URL, l.admin.Token); !errors.Is(err, ioclient.ErrRefused) ||
		!strings.Contains(err.Error(), `"statusCode":401`) {
		t.Errorf("coming back with the old token: %v", err)
	}
	clock.Pass(13*time.Minute + 30*time.Second)
	if next := expiring(kept); next.ExpiresAt.Sub(first.ExpiresAt) != 14*time.Minute+10*time.Second {
		t.Errorf("warned of %v and then of %v", first.ExpiresAt, next.ExpiresAt)
	}
}

// Tokens end every quarter of an hour, and a whole town may share an address.
func TestTokenEnd_OfMany_ShutsNobodyOut(t *testing.T) {
	t.Parallel()
	clock := wait.NewClock()
	app := testkit.Start(t, func(_ *config.Config, o *service.Options) { o.Clock = clock.Now })
	l := newLine(t, app)
	old := l.parent.Token
	clock.Pass(16 * time.Minute)
	for range 100 {
		if _, err := ioclient.Dial(t.Context(), app.URL, old); err == nil || !strings.Contains(err.Error(), `"statusCode":401`) {
			t.Fatalf("an expired token: %v", err)
		}
	}
	l.parent.Token = app.Sign(t, l.School, l.parent, api.Parent)
	dial(t, app, l.parent)
}
