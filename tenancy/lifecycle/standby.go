package lifecycle

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

// SetStandby has reads of the node's schools that may be stale answered by a server that follows the node's; an empty
// address ends that. The server is looked at first: a tenancy.StandbyError says why it cannot be used. Every instance knows
// within a second or two.
func SetStandby(ctx context.Context, c *tenancy.Cluster, name, address string, also ...tenancy.InTx) error {
	n, err := c.Node(ctx, name)
	if err != nil && address != "" {
		return err
	}
	if address != "" {
		if address, err = withoutUser(address); err != nil {
			return err
		}
		if err := n.TryStandby(ctx, address); err != nil {
			return err
		}
	}
	err = tenancy.Transact(ctx, c.PlatformPool(), also, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update platform.node set standby_url = $2, updated_at = now() where name = $1`, name, address)
		return err
	})
	if err != nil {
		return fmt.Errorf("recording the standby of node %s: %w", name, err)
	}
	return nil
}

// withoutUser drops who signs in, and how: the standby has the node's own logins.
func withoutUser(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") || u.Hostname() == "" {
		return "", tenancy.StandbyError{Why: "this is not an address like postgres://host:5432/database"}
	}
	u.User = nil
	return u.String(), nil
}
