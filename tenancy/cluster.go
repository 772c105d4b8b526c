package tenancy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"
	"gorm.io/gorm"

	"homeroom/migrations"
	"homeroom/tenancy/internal/advisory"
)

// MainNode is the node that is there from the start.
const MainNode = "main"

// Options say how to reach Postgres and how much of it to use.
type Options struct {
	PlatformURL string // the platform's server
	MainURL     string // node "main"; empty: the platform's server
	MainPoolURL string // a transaction pooler in front of node "main"; empty: none
	Secret      []byte // the shards' passwords are derived from it

	Shards        int  // pools per node
	ShardConns    int  // connections per pool
	AdminConns    int  // connections of the owner, per node
	PlatformConns int  // connections to the platform's schema
	RolePerSchool bool // every statement runs under its school's own database role
	Spares        int  // empty, migrated schemas kept ready on every node

	// SparesWait reports that making spares is to wait for something that matters more; nil: it never is.
	SparesWait func() bool

	Migrations []migrations.Migration // of a school's schema; nil: those compiled in

	// ConnectTimeout is how long opening a connection may take; 0: 3 s. Tests share their machine, and wait longer.
	ConnectTimeout time.Duration

	// StandbyLag is how far behind a standby may be and still answer reads that may be stale.
	StandbyLag time.Duration

	// Clock says how long what is remembered is believed; nil: time.Now.
	Clock func() time.Time

	// Dial opens the connections school queries run on, DialPlatform those of the platform's own; nil: as usual.
	// Tests count round trips with it, and read plans.
	Dial, DialPlatform pgconn.DialFunc

	// Tracer hears of the statements that serve people, those of the owner on the nodes
	// not: they have passwords in them. nil: nobody does.
	Tracer pgx.QueryTracer

	refused func(ctx context.Context, node, schema string, err error) error
}

func (o *Options) defaults() {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&o.Shards, 16)
	set(&o.ShardConns, 2)
	set(&o.AdminConns, 4)
	set(&o.PlatformConns, 8)
	if o.MainURL == "" {
		o.MainURL = o.PlatformURL
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 3 * time.Second
	}
	if o.StandbyLag == 0 {
		o.StandbyLag = 10 * time.Second
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Migrations == nil {
		o.Migrations = migrations.School()
	}
}

// Cluster is the platform's database and all the nodes schools live on.
type Cluster struct {
	// Changed is called for every school whose row changed, once the change is
	// committed: the hint to other instances. Set it before the cluster is used.
	Changed func(school uuid.UUID)

	options  Options
	platform *pgxpool.Pool
	bound    pool
	logins   []*login // to the platform's server

	mu    sync.RWMutex
	nodes map[string]*Node

	moved sync.Map           // schools that have moved, by id: *School
	waits singleflight.Group // for schools whose writes are held
	homes sync.Map           // when a school was first met at its node, by id: homeSeen

	asking singleflight.Group // nodes whether they accept this platform
	opened atomic.Bool        // OpenEachKind has succeeded
}

// Open prepares the platform's pools and node "main". It dials nothing: a server
// that is down is an error of the query, and of readiness, not of the start.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	o.defaults()
	c := &Cluster{nodes: map[string]*Node{}}
	o.refused = c.refused
	if len(o.Secret) == 0 {
		return nil, errors.New("tenancy: no secret to derive database passwords from")
	}
	const refused = "the platform's server refuses its owner: compare DATABASE_URL"
	platform, owner, err := openAdmin(ctx, o.PlatformURL, refused, o.PlatformConns, o.ConnectTimeout, o.Tracer)
	if err != nil {
		return nil, fmt.Errorf("platform database: %w", err)
	}
	config, err := pgx.ParseConfig(o.PlatformURL)
	if err != nil {
		return nil, fmt.Errorf("platform database: %w", err)
	}
	config.ConnectTimeout = o.ConnectTimeout
	config.RuntimeParams["search_path"] = PlatformSchema
	config.RuntimeParams["application_name"] = "homeroom-platform"
	config.Tracer = o.Tracer
	if o.DialPlatform != nil {
		config.DialFunc = o.DialPlatform
	}
	c.logins = []*login{owner, watchLogin(config, refused)}
	bound, err := openPool(config, o.PlatformConns, o.PlatformConns, nil)
	if err != nil {
		return nil, fmt.Errorf("platform database: %w", err)
	}
	main, err := openNode(ctx, MainNode, o.MainURL, o.MainPoolURL, o)
	if err != nil {
		return nil, err
	}
	c.options, c.platform, c.bound, c.nodes[MainNode] = o, platform, bound, main
	return c, nil
}

