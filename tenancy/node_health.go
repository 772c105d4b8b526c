package tenancy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/tenancy/internal/sqlstate"
)

// NodeHealth is how a node's server is just now, by its own account.
type NodeHealth struct {
	Reachable      bool
	Error          string // why not, without addresses and names
	Ping           time.Duration
	ServerVersion  string
	Connections    int
	MaxConnections int
	WALLevel       string // schools move away from a server with "logical"
	Slots          int    // replication slots in use
	MaxSlots       int
	Standbys       int
	Lag            *int64 // bytes the standby that is furthest behind has not replayed; nil: no standby, or not ours to see
}

// healthTimeout is how long a node may take to answer before it counts as away.
const healthTimeout = 2 * time.Second

// Health asks a node how it is. A node that does not answer is an answer.
func (c *Cluster) Health(ctx context.Context, name string) NodeHealth {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	var h NodeHealth
	n, err := c.Node(ctx, name)
	if err == nil {
		begun := time.Now()
		err = n.admin.QueryRow(ctx, `select current_setting('server_version'), current_setting('max_connections')::int,
			coalesce((select sum(numbackends) from pg_catalog.pg_stat_database), 0)::int,
			current_setting('wal_level'), current_setting('max_replication_slots')::int, (select count(*) from pg_catalog.pg_replication_slots),
			(select count(*) from pg_catalog.pg_stat_replication r where not exists (select from pg_catalog.pg_replication_slots s
			where s.active_pid = r.pid and s.slot_type = 'logical')),
			case when pg_catalog.pg_is_in_recovery() then null
			else (select max(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), r.replay_lsn))::bigint
				from pg_catalog.pg_stat_replication r where not exists (select from pg_catalog.pg_replication_slots s where s.active_pid = r.pid
				and s.slot_type = 'logical')) end`).
			Scan(&h.ServerVersion, &h.MaxConnections, &h.Connections, &h.WALLevel, &h.MaxSlots, &h.Slots, &h.Standbys, &h.Lag)
		h.Ping = time.Since(begun)
	}
	if err != nil {
		return NodeHealth{Error: Trouble(err)}
	}
	h.Reachable = true
	return h
}

// Trouble says in a few words what keeps a server from being used: nothing in it tells
// an address, a user or a password.
func Trouble(err error) string {
	var network net.Error
	var stranger StrangerError
	if errors.As(err, &stranger) {
		return stranger.Error()
	}
	switch sqlstate.Of(err) {
	case sqlstate.InvalidPassword, sqlstate.InvalidAuthorization:
		return "it refuses the user or the password"
	case sqlstate.InvalidCatalogName:
		return "it has no database of this name"
	case sqlstate.InsufficientPrivilege:
		return "the user lacks a right it needs: " + pgMessage(err)
	case sqlstate.TooManyConnections:
		return "it has no connection left"
	case sqlstate.CannotConnectNow:
		return "it is starting or stopping"
	case "":
		if errors.As(err, &network) && network.Timeout() || errors.Is(err, context.DeadlineExceeded) {
			return "it does not answer in time"
		}
		var connect *pgconn.ConnectError
		if errors.As(err, &connect) {
			return "it cannot be reached"
		}
		return "it does not answer"
	}
	return pgMessage(err)
}

func pgMessage(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Message
	}
	return ""
}

// Address is where the node is, without who signs in there and how: all addresses, if it is one of several servers.
func (n *Node) Address() string {
	hosts, ports := n.servers()
	for i, host := range hosts {
		hosts[i] = net.JoinHostPort(host, ports[i])
	}
	return strings.Join(hosts, ",") + "/" + n.database
}

// servers are the hosts and ports that the node's address names, of which one takes writes.
func (n *Node) servers() (hosts, ports []string) {
	c := n.admin.Config().ConnConfig
	add := func(host string, port uint16) {
		number := fmt.Sprint(port)
		for i := range hosts { // with and without TLS each is there twice
			if hosts[i] == host && ports[i] == number {
				return
			}
		}
		hosts, ports = append(hosts, host), append(ports, number)
	}
	add(c.Host, c.Port)
	for _, f := range c.Fallbacks {
		add(f.Host, f.Port)
	}
	return hosts, ports
}

// ConnInfo is how another server reaches this one, in libpq's notation. The owner's password is in it.
func (n *Node) ConnInfo() string {
	c := n.admin.Config().ConnConfig
	word := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	more := " sslmode=prefer" // libpq's own
	if u, err := url.Parse(n.url); err == nil {
		if mode := u.Query().Get("sslmode"); mode != "" {
			more = " sslmode=" + word(mode)
		}
		for _, name := range []string{"sslrootcert", "target_session_attrs"} {
			if value := u.Query().Get(name); value != "" {
				more += " " + name + "=" + word(value)
			}
		}
	}
	hosts, ports := n.servers()
	return fmt.Sprintf("host=%s port=%s user=%s password=%s dbname=%s%s connect_timeout=5 application_name=homeroom-move",
		word(strings.Join(hosts, ",")), strings.Join(ports, ","), word(c.User), word(c.Password), word(n.database), more)
}
