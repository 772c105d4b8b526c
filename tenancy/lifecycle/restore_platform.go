package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// ErrNotRestored says that a node accepts this platform as it is: it was not restored, or the node was with it.
var ErrNotRestored = errors.New("tenancy: this platform was not restored to a moment before its nodes'")

// LiveNodeError says that an address given for a copy's node is that of a node which has gone on without it.
type LiveNodeError struct{ Node string }

func (e LiveNodeError) Error() string {
	return fmt.Sprintf("the address given for node %s is not of a copy of it: the database there belongs to another installation, or "+
		"has gone on "+
		"after the moment this platform was restored to. Restore the node to the same moment or an earlier one, and give that address", e.Node)
}

// RestoredInPlace says that this platform goes on as the installation it is, though it was restored to an earlier moment:
// its nodes accept it again, and schools that have moved since are looked for where they are by their labels. It returns
// those. Nodes that do not answer are in a NodesError: it is to be said again when they do.
func RestoredInPlace(ctx context.Context, c *tenancy.Cluster) (moved []Discrepancy, err error) {
	if err := SetupPlatform(ctx, c); err != nil {
		return nil, err
	}
	names, err := c.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	here, err := c.Installation(ctx)
	if err != nil {
		return nil, err
	}
	down := &NodesError{Nodes: map[string]error{}}
	highest := here.Generation
	for _, name := range names {
		n, err := c.NodeUnchecked(ctx, name)
		if err != nil {
			return nil, err
		}
		owner, found, err := tenancy.OwnerOf(ctx, n)
		if err == nil && found && owner.ID != here.ID {
			err = tenancy.StrangerError{Node: name}
		}
		if err != nil {
			down.Nodes[name] = err
			continue
		}
		highest = max(highest, owner.Generation)
	}
	if _, err := c.PlatformPool().Exec(ctx, `update platform.installation set generation = greatest(generation, $1) + 1, updated_at = now()`,
		highest); err != nil {
		return nil, fmt.Errorf("raising the installation's generation: %w", err)
	}
	moved, err = followLabels(ctx, c, down.Nodes)
	if len(down.Nodes) > 0 {
		err = errors.Join(down, err)
	}
	return moved, err
}

// followLabels has the platform look for schools where they live by the nodes' labels, if the node it looks on has no more
// than an old copy. A school that is on two nodes by their labels stays where it is: CompareNodes names it. So do those of
// nodes that are down, until it is said again. One that cannot be followed keeps no other from it.
func followLabels(ctx context.Context, c *tenancy.Cluster, down map[string]error) (moved []Discrepancy, err error) {
	found, _ := CompareNodes(ctx, c) // a node that does not answer is named by the caller
	for _, d := range found {
		if d.Kind != Elsewhere {
			continue
		}
		followed, schoolErr := followLabel(ctx, c, d, down)
		if schoolErr != nil {
			err = errors.Join(err, fmt.Errorf("looking for school %s on node %s: %w", d.Code, d.Node, schoolErr))
		}
		if followed {
			moved = append(moved, d)
		}
	}
	return moved, err
}

// followLabel follows one school, and reports false if it stays where the platform has it.
func followLabel(ctx context.Context, c *tenancy.Cluster, d Discrepancy, down map[string]error) (bool, error) {
	s, err := c.FindSchool(ctx, d.School)
	if err != nil || down[s.Node] != nil {
		return false, err
	}
	old, err := c.Node(ctx, s.Node)
	if err != nil {
		return false, err
	}
	if l, exists, err := readLabel(ctx, old.Admin(), s.Schema); err != nil || exists && l.state == labelSchool {
		return false, err
	}
	err = follow(ctx, c, s, d.Node)
	return err == nil, err
}

func follow(ctx context.Context, c *tenancy.Cluster, s *tenancy.School, node string) error {
	n, err := c.Node(ctx, node)
	if err != nil {
		return err
	}
	platform, err := advisory.Lock(ctx, c.PlatformPool(), provisionLock(s.ID))
	if err != nil {
		return err
	}
	defer platform.Unlock()
	shard, err := joinShard(ctx, platform, n, s.Schema)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, platform, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`update platform.school set node = $2, shard = $3, held = false, home = home + 1, version = version + 1, updated_at = now()
			where id = $1`, s.ID, node, shard)
		// A move that was under way at the moment has ended since: what is left of it is removed, and the old copy waits for a confirmation.
		batch.Queue(`update platform.school_move set state = case when target = $2 then 'MOVED' else 'FAILED' end, clean = target <> $2,
			moved_at = case when target = $2 then now() end, ended_at = case when target <> $2 then now() end, rights = null,
			error = case when target = $2 then '' else 'the platform was restored meanwhile' end
			where school_id = $1 and state = 'RUNNING'`, s.ID, node)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil {
		c.NotifyChanged(s.ID)
	}
	return err
}

