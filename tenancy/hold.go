package tenancy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/tenancy/internal/sqlstate"
)

// ErrMoving says that a school is on its way to another node, or has just arrived: the
// statement did nothing, and is worth trying again.
var ErrMoving = errors.New("tenancy: the school is being moved to another node")

const (
	// holdWait is how long a write waits for a school whose writes are held.
	holdWait = 5 * time.Second
	// holdLook is how often a waiting instance looks: all its waiters share the look.
	holdLook = 20 * time.Millisecond
	// lately is for how long after a move a refusal is taken for the move's.
	lately = "1 minute"
)

// waitWhileHeld returns the school with its newest known home. A caller that wants to write
// waits here while the school's writes are held, before anything is begun.
func (c *Cluster) waitWhileHeld(ctx context.Context, s *School, mode Mode) (*School, error) {
	s = c.Newest(s)
	if allowed, _ := mode.long(); allowed == ReadOnly || !s.Held {
		return s, nil
	}
	look := c.waits.DoChan(s.Schema, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdWait)
		defer cancel()
		for {
			fresh, err := c.FindSchool(ctx, s.ID)
			if err == nil && !fresh.Held {
				c.remember(fresh)
				return fresh, nil
			}
			select {
			case <-ctx.Done():
				return nil, ErrMoving
			case <-time.After(holdLook):
			}
		}
	})
	select {
	case result := <-look:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*School), nil
	case <-ctx.Done():
		return nil, ErrMoving
	}
}

// Newest returns the school with its newest known home.
func (c *Cluster) Newest(s *School) *School {
	if newer, ok := c.moved.Load(s.ID); ok && newer.(*School).Home > s.Home {
		return newer.(*School)
	}
	return s
}

// remember keeps where a school has moved to, for those whose memory of it is older.
func (c *Cluster) remember(s *School) {
	if s.Home > 0 {
		c.moved.Store(s.ID, s)
	}
}

// refused looks at a statement that Postgres refused on a node. If that is because the
// school's writes are held there, or because it lives elsewhere by now, the error is
// ErrMoving, and this instance knows where it is; else it is what it was. The fence of
// a move is made of rights, so only a right or a name that is missing is looked into.
func (c *Cluster) refused(ctx context.Context, node, schema string, err error) error {
	switch sqlstate.Of(err) {
	case sqlstate.InsufficientPrivilege, sqlstate.UndefinedTable, sqlstate.InvalidParameterValue:
	default:
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	var moving bool
	fresh, findErr := ScanSchool(withColumn{c.platform.QueryRow(ctx,
		`select `+SchoolColumns+`, exists (select from platform.school_move m where m.school_id = s.id
		and (m.state = 'RUNNING' or
		coalesce(m.ended_at, m.moved_at) > now() - interval '`+lately+`')) from platform.school s where schema_name = $1`, schema), &moving})
	if findErr != nil || (!moving && fresh.Node == node && !fresh.Held) {
		return err
	}
	c.remember(fresh)
	return fmt.Errorf("%w: %w", ErrMoving, err)
}

// withColumn scans one column more than its caller asks for.
type withColumn struct {
	row  interface{ Scan(dest ...any) error }
	more any
}

func (w withColumn) Scan(dest ...any) error { return w.row.Scan(append(dest, w.more)...) }
