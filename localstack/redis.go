//go:build unix

package localstack

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// redis is one Redis server, with a password as Postgres has one.
type redis struct {
	daemon
	password string
	durable  bool
	more     []string      // lines of its configuration
	tls      bool          // it makes itself certificates when it starts
	secured  *certificates // nil: it is reached without TLS
}

func newRedis(s *Stack, program string) *redis {
	r := redisIn(filepath.Join(s.dir, "redis"), s.account, program)
	r.say, r.durable, r.tls = s.options.Log, s.options.Durable, s.options.TLS
	return r
}

// redisIn is a server with its data in a folder, which says nothing.
func redisIn(folder string, a account, program string) *redis {
	r := &redis{}
	r.daemon = daemon{
		title: "Redis", folder: folder, account: a, say: func(string, ...any) {},
		program: program, answers: r.ping,
		args: func(port int) []string {
			return append([]string{filepath.Join(folder, "redis.conf")}, r.ports(port)...)
		},
		pidFile: filepath.Join(folder, "data", "redis.pid"),
		ending:  []syscall.Signal{syscall.SIGTERM},
	}
	return r
}

// configuration is a file because command lines, with the password in them, are everybody's to read.
func (r *redis) configuration() string {
	lines := []string{
		"bind 127.0.0.1",
		"protected-mode yes",
		"requirepass " + r.password,
		"daemonize no",
		"set-proc-title no", // the folder in the command line is how the server is found again
		fmt.Sprintf("dir %q", r.path("data")),
		fmt.Sprintf("pidfile %q", r.pidFile),
		`save ""`,
	}
	if r.durable {
		lines = append(lines, "appendonly yes", "appendfsync everysec")
	} else {
		lines = append(lines, "appendonly no")
	}
	return strings.Join(append(lines, r.more...), "\n") + "\n"
}

func (r *redis) start(ctx context.Context) error {
	if err := r.account.own(r.path("data")); err != nil {
		return err
	}
	var err error
	if r.password, err = r.secret(); err != nil {
		return err
	}
	if err := r.account.write(r.path("redis.conf"), r.configuration()); err != nil {
		return err
	}
	if r.tls {
		if r.secured, err = makeCertificates(r.account, r.folder); err != nil {
			return err
		}
	}
	return r.daemon.start(ctx)
}

// ports are what a server, or a Sentinel, listens on.
func (r *redis) ports(port int) []string {
	if c := r.secured; c != nil {
		return []string{"--port", "0", "--tls-port", fmt.Sprint(port), "--tls-cert-file", c.certificate, "--tls-key-file", c.key,
			"--tls-ca-cert-file", c.authority, "--tls-auth-clients", "no", "--tls-replication", "yes"}
	}
	return []string{"--port", fmt.Sprint(port)}
}

// ping asks for the data folder, which a stranger on the same port would not have. While Redis still loads its file it
// answers with an error.
func (r *redis) ping(ctx context.Context, port int) error {
	dialer := &net.Dialer{Timeout: 2 * time.Second}
	dial := dialer.DialContext
	if r.secured != nil {
		dial = (&tls.Dialer{NetDialer: dialer, Config: r.secured.client}).DialContext
	}
	conn, err := dial(ctx, "tcp4", address(port))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "AUTH %s\r\nPING\r\nCONFIG GET dir\r\n", r.password); err != nil {
		return err
	}
	lines := bufio.NewScanner(conn)
	for _, want := range []string{"+OK", "+PONG", "*2", "$3", "dir"} {
		if !lines.Scan() || lines.Text() != want {
			return fmt.Errorf("port %d: no Redis of ours: %q %w", port, lines.Text(), lines.Err())
		}
	}
	lines.Scan() // the length of what follows
	if !lines.Scan() {
		return fmt.Errorf("port %d: %w", port, lines.Err())
	}
	if want, err := filepath.EvalSymlinks(r.path("data")); err != nil || lines.Text() != want {
		return fmt.Errorf("port %d is another server's, of %s", port, lines.Text())
	}
	return nil
}

func (r *redis) url() string {
	u := redisURL(address(r.port), r.password)
	if r.secured != nil {
		u = strings.Replace(u, "redis:", "rediss:", 1)
	}
	return u
}

func redisURL(host, password string) string {
	return (&url.URL{Scheme: "redis", User: url.UserPassword("", password), Host: host, Path: "/0"}).String()
}
