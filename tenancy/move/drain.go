package move

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/lifecycle"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ErrLastNode says that no other node would take the schools of the one to be drained.
var ErrLastNode = errors.New("tenancy: no other node takes schools")

// Drain takes a node out of the placing of schools, and has those that are there moved
// to other nodes, one after another.
func (m *Mover) Drain(ctx context.Context, node string, also ...tenancy.InTx) error {
	if m.EnqueueDrain != nil {
		also = append(also, func(ctx context.Context, tx pgx.Tx) error { return m.EnqueueDrain(ctx, tx, node) })
	}
	err := tenancy.Transact(ctx, m.cluster.PlatformPool(), also, func(tx pgx.Tx) error {
		// Two drains at once must not take the last two nodes.
		if _, err := tx.Exec(ctx, `select from platform.node order by name for update`); err != nil {
			return err
		}
		var others bool
		if err := tx.QueryRow(ctx, `select exists (select from platform.node where state = 'ACTIVE' and name <> $1)`,
			node).Scan(&others); err != nil {
			return err
		}
		if !others {
			return ErrLastNode
		}
		_, err := tx.Exec(ctx, `update platform.node set state = 'DRAINING', updated_at = now() where name = $1`, node)
		return err
	})
	if err != nil {
		return fmt.Errorf("draining node %s: %w", node, err)
	}
	return nil
}

// Reopen lets schools be placed on a node again. A school that is leaving leaves; the
// others stay.
func (m *Mover) Reopen(ctx context.Context, node string, also ...tenancy.InTx) error {
	err := tenancy.Transact(ctx, m.cluster.PlatformPool(), also, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update platform.node set state = 'ACTIVE', updated_at = now() where name = $1`, node)
		return err
	})
	if err != nil {
		return fmt.Errorf("activating node %s: %w", node, err)
	}
	return nil
}

// drainTries is how often a drain tries to move a school before it leaves it to an operator.
const drainTries = 3

// RunDrain moves schools off a node until none is left that it could move, ctx ends, or
// the node takes schools again. It returns at once where another instance drains the node.
func (m *Mover) RunDrain(ctx context.Context, node string) error {
	lock, free, err := advisory.TryLock(ctx, m.cluster.PlatformPool(), "drain "+node)
	if err != nil || !free {
		return err
	}
	defer lock.Unlock()
	for ctx.Err() == nil {
		school, running, err := m.nextToLeave(ctx, lock, node)
		if errors.Is(err, pgx.ErrNoRows) {
			return m.dropSpares(ctx, lock, node)
		}
		if err != nil {
			return fmt.Errorf("draining node %s: %w", node, err)
		}
		if !running {
			target, err := lifecycle.EmptiestNode(ctx, m.cluster, lock)
			if err != nil {
				return fmt.Errorf("draining node %s: %w", node, err)
			}
			unqueued := *m
			unqueued.Enqueue = nil // it is moved here
			if _, err := unqueued.Request(ctx, school, target); err != nil {
				m.Log.Warn("a node cannot be emptied", "node", node, "schoolId", school, "to", target, "trouble", publicReason(err))
				return fmt.Errorf("draining node %s: %w", node, err)
			}
		}
		err = m.Run(ctx, school)
		if p, progressErr := m.Progress(ctx, school); progressErr != nil || (err != nil && p.State == Running) {
			return errors.Join(err, progressErr) // it waits for something; the clock comes again
		}
	}
	return ctx.Err()
}

// nextToLeave is a school that is leaving the node, or else one that is to.
func (m *Mover) nextToLeave(ctx context.Context, platform advisory.Conn, node string) (school uuid.UUID, running bool, err error) {
	err = platform.QueryRow(ctx, `select s.id, exists (select from platform.school_move m where m.school_id = s.id
		and m.state = 'RUNNING') as running
		from platform.school s join platform.node n on n.name = s.node and n.state = 'DRAINING'
		where s.node = $1 and s.schema_name is not null and s.status not in ('PROVISIONING', 'FAILED')
			and not exists (select from platform.school_move m where m.school_id = s.id and m.state = 'MOVED')
			and (select count(*) from platform.school_move m where m.school_id = s.id and m.source = $1 and m.state = 'FAILED'
			and m.created_at > n.updated_at) < $2
		order by running desc, s.id limit 1`, node, drainTries).Scan(&school, &running)
	return school, running, err
}

// dropSpares removes the empty schemas of a node that will not need them.
func (m *Mover) dropSpares(ctx context.Context, platform advisory.Conn, node string) error {
	n, err := m.cluster.Node(ctx, node)
	if err != nil {
		return err
	}
	for {
		var schema string
		err := platform.QueryRow(ctx, `delete from platform.spare_schema where schema_name = (select s.schema_name from platform.spare_schema s
			join platform.node n on n.name = s.node and n.state = 'DRAINING' where s.node = $1 and s.ready limit 1 for update of s skip locked)
			returning schema_name`, node).Scan(&schema)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = lifecycle.DropSpare(ctx, n, schema)
		}
		var not lifecycle.NotSpareError
		if err != nil && !errors.As(err, &not) {
			return fmt.Errorf("removing the spares of node %s: %w", node, err)
		}
	}
}

// resumeDrains goes on with the nodes that are being drained.
func (m *Mover) resumeDrains(ctx context.Context) error {
	rows, err := m.cluster.PlatformPool().Query(ctx, `select n.name from platform.node n where n.state = 'DRAINING' and exists (select
		from platform.school s where s.node = n.name) order by n.name`)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	nodes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	var first error
	for _, node := range nodes {
		err := m.RunDrain(ctx, node)
		if first == nil && !errors.Is(err, errLater) {
			first = err
		}
	}
	return first
}
