package move

import (
	"context"
	"fmt"
	"homeroom/tenancy"
	"time"
)

// at adds to an error the node on which it happened.
func at(n *tenancy.Node, err error) error {
	if err == nil {
		return nil
	}
	return nodeError{n.Name, err}
}

type nodeError struct {
	node string
	err  error
}

func (t nodeError) Error() string { return fmt.Sprintf("node %s: %v", t.node, t.err) }
func (t nodeError) Unwrap() error { return t.err }

// checkServers checks that the school can go from one server to the other, so that an
// operator hears what to change there before anything is begun.
func (m *Mover) checkServers(ctx context.Context, s *tenancy.School, target string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	from, err := m.cluster.Node(ctx, s.Node)
	if err != nil {
		return err
	}
	to, err := m.cluster.Node(ctx, target)
	if err != nil {
		return err
	}
	if err := canPublish(ctx, from); err != nil {
		return at(from, err)
	}
	return at(to, canSubscribe(ctx, to))
}

// canPublish returns what keeps a school from being copied from here.
func canPublish(ctx context.Context, n *tenancy.Node) error {
	var level string
	var version, slots, most int
	var may bool
	err := n.Admin().QueryRow(ctx, `select current_setting('wal_level'), current_setting('server_version_num')::int / 10000,
		(select count(*) from pg_catalog.pg_replication_slots), current_setting('max_replication_slots')::int,
		(select rolsuper or rolreplication from pg_catalog.pg_roles where rolname = current_user)`).Scan(&level, &version, &slots, &most, &may)
	if err != nil {
		return err
	}
	switch {
	case level != "logical":
		return RefusedError{fmt.Sprintf("node %s has wal_level = %s: set wal_level = logical there and restart it", n.Name, level)}
	case version < 15:
		return RefusedError{fmt.Sprintf("node %s has Postgres %d: 15 or newer is needed", n.Name, version)}
	case slots >= most:
		return RefusedError{fmt.Sprintf("node %s uses all its %d replication slots: raise max_replication_slots, or drop those nobody needs",
			n.Name, most)}
	case !may:
		return RefusedError{fmt.Sprintf("the user of node %s may not replicate: ALTER ROLE … REPLICATION there", n.Name)}
	}
	return nil
}

// canSubscribe returns what keeps a school from being copied to here.
func canSubscribe(ctx context.Context, n *tenancy.Node) error {
	var version int
	var super, standby bool
	err := n.Admin().QueryRow(ctx, `select current_setting('server_version_num')::int / 10000, pg_catalog.pg_is_in_recovery(),
		(select rolsuper from pg_catalog.pg_roles where rolname = current_user)`).Scan(&version, &standby, &super)
	if err != nil {
		return err
	}
	may := super
	if !super && version >= 16 {
		if err := n.Admin().QueryRow(ctx,
			`select pg_catalog.pg_has_role(current_user, 'pg_create_subscription', 'member')`).Scan(&may); err != nil {
			return err
		}
	}
	switch {
	case version < 15:
		return RefusedError{fmt.Sprintf("node %s has Postgres %d: 15 or newer is needed", n.Name, version)}
	case standby:
		return RefusedError{fmt.Sprintf("node %s is a standby", n.Name)}
	case !may && version < 16:
		return RefusedError{fmt.Sprintf("the user of node %s may not subscribe: Postgres 15 wants a superuser for it, at least while schools "+
			"are moved there", n.Name)}
	case !may:
		return RefusedError{fmt.Sprintf("the user of node %s may not subscribe: GRANT pg_create_subscription to it there", n.Name)}
	}
	return nil
}
