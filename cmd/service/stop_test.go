package service_test

import (
	"context"
	"io"
	"log/slog"
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

// production is an instance as it runs in production, on the tests' servers.
type production struct {
	app   *testkit.App
	ops   string // address of its operations listener
	stop  func()
	ended chan error
}

func runInProduction(t *testing.T, delay time.Duration, rows ...api.Row) *production {
	t.Helper()
	c := testkit.Shared(t).Service.Config
	c.StopDelay = delay
	return produce(t, c, service.Options{ExtraRows: rows, Namespace: testkit.DatabaseName()})
}

// produce runs an instance with these settings as it runs in production.
func produce(t *testing.T, c config.Config, o service.Options) *production {
	t.Helper()
	o.NoFirstYear, o.NoQuietHours = true, true // it also goes on with schools that other tests have begun
	c.Profile, c.Bind, c.Port, c.OpsAddr = config.Production, "127.0.0.1", 0, freePort(t)
	log := &testkit.Log{}
	if o.Log == nil {
		o.Log = log.Logger(slog.LevelWarn)
	}
	s, err := service.New(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &production{ops: c.OpsAddr, ended: make(chan error, 1)}
	done := make(chan struct{})
	p.stop = func() { stop() }
	t.Cleanup(func() { stop(); <-done })
	address := make(chan string, 1)
	go func() {
		defer close(done)
		p.ended <- s.Run(ctx, func(a string) { address <- a })
	}()
	select {
	case url := <-address:
		p.app = &testkit.App{URL: url, Service: s, Log: log}
	case err := <-p.ended:
		t.Fatal(err)
	}
	testkit.Eventually(t, "the instance is ready", func() bool { status, _ := readiness(t, p.ops); return status == 200 })
	return p
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
	in := runInProduction(t, 0, api.Post("/school-admin/report/wait", "report", "Waits, then writes", waits))
	school := testkit.NewSchool(t)
	admin := school.As(t, api.SchoolAdmin).On(in.app)
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/dev/outbox"} {
		admin.Refuses(t, "GET", path, nil, 404, "") // in production these are not the public's
	}

	answered := make(chan testkit.Answer, 1)
	go func() {
		a, err := admin.TryCall("POST", "/school-admin/report/wait", nil)
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	<-entered
	in.stop()
	testkit.Eventually(t, "it says that it stops", func() bool {
		status, text := readiness(t, in.ops)
		return status == 503 && strings.Contains(text, "stopping")
	})
	testkit.Eventually(t, "nobody new is let in", func() bool {
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(in.app.URL, "http://"), time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(leave)
	if a := <-answered; a.Status != 200 {
		t.Errorf("what was under way: %d %s", a.Status, a.Body)
	}
	if err := <-in.ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	if n := school.Count(t, "class", "true"); n != 1 {
		t.Errorf("%d classes were written", n)
	}
}

func TestAnInstanceThatIsGivenTimeToStopIsUnreadyAndServesOn(t *testing.T) {
	t.Parallel()
	in := runInProduction(t, 20*time.Second) // the calls below are made meanwhile
	school, super := testkit.NewSchool(t), testkit.Shared(t).SuperAdmin(t)
	in.stop()
	testkit.Eventually(t, "it says that it stops", func() bool { status, _ := readiness(t, in.ops); return status == 503 })
	for path, token := range map[string]string{
		"/school-admin/class/list": school.As(t, api.SchoolAdmin).Token,
		// A feed has a word to say too, though it ends with it.
		"/super-admin/school/" + school.ID.String() + "/provisioning/stream": super.Token,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.app.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := (&http.Transport{}).RoundTrip(r) // on a connection of its own
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 || len(text) == 0 || err != nil || !answer.Close {
			t.Errorf("%s: %d %s %v, the connection ends: %t", path, answer.StatusCode, text, err, answer.Close)
		}
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

func TestAClientThatNeverFinishesItsRequestIsLetGo(t *testing.T) {
	t.Parallel()
	in := runInProduction(t, 0)
	var slow []net.Conn
	for _, address := range []string{strings.TrimPrefix(in.app.URL, "http://"), in.ops} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	for _, conn := range slow {
		_ = conn.SetReadDeadline(time.Now().Add(50 * time.Second)) // a body would be waited for a minute
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("it is still waited for, as if it had begun to send a body: %v", err)
		}
	}
}

func TestReadiness_WithoutRedisOrWithANewerSchema_IsReady(t *testing.T) {
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
	testkit.Eventually(t, "the parts that go on without Redis say so", func() bool {
		app.Nobody().Call(t, "GET", "/auth/me", nil) // is counted, as every call
		m := scrape(t, app.URL)
		return m[`homeroom_redis_unreachable{part="limits"}`] == 1 && m[`homeroom_redis_unreachable{part="outbox"}`] == 1 &&
			m[`homeroom_redis_errors_total{kind="absent"}`]+m[`homeroom_redis_errors_total{kind="late"}`] > 0
	})
	// A newer version has migrated: this one goes on until it is replaced, and says so.
	if _, err := app.Service.Cluster.PlatformPool().Exec(t.Context(),
		`insert into platform.migration (version, name) values (9999, '9999_later')`); err != nil {
		t.Fatal(err)
	}
	if a := app.Nobody().Call(t, "GET", "/readyz", nil); a.Status != 200 || !strings.Contains(string(a.Body), "9999") {
		t.Errorf("after a newer version's migration: %d %s", a.Status, a.Body)
	}
	if err := app.Service.Prepare(t.Context()); err == nil {
		t.Error("it would start on a database that is newer")
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
	// Its metrics are its own: what the platform's books would say is missing, and old numbers are not told.
	testkit.Eventually(t, "the platform is said not to be counted", func() bool {
		m := scrape(t, app.URL)
		_, told := m[`homeroom_moves{state="running"}`]
		return m["homeroom_platform_up"] == 0 && !told && m["go_goroutines"] > 0
	})
}
