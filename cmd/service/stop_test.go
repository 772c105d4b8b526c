package service_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func TestAStoppingServiceFinishesWhatIsUnderWayAndSaysThatItStops(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	waits := func(c api.Ctx, _ api.Nothing) (api.Nothing, error) {
		close(entered)
		select {
		case <-leave:
			return writesClass(c, api.Nothing{})
		case <-c.Done():
			return api.Nothing{}, c.Err()
		}
	}
	home := testkit.Shared(t)
	c := home.Service.Config
	c.Profile, c.Bind, c.Port, c.OpsAddr = config.Production, "127.0.0.1", 0, freePort(t)
	s, err := service.New(context.Background(), c, service.Options{
		ExtraRows: []api.Row{api.Post("/school-admin/report/wait", "report", "Waits, then writes", waits)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(a string) { address <- a }) }()
	url := <-address

	school := home.NewSchool(t)
	admin := school.As(t, api.SchoolAdmin).On(&testkit.App{URL: url, Service: s})
	until(t, "the instance is ready", func() bool { status, _ := readiness(t, c.OpsAddr); return status == 200 })

	answered := make(chan testkit.Answer, 1)
	go func() {
		a, err := admin.TryCall("POST", "/school-admin/report/wait", nil)
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	<-entered
	stop()
	until(t, "it says that it stops", func() bool {
		status, text := readiness(t, c.OpsAddr)
		return status == 503 && strings.Contains(text, "stopping")
	})
	until(t, "nobody new is let in", func() bool {
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(leave)
	if a := <-answered; a.Status != 200 {
		t.Errorf("what was under way: %d %s", a.Status, a.Body)
	}
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	if n := school.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d classes were written", n)
	}
}

// readiness asks an instance's operations listener; an instance that is gone is 0.
func readiness(t *testing.T, address string) (int, string) {
	t.Helper()
	resp, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func TestHealthIsSaidAndAMissingRedisDoesNotMakeAnInstanceUnready(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	app := testkit.StartOn(t, stack, "homeroom")
	status := func(path string) int { return app.Nobody().Call(t, "GET", path, nil).Status }
	if status("/healthz") != 200 || status("/readyz") != 200 {
		t.Errorf("healthz %d, readyz %d", status("/healthz"), status("/readyz"))
	}
	if err := stack.StopRedis(context.Background()); err != nil {
		t.Fatal(err)
	}
	a := app.Nobody().Call(t, "GET", "/readyz", nil)
	if a.Status != 200 || strings.Contains(string(a.Body), `"redis":"ok"`) {
		t.Errorf("without Redis: %d %s", a.Status, a.Body)
	}
	if err := stack.KillPostgres("main"); err != nil {
		t.Fatal(err)
	}
	if a := app.Nobody().Call(t, "GET", "/readyz", nil); a.Status != 503 {
		t.Errorf("without Postgres: %d %s", a.Status, a.Body)
	}
	if status("/healthz") != 200 {
		t.Errorf("an instance without Postgres is alive: %d", status("/healthz"))
	}
}
