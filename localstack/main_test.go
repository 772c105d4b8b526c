//go:build unix

package localstack_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"homeroom/localstack"
	"homeroom/testkit/wait"

	"github.com/jackc/pgx/v5"
)

// Some tests need a second process to kill. It is this test binary, started once more with a role to play.
const roleEnv = "LOCALSTACK_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		playRole(role, os.Getenv("LOCALSTACK_TEST_DIR"))
	}
	os.Exit(m.Run())
}

// playRole starts the servers, tells their addresses, and waits to be killed or for its input to be closed.
func playRole(role, dir string) {
	var s *localstack.Stack
	var err error
	switch role {
	case "durable":
		s, err = localstack.Start(context.Background(), everything(dir))
	case "private":
		o := everything(dir)
		o.Durable = false
		s, err = localstack.Start(context.Background(), o)
	case "shared":
		s, err = localstack.Shared(context.Background(),
			localstack.Options{Dir: dir, Postgres: []string{"main"}, Redis: true, Grace: 15 * time.Second})
	case "shared, Redis only": // where it does not matter which server: Postgres takes a second to make
		s, err = localstack.Shared(context.Background(), localstack.Options{Dir: dir, Redis: true, Grace: 100 * time.Millisecond})
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	postgres := "none"
	if role != "shared, Redis only" {
		postgres = s.PostgresURL("main")
	}
	fmt.Println(postgres, s.RedisURL())
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

func everything(dir string) localstack.Options {
	return localstack.Options{Dir: dir, Postgres: []string{"main"}, Redis: true, Durable: true}
}

// child is a process in a role, with the addresses of the servers it started.
type child struct {
	postgres, redis string
	kill, leave     func()
}

func startChild(t *testing.T, role, dir string) child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "LOCALSTACK_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	urls := strings.Fields(line)
	if len(urls) != 2 {
		t.Fatalf("the child says: %s", line)
	}
	return child{urls[0], urls[1],
		func() { _ = cmd.Process.Kill(); _ = cmd.Wait() },
		func() { _ = in.Close(); _ = cmd.Wait() }}
}

// start runs a private stack for one test.
func start(t *testing.T, o localstack.Options) *localstack.Stack {
	t.Helper()
	o.Log = t.Logf
	s, err := localstack.Start(t.Context(), o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop()) })
	return s
}

// durableDir is a folder which the servers' user can reach even if we are root, and which is removed in the end.
func durableDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "localstack-test-")
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// ask runs one statement on a connection of its own and returns the first value as text.
func ask(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	must(t, err)
	defer conn.Close(context.Background())
	var answer string
	if err := conn.QueryRow(context.Background(), sql).Scan(&answer); err != nil && err != pgx.ErrNoRows {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

// redisDo sends one command and returns the first line of the answer.
func redisDo(address, command string) (string, error) {
	return redisWithin(wait.Limit, address, command)
}

func redisWithin(limit time.Duration, address, command string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	conn, err := net.DialTimeout("tcp", u.Host, limit)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(limit))
	password, _ := u.User.Password()
	for _, c := range []string{"AUTH " + password, command} {
		words := strings.Fields(c)
		fmt.Fprintf(conn, "*%d\r\n", len(words))
		for _, w := range words {
			fmt.Fprintf(conn, "$%d\r\n%s\r\n", len(w), w)
		}
	}
	lines := bufio.NewReader(conn)
	if line, err := lines.ReadString('\n'); err != nil || line != "+OK\r\n" {
		return line, err
	}
	line, err := lines.ReadString('\n')
	if strings.HasPrefix(line, "$") && line != "$-1\r\n" { // a string after its length
		line, err = lines.ReadString('\n')
	}
	return strings.TrimSpace(line), err
}

func listens(address string) bool {
	u, _ := url.Parse(address)
	conn, err := net.DialTimeout("tcp", u.Host, wait.Limit)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
