package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
)

// NodeInUseError says why a node cannot be struck off.
type NodeInUseError struct {
	Node           string
	Schools, Moves int
}

func (e NodeInUseError) Error() string {
	return fmt.Sprintf("node %s is in use: %d schools live there, and %d moves from or to it are under way or wait for a confirmation",
		e.Node, e.Schools, e.Moves)
}

// ErrMainNode says that node main cannot be struck off: every instance needs it.
var ErrMainNode = errors.New("tenancy: node main cannot be struck off")

// RemoveNode strikes a node off: it is asked for nothing any more. It must be empty; its server may be gone. Finished
// moves from and to it are forgotten. If it answers, it belongs to no installation afterwards. The template and spares on it stay.
func RemoveNode(ctx context.Context, c *tenancy.Cluster, name string, also ...tenancy.InTx) error {
	if name == tenancy.MainNode {
		return ErrMainNode
	}
	n, err := c.NodeUnchecked(ctx, name)
	if err != nil {
		return err
	}
	here, err := c.Installation(ctx)
	if err != nil {
		return err
	}
	err = tenancy.Transact(ctx, c.PlatformPool(), also, func(tx pgx.Tx) error {
		// Nobody places a school there meanwhile: a school refers to its node.
		if _, err := tx.Exec(ctx, `select from platform.node where name = $1 for update`, name); err != nil {
			return err
		}
		used := NodeInUseError{Node: name}
		err := tx.QueryRow(ctx, `select (select count(*) from platform.school where node = $1), (select count(*) from platform.school_move
			where $1 in (source, target) and (state in ('RUNNING', 'MOVED') or not clean))`, name).Scan(&used.Schools, &used.Moves)
		if err != nil {
			return err
		}
		if used.Schools+used.Moves > 0 {
			return used
		}
		for _, sql := range []string{`delete from platform.spare_schema where node = $1`,
			`delete from platform.school_move where $1 in (source, target)`, `delete from platform.node where name = $1`} {
			if _, err := tx.Exec(ctx, sql, name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("striking node %s off: %w", name, err)
	}
	// Should it be away: an operator who adds it elsewhere is shown whose it was.
	_, _ = n.Admin().Exec(ctx, `delete from homeroom.installation where id = $1`, here.ID)
	return nil
}
