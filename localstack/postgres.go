//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// postgres is one Postgres server: superuser "homeroom", database "homeroom", its password in a file beside the data.
type postgres struct {
	daemon
	programs       postgresPrograms
	password       string
	durable        bool
	crashable      bool
	shared         bool
	frozen         bool // see FreezePostgres
	maxConnections int
	tls            bool
	secured        *certificates // once it was started with TLS
}

func newPostgres(s *Stack, name string, programs postgresPrograms) *postgres {
	folder := filepath.Join(s.dir, "postgres-"+name)
	p := &postgres{programs: programs, durable: s.options.Durable, crashable: s.options.Crashable, maxConnections: s.options.MaxConnections,
		shared: s.options.shared, tls: s.options.TLS}
	p.daemon = daemon{
		title: "Postgres " + name, folder: folder, account: s.account, say: s.options.Log,
		program: programs.postgres, args: p.settings, answers: p.ping,
		pidFile: filepath.Join(folder, "data", "postmaster.pid"),
		ending:  []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT}, // "fast", then "immediate"
	}
	return p
}

// settings are given on the command line, so that a newer program can change them without touching the data.
func (p *postgres) settings(port int) []string {
	set := []string{
		"listen_addresses=127.0.0.1",
		"unix_socket_directories=", // the path of a socket may have 107 bytes, which a deep folder exceeds
		"max_connections=" + strconv.Itoa(p.maxConnections),
		"max_locks_per_transaction=256", // a fleet of schemas means many tables in one transaction
		"wal_level=logical",             // a school moves between servers by logical replication
		"max_wal_senders=40",            // schools of several tests move at once
		"max_replication_slots=40",
		"max_worker_processes=40",
		"max_logical_replication_workers=30",
		"max_sync_workers_per_subscription=4",
		"wal_retrieve_retry_interval=500ms",
		"jit=off",
		"timezone=UTC",
		"log_timezone=UTC",
		"log_line_prefix=%m [%p] ",
	}
	if runtime.GOOS == "linux" {
		set = append(set, "recovery_init_sync_method=syncfs") // else a crash costs a sync of every file: some 500 a school
	}
	if p.durable {
		set = append(set, "shared_buffers=128MB", "fsync=on", "full_page_writes=on", "synchronous_commit=on")
	} else {
		set = append(set, "shared_buffers=256MB", "fsync=off", "full_page_writes=off", "max_wal_size=1GB")
		if p.crashable {
			set = append(set, "synchronous_commit=on") // with the kernel before it is said: a kill cannot undo it
		} else {
			set = append(set, "synchronous_commit=off")
		}
		if p.shared {
			set = append(set, "autovacuum_naptime=10min") // a pass looks at each table of each test binary's schools: 100,000 and more
		}
	}
	if c := p.secured; c != nil {
		set = append(set, "ssl=on", "ssl_cert_file="+c.certificate, "ssl_key_file="+c.key)
	}
	args := []string{"-D", p.path("data"), "-p", strconv.Itoa(port)}
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}

func (p *postgres) start(ctx context.Context) error {
	if err := os.MkdirAll(p.folder, p.account.outerMode()); err != nil {
		return err
	}
	var err error
	if p.password, err = p.secret(); err != nil {
		return err
	}
	if p.tls {
		if p.secured, err = makeCertificates(p.account, p.folder); err != nil {
			return err
		}
	}
	if err := p.create(); err != nil {
		return fmt.Errorf("%s: %w", p.title, err)
	}
	if err := p.disownStalePid(); err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if err := p.daemon.start(ctx); err != nil {
		return err
	}
	return p.ensureDatabase(ctx)
}

