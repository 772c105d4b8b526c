package service_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
	"homeroom/testkit/clusters"
)

// becomesReady waits until an instance says that it is ready.
func becomesReady(t *testing.T, app *testkit.App) {
	t.Helper()
	testkit.Eventually(t, "the instance is ready", func() bool { return app.Nobody().Call(t, "GET", "/readyz", nil).Status == 200 })
}

// isUnready fails unless an instance says that it is not ready, and why.
func isUnready(t *testing.T, app *testkit.App, why string) {
	t.Helper()
	isReadiness(t, app, 503, why)
}

func isReadiness(t *testing.T, app *testkit.App, status int, why string) {
	t.Helper()
	if a := app.Nobody().Call(t, "GET", "/readyz", nil); a.Status != status || !strings.Contains(string(a.Body), why) {
		t.Errorf("/readyz answers %d %s, want %d with %q", a.Status, a.Body, status, why)
	}
}

// setPassword changes a role's password as somebody at the server would, and ends the connections that were opened with the other.
func setPassword(t *testing.T, server *pgx.Conn, role, password string) {
	t.Helper()
	clusters.Exec(t, server, "alter role "+pgx.Identifier{role}.Sanitize()+" password '"+password+"'")
	clusters.Exec(t, server, "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", role)
}

// logins are the nodes' logins and their passwords.
func logins(nodes ...*tenancy.Node) map[string]string {
	out := map[string]string{}
	for _, n := range nodes {
		for _, l := range n.Logins() {
			out[l.Name] = l.Password
		}
	}
	return out
}

func TestLogins_RefusedByANode_Are503AndSaid(t *testing.T) {
	t.Parallel()
	stack, name := testkit.Stack(t), "refused_"+uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, name)
	server := clusters.Connect(t, stack.PostgresURL("north"))
	north, err := url.Parse(testkit.Database(t, stack, "north", name+"_node"))
	if err != nil {
		t.Fatal(err)
	}
	owner, password := name+"_owner", "chalk"
	clusters.Exec(t, server, "create role "+owner+" login createrole password '"+password+"'")
	clusters.Exec(t, server, "grant create on database "+name+"_node to "+owner)
	north.User = url.UserPassword(owner, password)
	addNode(t, app, "north", north.String())
	becomesReady(t, app)

	people := map[string]*testkit.Client{}
	for _, node := range []string{"main", "north"} {
		people[node] = app.NewSchoolAs(t, lifecycle.NewSchool{Node: node}).As(t, api.SchoolAdmin)
	}
	status := func(c *testkit.Client) int {
		a, err := c.TryCall("GET", "/school-admin/class/list", nil) // Call waits until it is served
		if err != nil {
			t.Fatal(err)
		}
		if a.Status >= 500 && a.Status != 503 {
			t.Errorf("a school whose node refuses its login is answered %d %s", a.Status, a.Body)
		}
		return a.Status
	}
	for node, other := range map[string]string{"main": "north", "north": "main"} {
		roles := logins(clusters.Node(t, app.Service.Cluster, node))
		for role := range roles {
			setPassword(t, server, role, "changed behind its back")
		}
		testkit.Eventually(t, "its schools are answered 503", func() bool { return status(people[node]) == 503 })
		ready := map[string]int{"main": 503, "north": 200} // which concerns its own schools alone
		isReadiness(t, app, ready[node], "node "+node+" refuses homeroom_")
		if m := scrape(t, app.URL); m[`homeroom_db_logins_refused_total{node="`+node+`"}`] == 0 {
			t.Errorf("no metric counts the logins that node %s refused", node)
		}
		if got := status(people[other]); got != 200 {
			t.Errorf("a school on node %s is answered %d, want 200", other, got)
		}
		for role, password := range roles {
			setPassword(t, server, role, password)
		}
		becomesReady(t, app)
		testkit.Eventually(t, "its schools are served again", func() bool { return status(people[node]) == 200 })
	}

	// The owner's: an instance that starts has to ask the node whose it is.
	setPassword(t, server, owner, "changed behind its back")
	second := testkit.StartOn(t, stack, name)
	if got := status(people["north"].On(second)); got != 503 {
		t.Errorf("a school on the node that refuses its owner is answered %d, want 503", got)
	}
	isReadiness(t, second, 200, "node north refuses its owner")
	setPassword(t, server, owner, password)
	testkit.Eventually(t, "its schools are served", func() bool { return status(people["north"].On(second)) == 200 })
}

func TestReadiness_PoolerAwayAtTheStart_ComesWithThePooler(t *testing.T) {
	t.Parallel()
	stack, name := testkit.Stack(t), "pooled_"+uuid.NewString()[:8]
	app := testkit.StartOn(t, stack, name)
	becomesReady(t, app)
	cluster, north := app.Service.Cluster, testkit.Database(t, stack, "north", name+"_north")
	unpooled, err := cluster.OpenNode(t.Context(), "north", north, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unpooled.Close)
	pooler, err := localstack.StartPgBouncer(t.Context(), localstack.PgBouncerOptions{Dir: t.TempDir(),
		PostgresURL: stack.PostgresURL("north"), Users: logins(clusters.Node(t, cluster, "main"), unpooled)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pooler.Stop() })
	to := func(database string) string {
		u, err := url.Parse(pooler.URL())
		if err != nil {
			t.Fatal(err)
		}
		u.Path = "/" + database
		return u.String()
	}
	if err := pooler.Halt(); err != nil {
		t.Fatal(err)
	}
	pooled := testkit.StartOn(t, stack, name, func(c *config.Config, _ *service.Options) { c.PoolURL = to(name) })
	isUnready(t, pooled, "to node main (HOMEROOM_POOL_URL)")
	if err := lifecycle.AddNode(t.Context(), cluster, "north", north, to(name+"_north")); err != nil {
		t.Fatal(err)
	}
	// A node that is away with its server keeps nobody from starting.
	if _, err := cluster.PlatformPool().Exec(t.Context(),
		`insert into platform.node (name, url) values ('gone', 'postgres://nobody@127.0.0.1:1/none')`); err != nil {
		t.Fatal(err)
	}
	direct := testkit.StartOn(t, stack, name)
	isUnready(t, direct, "to the pooler of node north")
	if a := app.Nobody().Call(t, "GET", "/readyz", nil); a.Status != 200 {
		t.Errorf("an instance that was ready is not any more: %d %s", a.Status, a.Body)
	}
	if err := pooler.StartAgain(t.Context()); err != nil {
		t.Fatal(err)
	}
	becomesReady(t, pooled)
	becomesReady(t, direct)
	testkit.Get[any](t, pooled.NewSchool(t).As(t, api.SchoolAdmin), "/school-admin/class/list")
}
