package tenancy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// loginSettings are in force for every statement of a school, whatever the server's
// own are: nothing runs, waits or dawdles in a transaction for long.
var loginSettings = map[string]string{
	"search_path":                         TemplateSchema,
	"statement_timeout":                   "30s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "30s",
}

// loginState is a login role as the server has it.
type loginState struct {
	login    bool
	inherits bool
	settings map[string]string
}

// setupLogins makes the shards' login roles and sets their limits.
func (n *Node) setupLogins(ctx context.Context, conn *pgx.Conn) error {
	have, err := n.readLogins(ctx, conn)
	if err != nil {
		return fmt.Errorf("reading the login roles: %w", err)
	}
	for _, l := range n.Logins() {
		if err := n.setupLogin(ctx, conn, l, have[l.Name]); err != nil {
			return fmt.Errorf("login role %s: %w", l.Name, err)
		}
	}
	return nil
}

func (n *Node) readLogins(ctx context.Context, conn *pgx.Conn) (map[string]*loginState, error) {
	rows, err := conn.Query(ctx, `select r.rolname, r.rolcanlogin, r.rolinherit, coalesce(s.setconfig, '{}')
		from pg_catalog.pg_roles r left join pg_catalog.pg_db_role_setting s on s.setrole = r.oid
			and s.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
		where r.rolname = any($1)`, n.loginNames())
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

// setupLogin makes one login what it should be, and says nothing to the server if
// it already is.
func (n *Node) setupLogin(ctx context.Context, conn *pgx.Conn, l Login, have *loginState) error {
	var statements []string
	attributes := "login noinherit"
	if n.inherits() {
		attributes = "login inherit"
	}
	switch {
	case have == nil:
		statements = append(statements, fmt.Sprintf("create role %s %s password '%s'", Ident(l.Name), attributes, scramVerifier(l.Password)))
	case !have.login || have.inherits != n.inherits():
		statements = append(statements, fmt.Sprintf("alter role %s %s", Ident(l.Name), attributes))
	}
	if have == nil || !maps.Equal(have.settings, loginSettings) {
		database := pgx.Identifier{n.database}.Sanitize()
		for _, key := range slices.Sorted(maps.Keys(loginSettings)) {
			statements = append(statements, fmt.Sprintf("alter role %s in database %s set %s = '%s'", Ident(l.Name), database, key, loginSettings[key]))
		}
	}
	if len(statements) == 0 {
		return nil
	}
	return conn.PgConn().Exec(ctx, strings.Join(statements, "; ")).Close()
}

// inherits says whether logins have their schools' rights without taking on a
// school's role: only when statements do not run under it.
func (n *Node) inherits() bool { return !n.options.RolePerSchool }

// checkLogins signs in as every shard, and gives those whose password was derived
// from another secret the present one.
func (n *Node) checkLogins(ctx context.Context, conn *pgx.Conn) error {
	logins := n.Logins()
	wrong := make([]bool, len(logins))
	var group errgroup.Group
	group.SetLimit(4)
	for i, l := range logins {
		group.Go(func() error {
			err := n.signIn(ctx, l)
			wrong[i] = pgCode(err) == wrongPassword
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
		if _, err := conn.Exec(ctx, fmt.Sprintf("alter role %s password '%s'", Ident(l.Name), scramVerifier(l.Password))); err != nil {
			return fmt.Errorf("changing the password of %s: %w", l.Name, err)
		}
		if err := n.signIn(ctx, l); err != nil {
			return fmt.Errorf("signing in as %s: %w", l.Name, err)
		}
	}
	return nil
}

func (n *Node) signIn(ctx context.Context, l Login) error {
	config := n.admin.Config().ConnConfig.Copy()
	config.User, config.Password = l.Name, l.Password
	config.ConnectTimeout = time.Minute // the server is there; a full machine must not keep an instance from starting
	delete(config.RuntimeParams, "search_path")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	closeConn(conn)
	return nil
}
