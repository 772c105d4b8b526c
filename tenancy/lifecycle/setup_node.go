package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"homeroom/tenancy"
	"homeroom/tenancy/internal/advisory"
	"homeroom/tenancy/internal/sqlstate"
	"strings"

	"github.com/jackc/pgx/v5"
)

// What can be wrong with a node that is added.
var (
	ErrNodeExists  = errors.New("tenancy: there is a node of this name, on another server")
	ErrNodeTwice   = errors.New("tenancy: this database is a node already, under another name")
	ErrNodeAddress = errors.New("tenancy: this is not the address of a Postgres database")
)

// AddNode sets up a Postgres server (one database on it) and then records it as a
// place for schools: from that moment on new schools may be placed there. Adding a
// node again sets it up again.
func AddNode(ctx context.Context, c *tenancy.Cluster, name, url, poolURL string, also ...tenancy.InTx) error {
	n, err := c.OpenNode(ctx, name, url, poolURL)
	if err != nil {
		return ErrNodeAddress // the parser's own message may repeat the password
	}
	defer n.Close() // the cluster opens its own when the node is first asked for
	identity, err := identityOf(ctx, n)
	if err != nil {
		return fmt.Errorf("adding node %s: %w", name, err)
	}
	// Asked before anything is made there, and decided by the unique index below.
	var taken bool
	err = c.PlatformPool().QueryRow(ctx, `select exists (select from platform.node where identity = $2 and name <> $1)`, name,
		identity).Scan(&taken)
	if err != nil {
		return fmt.Errorf("adding node %s: %w", name, err)
	}
	if taken {
		return ErrNodeTwice
	}
	if err := setupNode(ctx, c, n); err != nil {
		return err
	}
	return tenancy.Transact(ctx, c.PlatformPool(), also, func(tx pgx.Tx) error {
		var same bool
		err := tx.QueryRow(ctx, `insert into platform.node (name, url, pool_url, identity) values ($1, $2, $3, $4)
			on conflict (name) do update set updated_at = now()
			returning url = $2 and pool_url = $3`, name, url, poolURL, identity).Scan(&same)
		if sqlstate.Of(err) == sqlstate.UniqueViolation {
			return ErrNodeTwice
		}
		if err != nil {
			return fmt.Errorf("recording node %s: %w", name, err)
		}
		if !same {
			return ErrNodeExists
		}
		return nil
	})
}

// identityOf tells a database from every other: its server's own number, and its own there.
func identityOf(ctx context.Context, n *tenancy.Node) (identity string, err error) {
	err = n.Admin().QueryRow(ctx, `select (select system_identifier from pg_catalog.pg_control_system()) || '/' ||
		(select oid from pg_catalog.pg_database where datname = current_database())`).Scan(&identity)
	return identity, err
}

// SetupNode makes what a node needs before a school can live on it: the shards'
// login roles, their limits, and the template schema. It may run any number of
// times, and from several instances at once.
func SetupNode(ctx context.Context, c *tenancy.Cluster, name string) error {
	n, err := c.NodeUnchecked(ctx, name)
	if err != nil {
		return err
	}
	if err := setupNode(ctx, c, n); err != nil {
		return err
	}
	identity, err := identityOf(ctx, n)
	if err == nil {
		_, err = c.PlatformPool().Exec(ctx, `update platform.node set identity = $2 where name = $1 and identity is distinct from $2`, name,
			identity)
	}
	if sqlstate.Of(err) == sqlstate.UniqueViolation {
		return fmt.Errorf("setting up node %s: %w", name, ErrNodeTwice)
	}
	if err != nil {
		return fmt.Errorf("setting up node %s: %w", name, err)
	}
	return nil
}