// copied is the installation of a platform that is a copy, and the one it was restored from.
type copied struct {
	id, previous uuid.UUID
	generation   int64 // of the previous one, at the moment
}

// RestoredAsCopy makes this platform an installation of its own. The node main and those whose addresses are given are
// its nodes from then on; the others are shut to it. It may be said again, with more addresses.
func RestoredAsCopy(ctx context.Context, c *tenancy.Cluster, addresses map[string]string) error {
	if err := SetupPlatform(ctx, c); err != nil {
		return err
	}
	names, err := c.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for name := range addresses {
		if !known[name] {
			return fmt.Errorf("no node is called %q", name)
		}
	}
	i, err := becomeCopy(ctx, c, names)
	if err != nil {
		return err
	}
	main, err := c.NodeUnchecked(ctx, tenancy.MainNode)
	if err != nil {
		return err
	}
	if err := i.take(ctx, main); err != nil {
		return err
	}
	for name, url := range addresses {
		n, err := c.OpenNode(ctx, name, url, "")
		if err != nil {
			return ErrNodeAddress
		}
		err = i.take(ctx, n)
		n.Close()
		if err != nil {
			return err
		}
		if _, err := c.PlatformPool().Exec(ctx, `update platform.node set url = $2, pool_url = '', standby_url = '', updated_at = now()
			where name = $1`, name, url); err != nil {
			return fmt.Errorf("recording the address of node %s: %w", name, err)
		}
	}
	return nil
}

// becomeCopy gives the platform an identity of its own, unless it has one. A platform that one of its other nodes accepts
// is the one that runs: it keeps its own.
func becomeCopy(ctx context.Context, c *tenancy.Cluster, names []string) (i copied, err error) {
	var previous *uuid.UUID
	var generation *int64
	err = c.PlatformPool().QueryRow(ctx, `select id, previous_id, previous_generation from platform.installation`).Scan(&i.id, &previous,
		&generation)
	if err != nil {
		return i, fmt.Errorf("reading which installation this is: %w", err)
	}
	if previous != nil && generation != nil {
		i.previous, i.generation = *previous, *generation
		return i, nil
	}
	for _, name := range names {
		if name != tenancy.MainNode && ping(ctx, c, name) == nil {
			return i, fmt.Errorf("node %s: %w", name, ErrNotRestored)
		}
	}
	err = c.PlatformPool().QueryRow(ctx,
		`update platform.installation set previous_id = id, previous_generation = generation, id = gen_random_uuid(),
		generation = 1, updated_at = now() returning id, previous_id, previous_generation`).Scan(&i.id, &i.previous, &i.generation)
	if err != nil {
		return i, fmt.Errorf("making another installation of it: %w", err)
	}
	// The standbys that came with the platform follow the live nodes.
	if _, err := c.PlatformPool().Exec(ctx, `update platform.node set standby_url = '' where standby_url <> ''`); err != nil {
		return i, fmt.Errorf("forgetting the nodes' standbys: %w", err)
	}
	return i, nil
}

// take makes a node the copy's, if it is a copy too.
func (i copied) take(ctx context.Context, n *tenancy.Node) error {
	conn, err := n.LockSetup(ctx)
	if err != nil {
		return fmt.Errorf("taking node %s: %w", n.Name, err)
	}
	defer advisory.Close(conn)
	owner, found, err := tenancy.OwnerOf(ctx, n)
	if err != nil {
		return err
	}
	if found && owner.ID != i.id && (owner.ID != i.previous || owner.Generation > i.generation) {
		return LiveNodeError{n.Name}
	}
	if err := tenancy.MakeRecords(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `insert into homeroom.installation (id, generation) values ($1, 1)
		on conflict (one) do update set id = excluded.id, generation = 1, updated_at = now() where installation.id <> excluded.id`, i.id)
	if err != nil {
		return fmt.Errorf("taking node %s: %w", n.Name, err)
	}
	return nil
}
