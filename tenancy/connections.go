package tenancy

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// OpenEachKind opens one connection of every kind that the service needs: to the platform; and to every node its owner's,
// and schools' for requests and for long work, by the first shard's login and by the last's (a pooler that was not told of
// more shards knows only the first ones), through the pooler if there is one. A node besides main whose own server does not
// answer is left out: its schools wait, as at the start, and no instance with it. Once that has succeeded it is not done again.
func (c *Cluster) OpenEachKind(ctx context.Context) error {
	if c.opened.Load() {
		return nil
	}
	if err := errors.Join(c.platform.Ping(ctx), c.bound.db.PingContext(ctx)); err != nil {
		return fmt.Errorf("platform: %w", err)
	}
	names, err := c.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	errs := make([]error, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			errs[i] = c.openEachKindOf(ctx, name)
			return nil
		})
	}
	_ = group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c.opened.Store(true)
	return nil
}

func (c *Cluster) openEachKindOf(ctx context.Context, name string) error {
	asking := ctx
	if name != MainNode { // who asks us waits for the rest too
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, healthTimeout/2)
		defer cancel()
	}
	n, err := c.Node(asking, name)
	if err == nil {
		err = n.admin.Ping(asking)
	}
	if err != nil && name != MainNode {
		return nil
	}
	if err != nil {
		return fmt.Errorf("node main: %w", err)
	}
	for _, s := range []*shard{n.shards[0], n.shards[len(n.shards)-1]} {
		for kind, p := range map[string]pool{"a school's connection": s.usual, "a school's connection for long work": s.long} {
			if err := p.db.PingContext(ctx); err != nil {
				at := "node " + name
				switch {
				case n.pooled && name == MainNode:
					at = "node main (HOMEROOM_POOL_URL)"
				case n.pooled:
					at = "the pooler of " + at
				}
				return fmt.Errorf("%s to %s: %w", kind, at, err)
			}
		}
	}
	return nil
}
