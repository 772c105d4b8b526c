package tenancy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/migrations"
)

// Snapshot is a school as it was at one moment, however long it is read and however much is
// written meanwhile: one read-only transaction that repeats what it has read, under the
// school's own role.
type Snapshot struct {
	Version int // of the schema
	Tables  []Table

	conn *pgconn.PgConn
}

// CopyTo writes a table's rows in Postgres's text form and says how many there are.
func (s *Snapshot) CopyTo(ctx context.Context, t Table, to io.Writer) (int64, error) {
	return copyOut(ctx, s.conn, t, to)
}

// Snapshot lets read look at one moment of a school. The school must be at this
// binary's version: its tables are known from the template.
func (c *Cluster) Snapshot(ctx context.Context, s *School, read func(*Snapshot) error) error {
	n, err := c.Node(ctx, s.Node)
	if err != nil {
		return err
	}
	tables, err := n.Tables(ctx)
	if err != nil {
		return err
	}
	reserved, err := n.shards[s.Shard%len(n.shards)].long.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	defer func() { _ = reserved.Close() }()
	return reserved.Raw(func(driver any) error {
		pg := driver.(*conn).pg.PgConn()
		err := n.readMoment(ctx, pg, s, &Snapshot{Tables: tables, conn: pg}, read)
		if !pg.IsClosed() && pg.TxStatus() != 'I' {
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
			defer cancel()
			err = errors.Join(err, pg.Exec(ending, "rollback").Close()) // it has nothing to keep
		}
		return err
	})
}

func (n *Node) readMoment(ctx context.Context, pg *pgconn.PgConn, s *School, moment *Snapshot, read func(*Snapshot) error) error {
	role := "none"
	if n.options.RolePerSchool {
		role = Ident(s.Role())
	}
	err := pg.Exec(ctx, fmt.Sprintf("begin isolation level repeatable read read only; %s set local search_path = %s; set local role %s",
		exactly, Ident(s.Schema), role)).Close()
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	if moment.Version, err = readVersion(ctx, pg, s.Schema); err != nil {
		return err
	}
	if latest := migrations.Latest(n.options.Migrations); moment.Version != latest {
		return fmt.Errorf("%w: it has version %d and this binary knows %d", ErrBehind, moment.Version, latest)
	}
	return read(moment)
}
