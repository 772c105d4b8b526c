package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// reserve decides where the school lives: a spare that is ready, or the name of a
// schema that does not exist yet. From then on neither changes.
func (p *Provisioner) reserve(ctx context.Context, o *onboarding) error {
	if o.school.Schema != "" {
		return nil // reserved by a run that died before it could say so
	}
	node, err := p.chooseNode(ctx, o)
	if err != nil {
		return err
	}
	n, err := p.cluster.Node(ctx, node)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, o.platform, func(tx pgx.Tx) error {
		schema, shard, version, err := p.cluster.claimSpare(ctx, tx, node)
		if errors.Is(err, pgx.ErrNoRows) {
			schema, version = newSchemaName(), 0
			shard, err = emptiestShard(ctx, tx, n)
		}
		if err != nil {
			return fmt.Errorf("reserving a schema on node %s: %w", node, err)
		}
		o.school, err = scanSchool(tx.QueryRow(ctx, `update platform.school
			set node = $2, schema_name = $3, shard = $4, schema_version = $5, updated_at = now()
			where id = $1 and schema_name is null returning `+schoolColumns, o.school.ID, node, schema, shard, version))
		return err
	})
}

// chooseNode is the node that was asked for, or the one with the least on it.
func (p *Provisioner) chooseNode(ctx context.Context, o *onboarding) (string, error) {
	if o.school.Node != "" {
		return o.school.Node, nil
	}
	return p.cluster.emptiestNode(ctx, o.platform)
}

// emptiestNode is the active node that answers with the least on it: its share of all
// schools and its share of all bytes, added up.
func (c *Cluster) emptiestNode(ctx context.Context, platform held) (string, error) {
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
		if down = c.ping(ctx, name); down == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("choosing a node: none is active and answers: %w", errors.Join(ErrNoNode, down))
}

func (c *Cluster) ping(ctx context.Context, node string) error {
	n, err := c.Node(ctx, node)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return n.admin.Ping(ctx)
}

// emptiestShard is the shard of a node with the fewest schools: a login that is a
// member of many roles is slow to take one on.
func emptiestShard(ctx context.Context, tx pgx.Tx, n *Node) (shard int, err error) {
	err = tx.QueryRow(ctx, `select i from generate_series(0, $2::int - 1) i
		left join (select shard % $2::int as shard, count(*) as schools from
				(select shard from platform.school where node = $1 and shard is not null
				 union all select shard from platform.spare_schema where node = $1) taken
			group by 1) t on t.shard = i
		order by coalesce(t.schools, 0), random() limit 1`, n.Name, len(n.shards)).Scan(&shard)
	return shard, err
}

// schema makes the school's schema, unless it came as a spare, and brings it to the
// latest version.
func (p *Provisioner) schema(ctx context.Context, o *onboarding) error {
	s := o.school
	if s.SchemaVersion == p.cluster.SchoolVersion() {
		return nil
	}
	n, err := p.cluster.Node(ctx, s.Node)
	if err != nil {
		return err
	}
	version, err := n.makeOrMigrate(ctx, target{node: s.Node, schema: s.Schema, shard: s.Shard})
	if err != nil {
		return err
	}
	o.school, err = scanSchool(o.platform.QueryRow(ctx, `update platform.school set schema_version = $2, migration_error = '', updated_at = now()
		where id = $1 returning `+schoolColumns, s.ID, version))
	if err != nil {
		return fmt.Errorf("recording the schema's version: %w", err)
	}
	return nil
}

// activate opens the school and forgets what was asked for, which may hold a password.
func (p *Provisioner) activate(ctx context.Context, o *onboarding) error {
	err := pgx.BeginFunc(ctx, o.platform, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`update platform.school set status = 'ACTIVE', version = version + 1, updated_at = now() where id = $1 and status = 'PROVISIONING'`, o.school.ID)
		batch.Queue(`delete from platform.provisioning_request where school_id = $1`, o.school.ID)
		batch.Queue(finishStep, o.school.ID, "activate")
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil {
		p.cluster.changed(o.school.ID)
	}
	return err
}
