package fleet

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/localstack"
	"homeroom/testkit"
)

// openServers runs what the instances need and names it in their environment.
func (f *Fleet) openServers(t testing.TB, o Options) {
	t.Helper()
	f.set("REDIS_URL", via(t, o, "redis", f.openRedis(t, o)))
	stack := o.Stack
	if stack == nil {
		stack = testkit.Stack(t)
	}
	name := "fleet_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	server, node := "main", testkit.Database(t, stack, "main", name)
	f.set("DATABASE_URL", via(t, o, "postgres", address(t, o, "main", name, node)))
	if o.TwoServers {
		server, node = "north", testkit.Database(t, stack, "north", name)
		f.set("HOMEROOM_NODE_URL", via(t, o, "postgres", address(t, o, "north", name, node)))
	}
	if o.Standbys {
		u, err := url.Parse(stack.PostgresURL(server + "-standby"))
		if err != nil {
			t.Fatal(err)
		}
		u.Path = name
		f.standby = u.String()
	}
	if o.Pooler {
		f.Run(t, "migrate")
		f.Pooler = f.openPooler(t, node, o.TLS)
		f.set("HOMEROOM_POOL_URL", via(t, o, "pooler", f.Pooler.URL()))
	}
	if o.Pooler && o.StandbyReads {
		f.standby = f.openPooler(t, f.standby, o.TLS).URL()
	}
}

// address is where a database is: on the one server, or on it and its standby, whichever takes writes.
func address(t testing.TB, o Options, server, database, alone string) string {
	t.Helper()
	if !o.Standbys {
		return alone
	}
	if err := o.Stack.Follow(context.Background(), server+"-standby", server); err != nil {
		t.Fatalf("making a standby: %v", err)
	}
	return o.Stack.EitherURL(database, server, server+"-standby")
}

// set puts a variable where Options.Env still wins over it.
func (f *Fleet) set(name, value string) { f.env = append([]string{name + "=" + value}, f.env...) }

func via(t testing.TB, o Options, name, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if o.Via != nil {
		u.Host = o.Via(name, u.Host)
	}
	return u.String()
}

// openRedis always runs a Redis of the installation's own: its keys are nobody else's.
func (f *Fleet) openRedis(t testing.TB, o Options) string {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	var err error
	switch {
	case o.Redis == "sentinel":
		f.Redises, err = localstack.StartRedisSentinel(ctx, dir, o.TLS)
	case o.Redis == "cluster":
		f.Redises, err = localstack.StartRedisCluster(ctx, dir, o.TLS)
	case o.Redis != "":
		t.Fatalf("no such kind of Redis: %q", o.Redis)
	case o.Stack != nil:
		if o.TLS {
			f.set("SSL_CERT_FILE", o.Stack.RedisAuthority())
		}
		return o.Stack.RedisURL()
	default:
		one, err := localstack.Start(ctx, localstack.Options{Dir: dir, Redis: true})
		if err != nil {
			t.Fatalf("starting Redis: %v", err)
		}
		t.Cleanup(func() { _ = one.Stop() })
		return one.RedisURL()
	}
	if err != nil {
		t.Fatalf("starting Redis: %v", err)
	}
	t.Cleanup(func() { _ = f.Redises.Stop() })
	if o.TLS {
		f.set("SSL_CERT_FILE", f.Redises.Authority())
	}
	return f.Redises.URL()
}

// openPooler does what the operator's page says: the logins are made, printed and written
// into the pooler's file.
func (f *Fleet) openPooler(t testing.TB, node string, tls bool) *localstack.PgBouncer {
	t.Helper()
	users := map[string]string{}
	for line := range strings.Lines(f.Run(t, "pool-users")) {
		if fields := strings.Split(line, `"`); len(fields) == 5 {
			users[fields[1]] = fields[3]
		}
	}
	pooler, err := localstack.StartPgBouncer(context.Background(),
		localstack.PgBouncerOptions{Dir: t.TempDir(), PostgresURL: node, Users: users, TLS: tls})
	if err != nil {
		t.Fatalf("starting PgBouncer: %v", err)
	}
	t.Cleanup(func() { _ = pooler.Stop() })
	return pooler
}
