package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"homeroom/testkit"
)

// startServe runs `homeroom serve` and returns it with its addresses: the API's and the operators'.
func startServe(t *testing.T, env []string) (p *program, address, ops string) {
	t.Helper()
	operations := "127.0.0.1:" + freePort(t)
	p = start(t, append(env, "HOMEROOM_BIND=127.0.0.1", "PORT=0", "HOMEROOM_OPS_ADDR="+operations), "", "serve")
	address = p.until(t, "where it serves", &p.stderr, func(text string) string {
		_, after, _ := strings.Cut(text, `"msg":"serving","address":"`)
		address, _, complete := strings.Cut(after, `"`)
		if !complete {
			return ""
		}
		return address
	})
	return p, address, "http://" + operations
}

func TestHomeroomServeWithoutConfigurationNamesEachVariableAndItsCure(t *testing.T) {
	t.Parallel()
	said := refuses(t, environment(), "", "serve")
	for variable, cure := range map[string]string{
		"DATABASE_URL": "name the Postgres server", "REDIS_URL": "name the Redis server", "HOMEROOM_SECRET": "openssl rand -base64 48",
		"HOMEROOM_JWT_KEYS": `echo "k1:$(openssl rand -base64 48)"`, "HOMEROOM_PUBLIC_URL": "write it as https://",
	} {
		line := ""
		for l := range strings.Lines(said) {
			if strings.HasPrefix(l, variable+" ") {
				line = l
			}
		}
		if !strings.Contains(line, cure) {
			t.Errorf("%s: the cure %q is not in %q", variable, cure, line)
		}
	}
}

func TestHomeroomServeIsNotTalkedIntoTheLocalProfile(t *testing.T) {
	t.Parallel()
	for setting, cure := range map[string]string{
		"HOMEROOM_PROFILE=local": "leave it out", "HOMEROOM_DATA=/tmp/x": "take it out", "HOMEROOM_LOCAL_PASSWORD=x": "take it out",
	} {
		name, _, _ := strings.Cut(setting, "=")
		if said := refuses(t, environment(setting), "", "serve"); !strings.Contains(said, name) || !strings.Contains(said, cure) {
			t.Errorf("%s: it says %q", setting, said)
		}
	}
}

func TestHomeroomServeKeepsLocalThingsOutAndOperationsApart(t *testing.T) {
	t.Parallel()
	p, address, ops := startServe(t, production(t))
	wants(t, 400, "POST", address+"/auth/login", "", map[string]string{"email": "nobody@example.org", "password": "not-a-password"})
	for _, path := range []string{"/dev/outbox", "/healthz", "/readyz", "/metrics"} {
		wants(t, 404, "GET", address+path, "", nil)
	}
	wants(t, 200, "GET", address+"/api-docs", "", nil)
	wants(t, 200, "GET", ops+"/healthz", "", nil)
	wants(t, 200, "GET", ops+"/readyz", "", nil)
	if metrics := string(wants(t, 200, "GET", ops+"/metrics", "", nil)); !strings.Contains(metrics, `homeroom_http_requests_total{row="POST /auth/login",status="400"}`) {
		t.Error("the sign-in is not among the metrics")
	}
	wants(t, 404, "POST", ops+"/auth/login", "", nil)
	asks := environment("HOMEROOM_OPS_ADDR=" + strings.TrimPrefix(ops, "http://"))
	if said := mustRun(t, asks, "", "health"); !strings.Contains(said, "postgres: ok") || !strings.Contains(said, "redis: ok") {
		t.Errorf("homeroom health says %q", said)
	}
	if said := mustRun(t, asks, "", "health", "--alive"); !strings.Contains(said, "status: ok") {
		t.Errorf("homeroom health --alive says %q", said)
	}
	p.stop(t, syscall.SIGTERM)
	if said := refuses(t, asks, "", "health"); !strings.Contains(said, "no instance answers") {
		t.Errorf("when it is gone homeroom health says %q", said)
	}
}

func TestHomeroomServeAnswersWhatIsUnderWayBeforeItStops(t *testing.T) {
	t.Parallel()
	p, address, _ := startServe(t, production(t))
	host := strings.TrimPrefix(address, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	body := `{"email":"nobody@example.org","password":"not-a-password"}`
	_, err = fmt.Fprintf(conn,
		"POST /auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", host,
		len(body))
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the call is not under way: %q %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "no new work is taken", func() bool {
		c, err := net.Dial("tcp", host)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if _, err := fmt.Fprint(conn, body); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("the call under way was cut: %v", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 400 {
		t.Errorf("the call under way was answered %d", answer.StatusCode)
	}
	if code := p.exit(t); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
