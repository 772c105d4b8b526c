package tenancy

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
)

// Installation is which installation a platform is, or a node belongs to, and how far it has come. The platform raises
// its generation every minute and shows it to the nodes, which keep the highest: a platform with a lower one than its
// node was restored to an earlier moment, and works on that node no more until an operator says what it is.
type Installation struct {
	ID         uuid.UUID
	Generation int64
}

// StrangerError says that a node refuses this platform.
type StrangerError struct {
	Node   string
	Behind bool // it is of this installation, as it was earlier
}

func (e StrangerError) Error() string {
	if e.Behind {
		return fmt.Sprintf("node %s has worked with this platform as it was at a later moment: the platform was restored from a backup. "+
			"Say what it is now: homeroom restored --in-place, or --copy (docs/operations/backups.md)", e.Node)
	}
	return fmt.Sprintf("node %s belongs to another installation (docs/operations/backups.md)", e.Node)
}

// setupNodeLock is held by who makes or changes what a node keeps of itself.
const setupNodeLock = "setup node"

// LockSetup opens a connection to the node, outside its pool, that holds the lock of its set-up.
func (n *Node) LockSetup(ctx context.Context) (*pgx.Conn, error) {
	return advisory.Connect(ctx, n.admin, setupNodeLock)
}

// MakeRecords makes the tables in which a node keeps whose it is, and whose its schemas are. conn holds the lock of its
// set-up.
func MakeRecords(ctx context.Context, conn *pgx.Conn) error {
	var schema, tables bool
	err := conn.QueryRow(ctx, `select pg_catalog.to_regnamespace('homeroom') is not null,
		pg_catalog.to_regclass('homeroom.schema_label') is not null and pg_catalog.to_regclass('homeroom.installation') is not null`).
		Scan(&schema, &tables)
	if err != nil {
		return fmt.Errorf("looking for the node's records: %w", err)
	}
	if tables {
		return nil
	}
	sql := `create table if not exists homeroom.installation (
			one        boolean primary key default true check (one),
			id         uuid not null,
			generation bigint not null,
			updated_at timestamptz not null default now());
		create table if not exists homeroom.schema_label (
			schema_name text primary key check (schema_name ~ '^school_[0-9a-f]{32}$'),
			state       text not null check (state in ('SPARE', 'LOADING', 'COPY', 'SCHOOL')),
			school_id   uuid check ((school_id is not null) = (state in ('COPY', 'SCHOOL'))),
			labelled_at timestamptz not null default now())`
	if !schema {
		sql = "create schema " + Ident(NodeSchema) + ";" + sql
	}
	if err := conn.PgConn().Exec(ctx, sql).Close(); err != nil {
		return fmt.Errorf("making the node's records: %w", err)
	}
	return nil
}

// Installation reads which installation this platform is, or returns ErrSecret if the secret is another's.
func (c *Cluster) Installation(ctx context.Context) (i Installation, err error) {
	var mac []byte
	err = c.platform.QueryRow(ctx, `select id, generation, secret_mac from platform.installation`).Scan(&i.ID, &i.Generation, &mac)
	if err != nil {
		return i, fmt.Errorf("reading which installation this is: %w", err)
	}
	if mac != nil && !hmac.Equal(mac, secretMAC(c.options.Secret)) {
		return i, ErrSecret
	}
	return i, nil
}

// row is a connection or a pool.
type row interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// show shows the node the platform's generation and returns the one it has then. pgx.ErrNoRows: it belongs to another
// installation, or to none.
func (i Installation) show(ctx context.Context, node row) (generation int64, err error) {
	err = node.QueryRow(ctx, `update homeroom.installation set generation = greatest(generation, $2), updated_at = now()
		where id = $1 returning generation`, i.ID, i.Generation).Scan(&generation)
	return generation, err
}

// Join makes the node this installation's, if it is nobody's yet, and returns a StrangerError if it is another's or
// knows a later generation. conn holds the lock of the node's set-up, and the node has its records.
func (c *Cluster) Join(ctx context.Context, n *Node, conn *pgx.Conn) error {
	i, err := c.Installation(ctx)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `insert into homeroom.installation (id, generation) values ($1, $2) on conflict do nothing`, i.ID, i.Generation)
	if err != nil {
		return fmt.Errorf("claiming node %s: %w", n.Name, err)
	}
	return c.check(ctx, n, conn, i)
}

// check compares generations. The node is asked before the platform: it has none that the platform did not have first.
func (c *Cluster) check(ctx context.Context, n *Node, node row, i Installation) error {
	generation, err := i.show(ctx, node)
	if errors.Is(err, pgx.ErrNoRows) {
		n.refuse()
		return StrangerError{Node: n.Name}
	}
	if err != nil {
		return fmt.Errorf("asking node %s whose it is: %w", n.Name, err)
	}
	if generation > i.Generation {
		if i, err = c.Installation(ctx); err != nil {
			return err
		}
	}
	if generation > i.Generation {
		n.refuse()
		return StrangerError{Node: n.Name, Behind: true}
	}
	n.accepted.Store(true)
	n.stranger.Store(false)
	return nil
}

// CheckNode asks a node whether it accepts this platform, and remembers the answer.
func (c *Cluster) CheckNode(ctx context.Context, n *Node) error {
	i, err := c.Installation(ctx)
	if err != nil {
		return err
	}
	err = c.check(ctx, n, n.admin, i)
	var stranger StrangerError
	if sqlstate.Of(err) != sqlstate.UndefinedTable && !(errors.As(err, &stranger) && !stranger.Behind) {
		return err
	}
	// It was away when it should have been set up, or it is another's: Join finds out.
	conn, err := n.LockSetup(ctx)
	if err != nil {
		return fmt.Errorf("asking node %s whose it is: %w", n.Name, err)
	}
	defer advisory.Close(conn)
	if err := MakeRecords(ctx, conn); err != nil {
		return err
	}
	return c.Join(ctx, n, conn)
}

func (n *Node) refuse() {
	n.accepted.Store(false)
	n.stranger.Store(true)
}

// Accepted reports whether the node accepted this platform when it was last asked.
func (n *Node) Accepted() bool { return n.accepted.Load() }

// NextGeneration raises the platform's generation.
func (c *Cluster) NextGeneration(ctx context.Context) error {
	_, err := c.platform.Exec(ctx, `update platform.installation set generation = generation + 1, updated_at = now()`)
	if err != nil {
		return fmt.Errorf("raising the installation's generation: %w", err)
	}
	return nil
}

// OwnerOf reads which installation a node says it belongs to; false: none.
func OwnerOf(ctx context.Context, n *Node) (i Installation, found bool, err error) {
	err = n.admin.QueryRow(ctx, `select id, generation from homeroom.installation`).Scan(&i.ID, &i.Generation)
	if errors.Is(err, pgx.ErrNoRows) || sqlstate.Of(err) == sqlstate.UndefinedTable {
		return i, false, nil
	}
	if err != nil {
		return i, false, fmt.Errorf("asking node %s whose it is: %w", n.Name, err)
	}
	return i, true, nil
}