func setupNode(ctx context.Context, c *tenancy.Cluster, n *tenancy.Node) error {
	conn, err := n.LockSetup(ctx)
	if err != nil {
		return fmt.Errorf("setting up node %s: %w", n.Name, err)
	}
	defer advisory.Close(conn)
	// Nothing is changed on a node that is not this platform's.
	err = tenancy.MakeRecords(ctx, conn)
	if err == nil {
		err = c.Join(ctx, n, conn)
	}
	if err != nil {
		return fmt.Errorf("setting up node %s: %w", n.Name, err)
	}
	memberships := func(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
		return setupMemberships(ctx, c, n, conn)
	}
	labels := func(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
		return labelKnown(ctx, c, n, conn)
	}
	for _, step := range []func(context.Context, *tenancy.Node, *pgx.Conn) error{
		setupLogins, setupDatabase, setupExtensions, setupTemplate, memberships, labels, checkLogins,
	} {
		if err := step(ctx, n, conn); err != nil {
			return fmt.Errorf("setting up node %s: %w", n.Name, err)
		}
	}
	return nil
}

// setupDatabase leaves PUBLIC no right to make things in this database, and the
// logins the right to connect. An owner of schemas that does not own the database
// cannot say so; what is missing then shows when a login connects.
func setupDatabase(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
	var database string
	var open bool
	var out []string
	err := conn.QueryRow(ctx, `select current_database(),
		has_database_privilege('public', current_database(), 'temporary') or has_database_privilege('public', current_database(), 'create'),
		(select coalesce(array_agg(l), '{}') from unnest($1::text[]) l where not has_database_privilege(l, current_database(), 'connect'))`,
		loginNames(n)).Scan(&database, &open, &out)
	if err != nil {
		return fmt.Errorf("reading the database's rights: %w", err)
	}
	database = pgx.Identifier{database}.Sanitize()
	var statements []string
	if open {
		statements = append(statements, "revoke temporary, create on database "+database+" from public")
	}
	if len(out) > 0 {
		statements = append(statements, "grant connect on database "+database+" to "+idents(out))
	}
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil && sqlstate.Of(err) != sqlstate.InsufficientPrivilege {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// extensionsSchema holds what Postgres itself brings for searching and for ranges; the
// schools' migrations name it, their queries need not.
const extensionsSchema = "extensions"

// setupExtensions installs them. Both are trusted: an owner that may create in the
// database may install them.
func setupExtensions(ctx context.Context, _ *tenancy.Node, conn *pgx.Conn) error {
	var missing int
	err := conn.QueryRow(ctx, `select count(*) from unnest(array['pg_trgm', 'btree_gist']) e where not exists (select 1 from pg_extension
		where extname = e)`).Scan(&missing)
	if err != nil {
		return fmt.Errorf("looking for extensions: %w", err)
	}
	if missing == 0 {
		return nil
	}
	for _, sql := range []string{
		"create schema if not exists " + extensionsSchema,
		"create extension if not exists pg_trgm schema " + extensionsSchema,
		"create extension if not exists btree_gist schema " + extensionsSchema,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// setupTemplate makes and migrates the template, and lets the logins name it.
func setupTemplate(ctx context.Context, n *tenancy.Node, conn *pgx.Conn) error {
	// The role is shared by the server's databases, so another one may be making it now.
	_, err := conn.Exec(ctx, "create role "+tenancy.Ident(tenancy.TemplateSchema)+" nologin")
	if code := sqlstate.Of(err); err != nil && code != sqlstate.DuplicateObject && code != sqlstate.UniqueViolation {
		return fmt.Errorf("making the template's role: %w", err)
	}
	if _, err := makeOrMigrate(ctx, n, target{node: n.Name, schema: tenancy.TemplateSchema}); err != nil {
		return err
	}
	var blind []string
	err = conn.QueryRow(ctx, `select coalesce(array_agg(l), '{}') from unnest($1::text[]) l
		where not has_schema_privilege(l, $2, 'usage')`, loginNames(n), tenancy.TemplateSchema).Scan(&blind)
	if err == nil && len(blind) > 0 {
		_, err = conn.Exec(ctx, "grant usage on schema "+tenancy.Ident(tenancy.TemplateSchema)+" to "+idents(blind))
	}
	if err != nil {
		return fmt.Errorf("showing the template to the logins: %w", err)
	}
	return nil
}

func loginNames(n *tenancy.Node) []string {
	out := make([]string, n.Options().Shards)
	for i := range out {
		out[i] = n.Login(i)
	}
	return out
}

func idents(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = tenancy.Ident(name)
	}
	return strings.Join(quoted, ", ")
}
