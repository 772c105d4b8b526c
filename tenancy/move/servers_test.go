package move_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/localstack"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
	"homeroom/testkit/clusters"
	"homeroom/testkit/wait"
)

// TestAMoveOutlivesItsServers kills, as a power failure would, the platform's server,
// the one the school comes from and the one it goes to, each at a moment that hurts.
func TestAMoveOutlivesItsServers(t *testing.T) {
	t.Parallel()
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "west", "east"},
		Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	c := clusters.Ready(t, tenancy.Options{
		PlatformURL: stack.PostgresURL("main"), Secret: []byte("tenancy tests"), RolePerSchool: true,
		Shards: 2, ShardConns: 2, AdminConns: 8, PlatformConns: 8,
	})
	for _, name := range []string{"west", "east"} {
		if err := lifecycle.AddNode(t.Context(), c, name, stack.PostgresURL(name), ""); err != nil {
			t.Fatal(err)
		}
	}
	kills := []struct{ server, at string }{{"east", "fenced"}, {"west", "caught up"}, {"west", "copy"}}
	if movesAtLength {
		for _, at := range []string{"schema", "publish", "copy", "held", "fenced", "caught up", "compared", "shut", "flipped", "release"} {
			for _, server := range []string{"main", "west", "east"} {
				kills = append(kills, struct{ server, at string }{server, at})
			}
		}
	}
	for _, kill := range kills {
		t.Run(kill.server+" "+kill.at, func(t *testing.T) {
			killed(t, stack, c, kill.server, kill.at, func() error { return stack.RestartPostgres(context.Background(), kill.server) })
		})
	}
}

// TestAMove_ServerFailsOver_CopyIsMadeAnew has a standby take over from the server that the school comes from, or goes to. The
// slot that the target reads from stays behind.
func TestAMove_ServerFailsOver_CopyIsMadeAnew(t *testing.T) {
	t.Parallel()
	kills := []struct{ server, at string }{{"west", "caught up"}}
	if movesAtLength {
		for _, at := range []string{"publish", "copy", "fenced", "flipped"} {
			kills = append(kills, struct{ server, at string }{"west", at}, struct{ server, at string }{"east", at})
		}
	}
	for _, kill := range kills {
		t.Run(kill.server+" "+kill.at, func(t *testing.T) {
			stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "west", "east"},
				Crashable: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stack.Stop() })
			c := clusters.Ready(t, tenancy.Options{
				PlatformURL: stack.PostgresURL("main"), Secret: []byte("tenancy tests"), RolePerSchool: true,
				Shards: 2, ShardConns: 2, AdminConns: 8, PlatformConns: 8,
			})
			for _, name := range []string{"west", "east"} {
				if err := stack.Follow(t.Context(), name+"-standby", name); err != nil {
					t.Fatal(err)
				}
				if err := lifecycle.AddNode(t.Context(), c, name, stack.EitherURL("homeroom", name, name+"-standby"), ""); err != nil {
					t.Fatal(err)
				}
			}
			killed(t, stack, c, kill.server, kill.at, func() error { return stack.Promote(context.Background(), kill.server+"-standby") })
		})
	}
}

// killed moves a school from west to east, kills a server when the move comes to a step, and repairs it; the move has to
// end well.
func killed(t *testing.T, stack *localstack.Stack, c *tenancy.Cluster, server, at string, repair func() error) {
	t.Helper()
	n := clusters.Ask("s" + uuid.NewString()[:8])
	from, to := "west", "east"
	n.Node = from
	s := clusters.NewSchool(t, c, n)
	fill := func() error {
		return clusters.Bound(t, c, s, tenancy.ReadWrite).Exec(`insert into class (id, name) select gen_random_uuid(), 'Class ' || i
					from generate_series(1, 500) i`).Error
	}
	// Connections of before the last kill say so when they are used.
	wait.Eventually(t, "the school's server takes writes", func() bool { return fill() == nil })
	m := move.NewMover(c)
	m.HoldLimit = 3 * time.Second
	requestMove(t, m, s, to)
	dead := false
	m.Stepped = func(_ uuid.UUID, step string, _ bool) {
		if step == at && !dead {
			dead = true
			if err := stack.KillPostgres(server); err != nil {
				t.Error(err)
			}
		}
	}
	before := m.Run(t.Context(), s.ID)
	if !dead {
		t.Fatalf("it never came to %s: %v", at, before)
	}
	if server == "east" && at == "fenced" {
		// The school must not wait for a server it does not live on yet.
		if now := clusters.Find(t, c, s.ID); now.Held || now.Node != from {
			t.Errorf("with the target away it is on %s, held: %t", now.Node, now.Held)
		}
		if err := clusters.Bound(t, c, s, tenancy.ReadWrite).Exec(clusters.AddClass, "meanwhile").Error; err != nil {
			t.Errorf("with the target away it cannot be written to: %v", err)
		}
	}
	if err := repair(); err != nil {
		t.Fatal(err)
	}
	var last string
	if !wait.Until(t.Context(), func() bool {
		_ = m.Resume(t.Context())
		p, err := m.Progress(t.Context(), s.ID)
		last = fmt.Sprintf("%+v: %v", p, err)
		return err == nil && p.State == move.Moved && p.Clean
	}) {
		t.Fatalf("the move is %s", last)
	}
	classes := 500
	if server == "east" && at == "fenced" {
		classes++
	}
	mustLiveOn(t, c, s, to, classes)
	for _, name := range []string{from, to} {
		if n := clusters.One[int](t, clusters.Node(t, c, name).Admin(),
			`select (select count(*) from pg_replication_slots) + (select count(*) from pg_subscription) + (select count(*)
					from pg_publication)`); n != 0 {
			t.Errorf("%d things are left on node %s", n, name)
		}
	}
}
