//go:build unix

package localstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const bouncerLock = "pgbouncer.lock"

// PgBouncerOptions describe a pooler in front of one Postgres server.
type PgBouncerOptions struct {
	Dir         string
	PostgresURL string            // where it leads; its user and password are let in too
	Users       map[string]string // further users and their passwords
	PoolSize    int               // connections to Postgres for each user; 20 unless said
	TLS         bool              // it is reached by TLS alone, and reaches Postgres by TLS too
}

// PgBouncer is a running pooler in transaction mode: each transaction of a client may be on another connection.
type PgBouncer struct {
	daemon
	target *url.URL
	users  map[string]string
	size   int
	lock   *lock

	tls     bool
	secured *certificates // once it was started with TLS
}

// StartPgBouncer runs the real program, for tests. It ends with the process that started it.
func StartPgBouncer(ctx context.Context, o PgBouncerOptions) (*PgBouncer, error) {
	target, err := url.Parse(o.PostgresURL)
	if err != nil {
		return nil, fmt.Errorf("PgBouncerOptions.PostgresURL: %w", err)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	a, err := serverAccount(o.Dir)
	if err != nil {
		return nil, err
	}
	program := lookIn("pgbouncer", sbinFolders)
	if program == "" {
		return nil, &MissingError{[]string{"PgBouncer"}, []string{"pgbouncer on PATH and in " + strings.Join(sbinFolders, ", ") + ": nothing"}}
	}
	dir, err := a.folder(o.Dir)
	if err != nil {
		return nil, err
	}
	b := &PgBouncer{target: target, users: map[string]string{}, size: o.PoolSize, tls: o.TLS}
	if b.size == 0 {
		b.size = 20
	}
	for user, password := range o.Users {
		b.users[user] = password
	}
	if password, ok := target.User.Password(); ok {
		b.users[target.User.Username()] = password
	}
	folder := filepath.Join(dir, "pgbouncer")
	b.daemon = daemon{
		title: "PgBouncer", folder: folder, account: a, say: func(string, ...any) {}, program: program, answers: b.ping,
		args:    func(int) []string { return []string{filepath.Join(folder, "pgbouncer.ini")} },
		pidFile: filepath.Join(folder, "data", "pgbouncer.pid"),
		ending:  []syscall.Signal{syscall.SIGTERM},
	}
	return b, b.start(ctx)
}

func (b *PgBouncer) start(ctx context.Context) error {
	if err := b.account.own(b.path("data")); err != nil {
		return err
	}
	var err error
	if b.lock, err = openLock(filepath.Join(filepath.Dir(b.folder), bouncerLock)); err != nil {
		return err
	}
	if free, err := b.lock.try(syscall.LOCK_EX); err != nil || !free {
		return errors.Join(err, fmt.Errorf("%s: %w", b.folder, ErrInUse))
	}
	if err := startReaper(filepath.Dir(b.folder), bouncerLock, 0); err != nil {
		return err
	}
	if b.tls {
		if b.secured, err = makeCertificates(b.account, b.folder); err != nil {
			return err
		}
	}
	// The port is in the configuration file, so that it is chosen here and not by launch.
	if b.port, err = freePort(); err != nil {
		return err
	}
	if err := errors.Join(
		b.account.write(b.path("port"), fmt.Sprintln(b.port)),
		b.account.write(b.path("users.txt"), b.userList()),
		b.account.write(b.path("pgbouncer.ini"), b.configuration()),
	); err != nil {
		return err
	}
	return b.launch(ctx, true)
}

// configuration is as bare as a school's operator would write it: what PgBouncer refuses here, it refuses there.
func (b *PgBouncer) configuration() string {
	return fmt.Sprintf(`[databases]
* = host=%s port=%s

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
pool_mode = transaction
auth_type = md5
auth_file = %s
pidfile = %s
default_pool_size = %d
max_client_conn = 2000
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
%s`, b.target.Hostname(), b.target.Port(), b.port, b.path("users.txt"), b.pidFile, b.size, b.security())
}

// security is the part of the configuration that is about TLS.
func (b *PgBouncer) security() string {
	if b.secured == nil {
		return ""
	}
	return fmt.Sprintf(`client_tls_sslmode = require
client_tls_cert_file = %s
client_tls_key_file = %s
server_tls_sslmode = verify-full
server_tls_ca_file = %s
`, b.secured.certificate, b.secured.key, b.target.Query().Get("sslrootcert"))
}

func (b *PgBouncer) userList() string {
	var lines strings.Builder
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for user, password := range b.users {
		fmt.Fprintln(&lines, quote(user), quote(password))
	}
	return lines.String()
}

// ping goes all the way through to Postgres.
func (b *PgBouncer) ping(ctx context.Context, _ int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, b.URLAs(b.target.User.Username()))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// LeadTo has the pooler lead to another server, as a failover manager does: the file is written anew and
// read again.
func (b *PgBouncer) LeadTo(postgresURL string) error {
	target, err := url.Parse(postgresURL)
	if err != nil {
		return err
	}
	b.target = target
	if err := b.account.write(b.path("pgbouncer.ini"), b.configuration()); err != nil {
		return err
	}
	return b.process.signal(syscall.SIGHUP)
}

// URL is the pooler's address without a user: the caller supplies one.
func (b *PgBouncer) URL() string {
	u := *b.target
	u.User, u.Host, u.RawQuery = nil, address(b.port), b.query()
	return u.String()
}

// URLAs is the pooler's address for one of the users it knows.
func (b *PgBouncer) URLAs(user string) string {
	u := *b.target
	u.User, u.Host, u.RawQuery = url.UserPassword(user, b.users[user]), address(b.port), b.query()
	return u.String()
}

// query is how the pooler's address says what a client has to prove.
func (b *PgBouncer) query() string {
	if b.secured == nil {
		return b.target.RawQuery
	}
	return url.Values{"sslmode": {"verify-full"}, "sslrootcert": {b.secured.authority}}.Encode()
}

// Stop ends the pooler and removes its folder.
func (b *PgBouncer) Stop() error {
	if b.lock == nil {
		return nil
	}
	defer b.lock.release()
	return errors.Join(b.stop(), os.RemoveAll(b.folder), removeFolder(filepath.Dir(b.folder), bouncerLock))
}