// create runs initdb in a folder beside the final one and renames it: a folder named "data" is always whole.
func (p *postgres) create() error {
	data := p.path("data")
	if _, err := os.Stat(data); err == nil {
		return nil
	}
	p.say("%s: making a new database with %s", p.title, p.programs)
	next, words := p.path("data.new"), p.path("password.initdb")
	if err := errors.Join(os.RemoveAll(next), p.account.own(next), p.account.write(words, p.password)); err != nil {
		return err
	}
	defer os.Remove(words)
	args := []string{"-D", next, "-U", "homeroom", "--pwfile=" + words, "--encoding=UTF8", "--no-instructions"}
	if p.durable {
		args = append(args, "--auth=scram-sha-256")
	} else {
		args = append(args, "--auth=md5", "--no-sync") // scram takes 11 ms of a -race client for each connection
	}
	said, err := p.account.output(p.programs.initdb, append(args, "--locale=C.UTF-8")...)
	if err != nil { // not every macOS knows that locale
		said, err = p.account.output(p.programs.initdb, append(args, "--locale=C")...)
	}
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	return os.Rename(next, data)
}

// disownStalePid mends what stops Postgres itself after a reboot: the pid in its file now belongs to another process of
// the same user. Only the number is replaced (by one that cannot exist), since Postgres needs the rest of the file to
// see whether old backends still hang on to the data.
func (p *postgres) disownStalePid() error {
	text, err := os.ReadFile(p.pidFile)
	if err != nil {
		return nil
	}
	pid := readPid(p.pidFile)
	if pid <= 0 || commandLine(pid) == "" || findProcess(p.pidFile, p.folder) != nil {
		return nil
	}
	p.say("%s: process %d has taken the number of the server that crashed here", p.title, pid)
	_, rest, _ := strings.Cut(string(text), "\n")
	next := p.path("postmaster.pid.new") // our own folder: see account.write
	if err := p.account.write(next, fmt.Sprintf("%d\n%s", 1<<30, rest)); err != nil {
		return err
	}
	return os.Rename(next, p.pidFile)
}

// ping succeeds only on this very server: it knows our password and works on our folder.
func (p *postgres) ping(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	at, err := p.query(ctx, p.address(port, "postgres"), "SHOW data_directory")
	if err != nil {
		return err
	}
	if want, err := filepath.EvalSymlinks(p.path("data")); err != nil || (at != want && at != p.path("data")) {
		return fmt.Errorf("port %d is another server's, of %s", port, at)
	}
	return nil
}

func (p *postgres) ensureDatabase(ctx context.Context) error {
	postgres := p.address(p.port, "postgres")
	there, err := p.query(ctx, postgres, "SELECT 1 FROM pg_database WHERE datname = 'homeroom'")
	if err == nil && there == "" {
		_, err = p.query(ctx, postgres, "CREATE DATABASE homeroom")
	}
	if err != nil {
		return fmt.Errorf("%s: make the database: %w", p.title, err)
	}
	return nil
}

// query returns the first value of the answer. It is a connection of its own each time: this package keeps none.
// run runs a program that comes with the server, as the server's user, and returns what it says.
func (p *postgres) run(program string, args ...string) (string, error) {
	said, err := p.account.output(filepath.Join(filepath.Dir(p.programs.initdb), program), args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", program, err, said)
	}
	return said, nil
}

// copyTo writes a base backup of the server into a folder; as is what the server calls who asks.
func (p *postgres) copyTo(folder, as string, args ...string) error {
	from, err := url.Parse(p.url("postgres"))
	if err != nil {
		return err
	}
	from.RawQuery = url.Values{"sslmode": {"disable"}, "application_name": {as}}.Encode()
	_, err = p.run("pg_basebackup", append([]string{"-D", folder, "-d", from.String(), "--checkpoint=fast"}, args...)...)
	return err
}

func (p *postgres) query(ctx context.Context, url, sql string) (string, error) {
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

func (p *postgres) url(database string) string { return p.address(p.port, database) }

func (p *postgres) address(port int, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword("homeroom", p.password), Host: address(port),
		Path: database, RawQuery: "sslmode=disable"}
	if p.secured != nil {
		u.RawQuery = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {p.secured.authority}}.Encode()
	}
	return u.String()
}
