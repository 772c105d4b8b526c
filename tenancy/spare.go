package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// spareTooOld is when a spare that never became ready is taken for abandoned.
const spareTooOld = 5 * time.Minute

// claimSpare takes a spare of the node out of the store, in the transaction that
// gives it to a school. A spare is claimed in the directory only: nothing is renamed
// on its node. pgx.ErrNoRows: there is none.
func (c *Cluster) claimSpare(ctx context.Context, tx pgx.Tx, node string) (schema string, shard, version int, err error) {
	err = tx.QueryRow(ctx, `delete from platform.spare_schema where schema_name =
			(select schema_name from platform.spare_schema where node = $1 and ready and schema_version <= $2
			 order by schema_version desc, created_at limit 1 for update skip locked)
		returning schema_name, shard, schema_version`, node, c.SchoolVersion()).Scan(&schema, &shard, &version)
	return schema, shard, version, err
}

// KeepSpares makes spare schemas until every active node has Options.Spares of them,
// and clears away those that were never finished. It stops while a school waits to
// be provisioned, and returns at once where another instance is at it already.
// It says how many it made.
func (c *Cluster) KeepSpares(ctx context.Context) (made int, err error) {
	lock, free, err := tryLock(ctx, c.platform, "spares")
	if err != nil || !free {
		return 0, err
	}
	defer lock.release()
	rows, err := lock.Query(ctx, `select name from platform.node where state = 'ACTIVE' order by created_at, name`)
	if err != nil {
		return 0, fmt.Errorf("listing nodes: %w", err)
	}
	nodes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("listing nodes: %w", err)
	}
	for _, name := range nodes {
		// A node that is down must not keep the others from having spares.
		n, nodeErr := c.keepSparesOn(ctx, lock, name)
		if nodeErr != nil {
			err = errors.Join(err, fmt.Errorf("spares of node %s: %w", name, nodeErr))
		}
		made += n
	}
	return made, err
}

func (c *Cluster) keepSparesOn(ctx context.Context, platform held, node string) (made int, err error) {
	n, err := c.Node(ctx, node)
	if err != nil {
		return 0, err
	}
	if err := c.sweepSpares(ctx, platform, n); err != nil {
		return 0, err
	}
	for {
		var have int
		var waiting bool
		err := platform.QueryRow(ctx, `select (select count(*) from platform.spare_schema where node = $1 and ready),
			exists (select from platform.school where status = 'PROVISIONING')`, node).Scan(&have, &waiting)
		if err != nil {
			return made, fmt.Errorf("counting: %w", err)
		}
		if waiting || have >= c.options.Spares {
			return made, nil
		}
		if err := c.makeSpare(ctx, platform, n); err != nil {
			return made, err
		}
		made++
	}
}

// makeSpare writes the spare down before it makes it, so that one whose maker died
// can be found and removed.
func (c *Cluster) makeSpare(ctx context.Context, platform held, n *Node) error {
	t, err := c.recordSpare(ctx, platform, n)
	if err != nil {
		return err
	}
	version, err := n.makeOrMigrate(ctx, t)
	if err != nil {
		return err
	}
	_, err = platform.Exec(ctx, `update platform.spare_schema set ready = true, schema_version = $2 where schema_name = $1`, t.schema, version)
	if err != nil {
		return fmt.Errorf("recording a new one: %w", err)
	}
	return nil
}

// recordSpare writes down that a schema is being made.
func (c *Cluster) recordSpare(ctx context.Context, platform held, n *Node) (target, error) {
	t := target{node: n.Name, schema: newSchemaName()}
	err := pgx.BeginFunc(ctx, platform, func(tx pgx.Tx) (err error) {
		if t.shard, err = emptiestShard(ctx, tx, n); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into platform.spare_schema (schema_name, node, shard, schema_version) values ($1, $2, $3, 0)`, t.schema, t.node, t.shard)
		return err
	})
	if err != nil {
		return t, fmt.Errorf("recording a new one: %w", err)
	}
	return t, nil
}

// sweepSpares removes what makers that died have left: the schema first, then the row
// that says it is there. Only one instance makes and sweeps spares at a time. Whoever
// still works on a schema, a school being restored, say, holds its lock, and is let be.
func (c *Cluster) sweepSpares(ctx context.Context, platform held, n *Node) error {
	rows, err := platform.Query(ctx, `select schema_name from platform.spare_schema where node = $1 and not ready and created_at < now() - $2::interval`,
		n.Name, spareTooOld)
	if err != nil {
		return fmt.Errorf("looking for abandoned ones: %w", err)
	}
	abandoned, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("looking for abandoned ones: %w", err)
	}
	for _, schema := range abandoned {
		if err := n.sweep(ctx, platform, schema); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes an abandoned schema, unless somebody holds its lock or made it a
// school's since it was listed.
func (n *Node) sweep(ctx context.Context, platform held, schema string) error {
	lock, free, err := tryLock(ctx, n.admin, schema)
	if err != nil || !free {
		return err
	}
	defer lock.release()
	var abandoned bool
	if err := platform.QueryRow(ctx, `select exists (select from platform.spare_schema where schema_name = $1 and not ready)`, schema).Scan(&abandoned); err != nil || !abandoned {
		return err
	}
	if err := dropSchema(ctx, lock.Conn.Conn().PgConn(), schema); err != nil {
		return err
	}
	if _, err := platform.Exec(ctx, `delete from platform.spare_schema where schema_name = $1 and not ready`, schema); err != nil {
		return fmt.Errorf("forgetting %s: %w", schema, err)
	}
	return nil
}

// remove drops a schema and its role under the schema's lock.
func (n *Node) remove(ctx context.Context, schema string) error {
	lock, err := lock(ctx, n.admin, schema)
	if err != nil {
		return err
	}
	defer lock.release()
	return dropSchema(ctx, lock.Conn.Conn().PgConn(), schema)
}