// SchoolVersion is the version this binary expects a school's schema to have.
func (c *Cluster) SchoolVersion() int { return migrations.Latest(c.options.Migrations) }

// Options are those the cluster was opened with, the defaults filled in.
func (c *Cluster) Options() Options { return c.options }

// NotifyChanged tells the instances that a school's row has changed. It is called once the change is committed.
func (c *Cluster) NotifyChanged(school uuid.UUID) {
	if c.Changed != nil {
		c.Changed(school)
	}
}

// Platform is GORM on the platform's schema.
func (c *Cluster) Platform(ctx context.Context, mode Mode) *gorm.DB {
	return c.bound.orm.WithContext(bind(ctx, binding{schema: PlatformSchema, mode: mode}))
}

// PlatformPool is pgx on the platform's server, with an empty search_path.
func (c *Cluster) PlatformPool() *pgxpool.Pool { return c.platform }

// School is GORM bound to one school: the only way to its tables. Who wants to write
// while the school is on its way to another node waits here for a moment; ErrMoving
// says that it took longer.
func (c *Cluster) School(ctx context.Context, s *School, mode Mode) (*gorm.DB, error) {
	s, err := c.waitWhileHeld(ctx, s, mode)
	if err != nil {
		return nil, err
	}
	n, err := c.Node(ctx, s.Node)
	if err != nil {
		return nil, err
	}
	return n.bindTo(ctx, s, mode), nil
}

// Node finds a node by name, opening it the first time it is asked for. A node that does not accept this platform is
// refused with a StrangerError; it is asked until it does, and then by the heartbeat only.
func (c *Cluster) Node(ctx context.Context, name string) (*Node, error) {
	n, err := c.NodeUnchecked(ctx, name)
	if err != nil || n.accepted.Load() {
		return n, err
	}
	asked := c.asking.DoChan(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return nil, c.CheckNode(ctx, n)
	})
	select {
	case result := <-asked:
		return n, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// NodeUnchecked finds a node by name, whether it accepts this platform or not. Nobody waits
// for another's look-up: one slow server must not hold up the schools of the others.
func (c *Cluster) NodeUnchecked(ctx context.Context, name string) (*Node, error) {
	c.mu.RLock()
	n := c.nodes[name]
	c.mu.RUnlock()
	if n != nil {
		return n, nil
	}
	var url, poolURL string
	err := c.platform.QueryRow(ctx, `select url, pool_url from platform.node where name = $1`, name).Scan(&url, &poolURL)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("tenancy: no node is called %q", name)
	}
	if err != nil {
		return nil, fmt.Errorf("finding node %s: %w", name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.nodes[name]; n != nil {
		return n, nil
	}
	n, err = openNode(context.WithoutCancel(ctx), name, url, poolURL, c.options)
	if err != nil {
		return nil, err
	}
	c.nodes[name] = n
	return n, nil
}

// OpenNode opens a node that the platform does not know yet; the caller closes it.
func (c *Cluster) OpenNode(ctx context.Context, name, url, poolURL string) (*Node, error) {
	return openNode(ctx, name, url, poolURL, c.options)
}

// Nodes are the names of all nodes, oldest first.
func (c *Cluster) Nodes(ctx context.Context) ([]string, error) {
	rows, err := c.platform.Query(ctx, `select name from platform.node order by created_at, name`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Alone does work that one instance at a time shall do, and reports false at once when another one does it now. The lock
// ends with its holder: an instance that was killed keeps nobody out.
func (c *Cluster) Alone(ctx context.Context, what string, work func(context.Context) error) (bool, error) {
	lock, free, err := advisory.TryLock(ctx, c.platform, what)
	if err != nil || !free {
		return false, err
	}
	defer lock.Unlock()
	return true, work(ctx)
}

// Close closes every pool.
func (c *Cluster) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		n.Close()
	}
	_ = c.bound.db.Close()
	c.platform.Close()
}
