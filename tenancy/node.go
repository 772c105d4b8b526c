package tenancy

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Node is one Postgres server (one database on it) that schools live on. Its
// schools are spread over shards: small pools, each with a login role of its own
// that is a member of its own schools' roles only. A backend thus meets few
// schools, and its caches stay small.
type Node struct {
	Name string

	url      string
	admin    *pgxpool.Pool // the owner: makes and migrates schemas, never serves requests
	shards   []*shard
	database string
	options  Options

	pooled  bool                    // schools are reached through a pooler, here and on the standby
	standby atomic.Pointer[standby] // for reads that may be stale; nil: there is none

	accepted atomic.Bool // the node has said that this platform is its own
	stranger atomic.Bool // it has said that it is not
	struck   atomic.Bool // the platform does not list it any more
	logins   []*login    // its owner's, and the shards' at it or at the pooler before it

	mu     sync.Mutex
	tables []Table // of the template, once they were asked for
}

type shard struct {
	login string
	usual pool
	long  pool // for work of seconds; it keeps no connection when there has been none for a moment
}

// openNode prepares the pools; nothing is dialled yet. url reaches the server
// itself; poolURL, if not empty, a PgBouncer in front of it.
func openNode(ctx context.Context, name, url, poolURL string, o Options) (*Node, error) {
	admin, owner, err := openAdmin(ctx, url, "node "+name+" refuses its owner: compare the user and password in the node's address",
		o.AdminConns, o.ConnectTimeout, nil)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", name, err)
	}
	n := &Node{Name: name, url: url, admin: admin, logins: []*login{owner}, options: o, database: admin.Config().ConnConfig.Database}
	if n.database == "" {
		n.database = admin.Config().ConnConfig.User // what Postgres itself assumes
	}
	if poolURL == "" {
		poolURL = url
	}
	n.pooled = poolURL != url
	for i := range o.Shards {
		config, err := pgx.ParseConfig(poolURL)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		login := n.loginRole(i)
		config.User, config.Password = login, shardPassword(o.Secret, login)
		config.RuntimeParams["application_name"] = "homeroom"
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
		config.StatementCacheCapacity += plansKept
		if n.pooled {
			// Behind a transaction pooler a prepared statement may be on another server connection.
			// What it takes and gives is remembered instead: without that, only arguments whose
			// Go type says it all could be sent (a list of ids could not).
			config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		config.ConnectTimeout = o.ConnectTimeout
		config.Tracer = o.Tracer
		if o.Dial != nil {
			config.DialFunc = o.Dial
		}
		n.logins = append(n.logins, watchLogin(config, "node "+name+" refuses "+login+
			", a login of the schools' connections: compare HOMEROOM_SECRET, and the users of PgBouncer"))
		s := &shard{login: login}
		look := func(ctx context.Context, schema string, err error) error { return o.refused(ctx, name, schema, err) }
		if s.usual, err = openPool(config, o.ShardConns, o.ShardConns, look); err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		if s.long, err = openPool(config, o.ShardConns, 0, look); err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		n.shards = append(n.shards, s)
	}
	return n, nil
}

// openAdmin opens the owner's pool with an empty search_path: what it does always
// names the schema it does it in. refused is said while the server refuses the owner's login.
func openAdmin(ctx context.Context, url, refused string, size int, timeout time.Duration, tracer pgx.QueryTracer) (
	*pgxpool.Pool, *login, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, err
	}
	config.MaxConns = int32(size)
	config.ConnConfig.Tracer = tracer
	config.MinConns = 0
	config.MaxConnIdleTime = time.Minute
	config.ConnConfig.ConnectTimeout = timeout
	config.ConnConfig.RuntimeParams["application_name"] = "homeroom-admin"
	config.ConnConfig.RuntimeParams["search_path"] = ""
	// A version is read after its lock is held: the statement needs a snapshot of its own.
	config.ConnConfig.RuntimeParams["default_transaction_isolation"] = "read committed"
	config.ConnConfig.OnPgError = leaveStandby
	owner := watchLogin(config.ConnConfig, refused)
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerUTC(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return pool, owner, err
}

// loginRole is the name shard i logs in under. Roles are shared by a server's
// databases, so the database's name is part of it.
func (n *Node) loginRole(i int) string {
	sum := sha256.Sum256([]byte(n.database))
	return fmt.Sprintf("homeroom_%x_shard_%02d", sum[:4], i)
}

// shardPassword derives a login role's password, so that none has to be kept.
func shardPassword(secret []byte, login string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("shard login " + login))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Login is a shard's login role and its password: what a pooler in front of the
// node needs to know.
type Login struct{ Name, Password string }

// Logins are the login roles of this node's shards.
func (n *Node) Logins() []Login {
	out := make([]Login, len(n.shards))
	for i, s := range n.shards {
		out[i] = Login{Name: s.login, Password: shardPassword(n.options.Secret, s.login)}
	}
	return out
}

// Login is the name of the login role that serves a shard's schools.
func (n *Node) Login(shard int) string { return n.shards[shard%len(n.shards)].login }

// bindTo returns GORM on the school's shard, bound to the school.
func (n *Node) bindTo(ctx context.Context, s *School, mode Mode) *gorm.DB {
	allowed, long := mode.long()
	shard := n.shards[s.Shard%len(n.shards)]
	lane := shard.usual
	if long {
		lane = shard.long
	}
	b := n.bindingOf(s, allowed)
	b.async, _ = ctx.Value(asyncCommitKey{}).(bool)
	return lane.orm.WithContext(bind(ctx, b))
}

// bindingOf is the binding of a school's statements on this node, wherever they are sent.
func (n *Node) bindingOf(s *School, mode Mode) binding {
	b := binding{schema: s.Schema, mode: mode}
	if n.options.RolePerSchool {
		b.role = s.Role()
	}
	return b
}

// Admin is the owner's pool on this node.
func (n *Node) Admin() *pgxpool.Pool { return n.admin }

// Options are those of the cluster the node was opened by.
func (n *Node) Options() Options { return n.options }

// Database is the name of the node's database.
func (n *Node) Database() string { return n.database }

// Close closes the node's pools.
func (n *Node) Close() {
	var wg sync.WaitGroup
	for _, s := range n.shards {
		wg.Go(func() { _ = s.usual.db.Close() })
		wg.Go(func() { _ = s.long.db.Close() })
	}
	wg.Wait()
	if s := n.standby.Load(); s != nil {
		s.close()
	}
	n.admin.Close()
}
