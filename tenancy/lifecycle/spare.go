package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// spareTooOld is when a spare that never became ready is taken for abandoned.
const spareTooOld = 5 * time.Minute

// claimSpare claims a spare of the node for the school: its row goes in the transaction that gives it to the school, and
// its label on the node is changed before that is committed. Nothing is renamed there. Rows of schemas that are no
// spares, because one of the servers was restored to an earlier moment, are deleted. pgx.ErrNoRows: there is none.
func claimSpare(ctx context.Context, c *tenancy.Cluster, tx pgx.Tx, n *tenancy.Node, school uuid.UUID) (schema string, shard, version int,
	err error) {
	for {
		err = tx.QueryRow(ctx, `delete from platform.spare_schema where schema_name =
				(select schema_name from platform.spare_schema where node = $1 and ready and schema_version <= $2
				 order by schema_version desc, created_at limit 1 for update skip locked)
			returning schema_name, shard, schema_version`, n.Name, c.SchoolVersion()).Scan(&schema, &shard, &version)
		if err == nil {
			err = claimSchema(ctx, n.Admin(), schema, school)
		}
		var not NotSpareError
		if !errors.As(err, &not) {
			return schema, shard, version, err
		}
	}
}

// KeepSpares makes spare schemas until every active node has Options.Spares of them,
// and removes those that were never finished. It stops while a school waits to
// be provisioned, or Options.SparesWait says so, and returns at once where another instance does it already.
// It returns how many it made.
func KeepSpares(ctx context.Context, c *tenancy.Cluster) (made int, err error) {
	lock, free, err := advisory.TryLock(ctx, c.PlatformPool(), "spares")
	if err != nil || !free {
		return 0, err
	}
	defer lock.Unlock()
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
		n, nodeErr := keepSparesOn(ctx, c, lock, name)
		if nodeErr != nil {
			err = errors.Join(err, fmt.Errorf("spares of node %s: %w", name, nodeErr))
		}
		made += n
	}
	return made, err
}

func keepSparesOn(ctx context.Context, c *tenancy.Cluster, platform advisory.Conn, node string) (made int, err error) {
	n, err := c.Node(ctx, node)
	if err != nil {
		return 0, err
	}
	if err := sweepSpares(ctx, platform, n); err != nil {
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
		o := c.Options()
		if waiting || have >= o.Spares || o.SparesWait != nil && o.SparesWait() {
			return made, nil
		}
		if err := makeSpare(ctx, platform, n); err != nil {
			return made, err
		}
		made++
	}
}

// makeSpare records the spare before it makes it, so that one whose maker died
// can be found and removed.
func makeSpare(ctx context.Context, platform advisory.Conn, n *tenancy.Node) error {
	t, err := recordSpare(ctx, platform, n)
	if err != nil {
		return err
	}
	version, err := makeOrMigrate(ctx, n, t)
	if err != nil {
		return err
	}
	_, err = platform.Exec(ctx, `update platform.spare_schema set ready = true, schema_version = $2 where schema_name = $1`, t.schema,
		version)
	if err != nil {
		return fmt.Errorf("recording a new one: %w", err)
	}
	return nil
}

// recordSpare records that a schema is being made.
func recordSpare(ctx context.Context, platform advisory.Conn, n *tenancy.Node) (target, error) {
	t := target{node: n.Name, schema: newSchemaName()}
	err := pgx.BeginFunc(ctx, platform, func(tx pgx.Tx) (err error) {
		if t.shard, err = EmptiestShard(ctx, tx, n); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into platform.spare_schema (schema_name, node, shard, schema_version) values ($1, $2, $3, 0)`, t.schema,
			t.node, t.shard)
		return err
	})
	if err != nil {
		return t, fmt.Errorf("recording a new one: %w", err)
	}
	return t, nil
}

// sweepSpares removes what makers that died have left: the schema first, then its row.
// Only one instance makes and sweeps spares at a time. A schema that is still worked on,
// of a school being restored, say, is locked and stays.
func sweepSpares(ctx context.Context, platform advisory.Conn, n *tenancy.Node) error {
	rows, err := platform.Query(ctx, `select schema_name from platform.spare_schema where node = $1 and not ready
		and created_at < now() - $2::interval`,
		n.Name, spareTooOld)
	if err != nil {
		return fmt.Errorf("looking for abandoned ones: %w", err)
	}
	abandoned, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("looking for abandoned ones: %w", err)
	}
	for _, schema := range abandoned {
		if err := sweep(ctx, platform, n, schema); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes an abandoned schema, unless it is locked or became a school's since it
// was listed. One that is a school's by its own label stays, and only its row goes.
func sweep(ctx context.Context, platform advisory.Conn, n *tenancy.Node, schema string) error {
	lock, free, err := advisory.TryLock(ctx, n.Admin(), schema)
	if err != nil || !free {
		return err
	}
	defer lock.Unlock()
	var abandoned bool
	if err := platform.QueryRow(ctx, `select exists (select from platform.spare_schema where schema_name = $1 and not ready)`,
		schema).Scan(&abandoned); err != nil || !abandoned {
		return err
	}
	var not NotSpareError
	if err := dropSpare(ctx, lock, schema); err != nil && !errors.As(err, &not) {
		return err
	}
	if _, err := platform.Exec(ctx, `delete from platform.spare_schema where schema_name = $1 and not ready`, schema); err != nil {
		return fmt.Errorf("forgetting %s: %w", schema, err)
	}
	return nil
}

// newSchemaName makes the name of a schema that does not exist yet.
func newSchemaName() string {
	return "school_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}
