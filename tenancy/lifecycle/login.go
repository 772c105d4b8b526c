package lifecycle

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// loginSettings are in force for every statement of a school, independent of the server's
// own are: nothing runs, waits or idles in a transaction for long. A school's tables are in memory or on an SSD, where any
// page costs what the next one does: with Postgres's own guess, of a disk, it reads all students for the twenty of a page.
var loginSettings = map[string]string{
	"search_path":                         tenancy.TemplateSchema,
	"statement_timeout":                   "30s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "30s",
	"random_page_cost":                    "1.1",
}

// loginState is a login role as the server has it.
type loginState struct {
	login    bool
	inherits bool
	settings map[string]string
}

// setupLogins makes the shards' login roles and sets their limits.
func setupLogins(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
	have, err := readLogins(ctx, n, conn)
	if err != nil {
		return fmt.Errorf("reading the login roles: %w", err)
	}
	for _, l := range n.Logins() {
		if err := setupLogin(ctx, n, conn, l, have[l.Name]); err != nil {
			return fmt.Errorf("login role %s: %w", l.Name, err)
		}
	}
	return nil
}

func readLogins(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) (map[string]*loginState, error) {
	rows, err := conn.Query(ctx, `select r.rolname, r.rolcanlogin, r.rolinherit, coalesce(s.setconfig, '{}')
		from pg_catalog.pg_roles r left join pg_catalog.pg_db_role_setting s on s.setrole = r.oid
			and s.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
		where r.rolname = any($1)`, loginNames(n))
	if err != nil {
		return nil, err
	}
	have := map[string]*loginState{}
	for rows.Next() {
		var name string
		var settings []string
		s := &loginState{settings: map[string]string{}}
		if err := rows.Scan(&name, &s.login, &s.inherits, &settings); err != nil {
			return nil, err
		}
		for _, setting := range settings {
			key, value, _ := strings.Cut(setting, "=")
			s.settings[key] = value
		}
		have[name] = s
	}
	return have, rows.Err()
}

// setupLogin makes one login what it should be, and sends nothing if it already is.
func setupLogin(ctx context.Context, n *tenancy.Node, conn *pgx.Conn, l tenancy.Login, have *loginState) error {
	var statements []string
	attributes := "login noinherit"
	if inherits(n) {
		attributes = "login inherit"
	}
	switch {
	case have == nil:
		statements = append(statements, fmt.Sprintf("create role %s %s password '%s'", tenancy.Ident(l.Name), attributes,
			scramVerifier(l.Password)))
	case !have.login || have.inherits != inherits(n):
		statements = append(statements, fmt.Sprintf("alter role %s %s", tenancy.Ident(l.Name), attributes))
	}
	if have == nil || !maps.Equal(have.settings, loginSettings) {
		database := pgx.Identifier{n.Database()}.Sanitize()
		for _, key := range slices.Sorted(maps.Keys(loginSettings)) {
			statements = append(statements, fmt.Sprintf("alter role %s in database %s set %s = '%s'", tenancy.Ident(l.Name), database, key,
				loginSettings[key]))
		}
	}
	if len(statements) == 0 {
		return nil
	}
	return conn.PgConn().Exec(ctx, strings.Join(statements, "; ")).Close()
}

// inherits reports whether logins have their schools' rights without taking on a
// school's role: only when statements do not run under it.
func inherits(n *tenancy.Node) bool { return !n.Options().RolePerSchool }

// checkFirstSecret returns tenancy.ErrSecret where no secret is recorded yet, there are schools, and the login of their
// node's first shard has a password that follows from another secret.
func checkFirstSecret(ctx context.Context, c *tenancy.Cluster) error {
	recorded, err := c.CheckSecret(ctx)
	if err != nil || recorded {
		return err
	}
	n, err := c.NodeUnchecked(ctx, tenancy.MainNode)
	if err != nil {
		return err
	}
	login := n.Logins()[0]
	var schools, made bool
	err = c.PlatformPool().QueryRow(ctx, `select exists (select from platform.school where node = $1)`, n.Name).Scan(&schools)
	if err == nil && schools {
		err = n.Admin().QueryRow(ctx, `select exists (select from pg_catalog.pg_roles where rolname = $1)`, login.Name).Scan(&made)
	}
	if err != nil {
		return fmt.Errorf("looking for login role %s: %w", login.Name, err)
	}
	if made && sqlstate.Of(signIn(ctx, n, login)) == sqlstate.InvalidPassword {
		return tenancy.ErrSecret
	}
	return nil
}

// checkLogins signs in as every shard, and sets the password of those whose password follows from an earlier secret:
// they were away when it was replaced.
func checkLogins(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
	logins := n.Logins()
	wrong := make([]bool, len(logins))
	var group errgroup.Group
	group.SetLimit(4)
	for i, l := range logins {
		group.Go(func() error {
			err := signIn(ctx, n, l)
			wrong[i] = sqlstate.Of(err) == sqlstate.InvalidPassword
			if err != nil && !wrong[i] {
				return fmt.Errorf("signing in as %s: %w", l.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, l := range logins {
		if !wrong[i] {
			continue
		}
		if _, err := conn.Exec(ctx, fmt.Sprintf("alter role %s password '%s'", tenancy.Ident(l.Name), scramVerifier(l.Password))); err != nil {
			return fmt.Errorf("changing the password of %s: %w", l.Name, err)
		}
		if err := signIn(ctx, n, l); err != nil {
			return fmt.Errorf("signing in as %s: %w", l.Name, err)
		}
	}
	return nil
}

func signIn(ctx context.Context, n *tenancy.Node, l tenancy.Login) error {
	config := n.Admin().Config().ConnConfig.Copy()
	config.User, config.Password = l.Name, l.Password
	config.OnPgError = nil              // which counts what the owner is refused
	config.ConnectTimeout = time.Minute // the server is there; a full machine must not keep an instance from starting
	delete(config.RuntimeParams, "search_path")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	advisory.Close(conn)
	return nil
}

// scramVerifier is a password as Postgres stores it (RFC 5803). Sent instead of the
// password itself, it keeps the password out of the server's statement log.
func scramVerifier(password string) string {
	const rounds = 4096 // Postgres's own
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		panic(err) // only for key lengths that are not these
	}
	sign := func(what string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(what))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(sign("Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", rounds, b64(salt), b64(stored[:]), b64(sign("Server Key")))
}
