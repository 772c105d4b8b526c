package tenancy

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
)

// login is a role's way into a server, or into the pooler before it, and whether it was refused: somebody has changed its
// password behind the service's back. Connections that are open go on for half an hour, so that it is noticed late.
type login struct {
	what    string // an operator is told while it is refused
	config  *pgx.ConnConfig
	refused atomic.Bool  // since it was last tried with success
	times   atomic.Int64 // it was refused since the start
}

// watchLogin has a login notice when it is refused: as a connection begins or, by a pooler whose own login at the server is
// refused, with a later statement.
func watchLogin(config *pgx.ConnConfig, what string) *login {
	l := &login{what: what, config: config}
	next := config.OnPgError
	config.OnPgError = func(conn *pgconn.PgConn, e *pgconn.PgError) bool {
		if isRefusedLogin(e) {
			l.refused.Store(true)
			l.times.Add(1)
		}
		return next == nil || next(conn, e)
	}
	return l
}

// isRefusedLogin reports whether a server refused a login, or a pooler says that its server did.
func isRefusedLogin(e *pgconn.PgError) bool {
	return e.Code == sqlstate.InvalidPassword || e.Code == sqlstate.InvalidAuthorization ||
		e.Code == sqlstate.ProtocolViolation && strings.Contains(e.Message, "authentication failed")
}

// try returns an error if the login was refused and is refused again. A server that does not answer refuses nobody.
func (l *login) try(ctx context.Context) error {
	if !l.refused.Load() {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err == nil {
		err = conn.Ping(ctx) // a pooler lets in whom its server may refuse
		advisory.Close(conn)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && isRefusedLogin(pg) {
		return errors.New(l.what)
	}
	l.refused.Store(false)
	return nil
}

// CheckLogins returns an error if the installation's secret is another, or if the platform's server or node main, or the pooler
// before it, refuses a login; and apart from it what the other nodes refuse, which concerns their schools alone. Logins that
// were refused once are tried again, so that it is over when the cause is.
func (c *Cluster) CheckLogins(ctx context.Context) (main, others error) {
	if _, err := c.CheckSecret(ctx); err != nil {
		return err, nil
	}
	servers, names := [][]*login{c.logins}, []string{MainNode}
	for _, n := range c.listed() {
		servers, names = append(servers, n.logins), append(names, n.Name)
	}
	errs := make([]error, len(servers))
	var group errgroup.Group
	for i, logins := range servers {
		group.Go(func() error {
			for _, l := range logins {
				if errs[i] = l.try(ctx); errs[i] != nil {
					return nil // one of a server's is enough to say
				}
			}
			return nil
		})
	}
	_ = group.Wait()
	for i, err := range errs {
		if names[i] == MainNode {
			main = errors.Join(main, err)
		} else {
			others = errors.Join(others, err)
		}
	}
	return main, others
}

// listed are the nodes that were opened and not struck off since.
func (c *Cluster) listed() (nodes []*Node) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, n := range c.nodes {
		if !n.struck.Load() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
