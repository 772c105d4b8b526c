package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"homeroom/tenancy"
)

// Heartbeat raises the installation's generation and shows it to every node. A platform that a node refuses raises
// nothing: it would come up with the one that runs there. An exception is one that this very process has worked with:
// a failover may lose the last heartbeat, and the next one makes up for it.
func Heartbeat(ctx context.Context, c *tenancy.Cluster) error {
	names, err := c.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	for _, name := range names {
		n, err := c.NodeUnchecked(ctx, name)
		if err != nil {
			return err
		}
		worked := n.Accepted()
		var stranger tenancy.StrangerError
		if err := c.CheckNode(ctx, n); errors.As(err, &stranger) {
			if !worked || !stranger.Behind {
				return err
			}
			// The next one may be enough.
		}
	}
	if err := c.NextGeneration(ctx); err != nil {
		return err
	}
	return showGeneration(ctx, c, names)
}

// showGeneration shows the platform's generation to every node. A node that is away is shown the next one.
func showGeneration(ctx context.Context, c *tenancy.Cluster, names []string) error {
	var refused error
	for _, name := range names {
		n, err := c.NodeUnchecked(ctx, name)
		if err != nil {
			return err
		}
		var stranger tenancy.StrangerError
		if err := c.CheckNode(ctx, n); errors.As(err, &stranger) {
			refused = errors.Join(refused, err)
		}
	}
	return refused
}
