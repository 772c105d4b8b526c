package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
)

// NodesError says which nodes could not be set up. The platform and the other
// nodes are: an instance may start, and the schools on these nodes must wait.
type NodesError struct{ Nodes map[string]error }

func (e *NodesError) Error() string {
	var parts []string
	for name, err := range e.Nodes {
		parts = append(parts, fmt.Sprintf("node %s: %v", name, err))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// Setup brings the platform's schema and every node to what this binary needs. It
// may run any number of times, and from several instances at once. It refuses a
// database that is newer than the binary (AheadError). Node "main" must succeed;
// other nodes that do not are named in a NodesError, after all were tried.
func Setup(ctx context.Context, c *tenancy.Cluster) error {
	if err := SetupPlatform(ctx, c); err != nil {
		return err
	}
	if err := checkFirstSecret(ctx, c); err != nil {
		return err
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	down := &NodesError{Nodes: map[string]error{}}
	for _, name := range nodes {
		err := SetupNode(ctx, c, name)
		if err != nil && (name == tenancy.MainNode || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			down.Nodes[name] = err
		}
	}
	if err := c.RecordSecret(ctx); err != nil {
		return err
	}
	if len(down.Nodes) > 0 {
		return down
	}
	if err := c.NextGeneration(ctx); err != nil {
		return err
	}
	return showGeneration(ctx, c, nodes)
}

// SetupPlatform is Setup without the nodes.
func SetupPlatform(ctx context.Context, c *tenancy.Cluster) error {
	if err := CheckNotAhead(ctx, c); err != nil {
		return err
	}
	if err := setupPlatform(ctx, c); err != nil {
		return fmt.Errorf("setting up the platform's schema: %w", err)
	}
	_, err := c.CheckSecret(ctx)
	return err
}

// setupPlatform makes and migrates the platform's schema and the job queue in it.
func setupPlatform(ctx context.Context, c *tenancy.Cluster) error {
	conn, err := advisory.Connect(ctx, c.PlatformPool(), "setup platform")
	if err != nil {
		return err
	}
	defer advisory.Close(conn)
	if err := createIfMissing(ctx, conn, tenancy.PlatformSchema); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `create table if not exists platform.migration
		(version int primary key, name text not null, applied_at timestamptz not null default now())`)
	if err != nil {
		return fmt.Errorf("making the list of migrations: %w", err)
	}
	if err := migratePlatform(ctx, conn); err != nil {
		return err
	}
	// Its lock is ours: river itself takes none.
	queue, err := rivermigrate.New(riverpgxv5.New(c.PlatformPool()),
		&rivermigrate.Config{Schema: tenancy.PlatformSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("preparing the job queue: %w", err)
	}
	if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrating the job queue: %w", err)
	}
	if _, err := conn.Exec(ctx, `insert into platform.node (name) values ($1) on conflict do nothing`, tenancy.MainNode); err != nil {
		return fmt.Errorf("recording node %s: %w", tenancy.MainNode, err)
	}
	return nil
}

func migratePlatform(ctx context.Context, conn *pgx.Conn) error {
	var version int
	if err := conn.QueryRow(ctx, `select coalesce(max(version), 0) from platform.migration`).Scan(&version); err != nil {
		return fmt.Errorf("reading the platform's version: %w", err)
	}
	all := migrations.Platform()
	// Asked again under the lock: a newer binary may have held it before us.
	if latest := migrations.Latest(all); version > latest {
		return AheadError{"the platform's schema", version, latest}
	}
	for _, m := range all {
		if m.Version <= version {
			continue
		}
		if err := migratePlatformTo(ctx, conn, m); err != nil {
			return fmt.Errorf("platform migration %s: %w", m.Name, err)
		}
	}
	return nil
}

// migratePlatformTo runs one migration and records it, in one transaction.
func migratePlatformTo(ctx context.Context, conn *pgx.Conn, m migrations.Migration) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select set_config('search_path', 'platform', true), set_config('lock_timeout', '5s', true)`); err != nil {
			return err
		}
		if err := tx.Conn().PgConn().Exec(ctx, m.SQL).Close(); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into platform.migration (version, name) values ($1, $2)`, m.Version, m.Name)
		return err
	})
}

// createIfMissing makes a schema that does not exist. "create schema if not exists" would
// ask for the right to make it even when it exists.
func createIfMissing(ctx context.Context, conn *pgx.Conn, name string) error {
	var found bool
	err := conn.QueryRow(ctx, `select true from pg_catalog.pg_namespace where nspname = $1`, name).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = conn.Exec(ctx, "create schema "+tenancy.Ident(name))
	}
	if err != nil {
		return fmt.Errorf("making schema %s: %w", name, err)
	}
	return nil
}
