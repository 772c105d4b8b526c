package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// ErrNoNode says that a school cannot be placed on the node asked for.
var ErrNoNode = errors.New("tenancy: no active node of this name")

// CheckActive returns ErrNoNode unless the node exists and takes schools.
func CheckActive(ctx context.Context, platform interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, node string,
) error {
	var active bool
	err := platform.QueryRow(ctx, `select state = 'ACTIVE' from platform.node where name = $1`, node).Scan(&active)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && !active) {
		return ErrNoNode
	}
	if err != nil {
		return fmt.Errorf("looking for node %s: %w", node, err)
	}
	return nil
}

// chooseNode is the node that was asked for, or the one with the least on it.
func chooseNode(ctx context.Context, c *tenancy.Cluster, platform advisory.Conn, name string) (*tenancy.Node, error) {
	if name == "" {
		var err error
		if name, err = EmptiestNode(ctx, c, platform); err != nil {
			return nil, err
		}
	}
	return c.Node(ctx, name)
}

// EmptiestNode is the active node that answers with the least on it: its share of all
// schools and its share of all bytes, added up.
func EmptiestNode(ctx context.Context, c *tenancy.Cluster, platform advisory.Conn) (string, error) {
	rows, err := platform.Query(ctx, `with load as (select n.name, n.created_at, n.size_bytes as bytes,
			(select count(*) from platform.school s where s.node = n.name and s.status <> 'ARCHIVED')
				+ (select count(*) from platform.school_move m where m.target = n.name and m.state = 'RUNNING') as schools
			from platform.node n where n.state = 'ACTIVE')
		select name from load order by schools / greatest(sum(schools) over (), 1) + bytes / greatest(sum(bytes) over (), 1), created_at, name`)
	if err != nil {
		return "", fmt.Errorf("choosing a node: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("choosing a node: %w", err)
	}
	if len(names) == 1 {
		return names[0], nil
	}
	var down error
	for _, name := range names {
		if down = ping(ctx, c, name); down == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("choosing a node: none is active and answers: %w", errors.Join(ErrNoNode, down))
}

func ping(ctx context.Context, c *tenancy.Cluster, node string) error {
	n, err := c.Node(ctx, node)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return n.Admin().Ping(ctx)
}

// EmptiestShard is the shard of a node with the fewest schools: a login that is a
// member of many roles is slow to take one on.
func EmptiestShard(ctx context.Context, tx pgx.Tx, n *tenancy.Node) (shard int, err error) {
	err = tx.QueryRow(ctx, `select i from generate_series(0, $2::int - 1) i
		left join (select shard % $2::int as shard, count(*) as schools from
				(select shard from platform.school where node = $1 and shard is not null
				 union all select shard from platform.spare_schema where node = $1) taken
			group by 1) t on t.shard = i
		order by coalesce(t.schools, 0), random() limit 1`, n.Name, n.Options().Shards).Scan(&shard)
	return shard, err
}

// Measure records how much every node holds: EmptiestNode goes by it. A node that
// does not answer keeps its last figure.
func Measure(ctx context.Context, c *tenancy.Cluster) error {
	names, err := c.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	var first error
	for _, name := range names {
		if err := measure(ctx, c, name); err != nil && first == nil {
			first = fmt.Errorf("measuring node %s: %w", name, err)
		}
	}
	return first
}

func measure(ctx context.Context, c *tenancy.Cluster, name string) error {
	n, err := c.Node(ctx, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var size int64
	if err := n.Admin().QueryRow(ctx, `select pg_catalog.pg_database_size(current_database())`).Scan(&size); err != nil {
		return err
	}
	_, err = c.PlatformPool().Exec(ctx, `update platform.node set size_bytes = $2, measured_at = now() where name = $1`, name, size)
	return err
}
