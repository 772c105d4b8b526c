package realtime_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/localstack"
	"homeroom/realtime/ioclient"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// flows drives until the watcher sees the bus move, and says how far it came. The first
// positions may come before the room is listened to.
func flows(t *testing.T, driver, watcher *ioclient.Client, from int) int {
	t.Helper()
	for n, limit := from, wait.Deadline(); time.Now().Before(limit); n++ {
		must(t, driver, "update-location", at(n))
		for waiting := time.After(50 * time.Millisecond); ; {
			select {
			case e := <-watcher.Events:
				if e.Name == "location" {
					return n + 1
				}
				continue
			case <-watcher.Closed:
				t.Fatal(watcher.Err())
			case <-waiting:
			}
			break
		}
	}
	t.Fatal("the watcher sees nothing")
	return 0
}

func TestADriverOnOneInstanceIsSeenOnTheOtherAlsoAfterRedisRestarts(t *testing.T) {
	t.Parallel()
	stack := testkit.Private(t)
	var dials atomic.Int64
	counted := func(_ *config.Config, o *service.Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	one, two := testkit.StartOn(t, stack, "homeroom"), testkit.StartOn(t, stack, "homeroom", counted)
	l := newLine(t, one)
	l.command(t, "start")
	driver, parent := dial(t, one, l.driver), dial(t, two, l.parent)
	must(t, parent, "join-bus-room", l.room())
	n := flows(t, driver, parent, 0)
	if err := stack.StopRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, driver, "update-location", at(n+1)) // it goes on without
	// However long Redis is away, it is looked for again and again: with pauses that grew
	// without end, so many tries would take longer than anybody waits.
	for range 2 {
		before := dials.Load()
		testkit.Eventually(t, "Redis is looked for", func() bool { return dials.Load() >= before+12 })
	}
	if err := stack.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}
	flows(t, driver, parent, n+2)
	late := dial(t, two, l.admin)
	must(t, late, "join-bus-room", l.room())
	hears(t, late, "location", anything)
}

func TestWhenAnInstanceIsKilledTheDriveGoesOnOnTheOther(t *testing.T) {
	t.Parallel()
	one := testkit.Shared(t)
	l := newLine(t, one)
	l.command(t, "start")
	other, kill := testkit.Killable(t)
	connect := func(c *testkit.Client) *ioclient.Client { return dial(t, other, c) }
	driver, watcher, parent := connect(l.driver), connect(l.admin), dial(t, one, l.parent)
	must(t, watcher, "join-bus-room", l.room())
	must(t, parent, "join-bus-room", l.room())
	n := flows(t, driver, parent, 10)
	kept := l.Count(t, "location", "trip_id = ?", l.trip)
	if kept < n-10 {
		t.Errorf("%d of %d acknowledged positions are in the trail", kept, n-10)
	}
	kill()
	cutOff(t, driver, nil)
	cutOff(t, watcher, nil)
	// Both come back to the instance that lives, as clients do, and find the bus there.
	driver, watcher = dial(t, one, l.driver), dial(t, one, l.admin)
	must(t, watcher, "join-bus-room", l.room())
	hears(t, watcher, "location", func(s seen) bool { return s.Lat == at(n - 1)["lat"] })
	must(t, driver, "update-location", at(n+20))
	for _, c := range []*ioclient.Client{parent, watcher} {
		hears(t, c, "location", func(s seen) bool { return s.Lat == at(n + 20)["lat"] })
	}
	if now := l.Count(t, "location", "trip_id = ?", l.trip); now != kept+1 {
		t.Errorf("%d positions in the trail, %d before", now, kept)
	}
}

func TestEverythingThatUsesRedisWorksOnAClusterAndUnderASentinel(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(context.Context, string, bool) (*localstack.Redises, error){
		"a cluster": localstack.StartRedisCluster, "a Sentinel": localstack.StartRedisSentinel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers, err := start(t.Context(), t.TempDir(), false)
			if err != nil {
				t.Fatalf("starting Redis: %v", err)
			}
			t.Cleanup(func() { _ = servers.Stop() })
			const most = 40
			there := func(c *config.Config, o *service.Options) {
				c.RedisURL, c.LimitRead = servers.URL(), fmt.Sprintf("%d-M", most)
			}
			one, two := testkit.Start(t, there), testkit.Start(t, there)
			l := newLine(t, one)

			signIn(t, l, one, two)
			limitedTo(t, most, l.As(t, api.SchoolAdmin), one, two)
			l.command(t, "start")
			driver, parent := dial(t, one, l.driver), dial(t, two, l.parent)
			must(t, parent, "join-bus-room", l.room())
			n := flows(t, driver, parent, 0)
			if name != "a Sentinel" {
				return
			}
			// The master dies, and the Sentinel makes the replica the master.
			if err := servers.KillFirst(); err != nil {
				t.Fatal(err)
			}
			flows(t, driver, parent, n+10)
			signIn(t, l, two, one)
		})
	}
}

// signIn asks for a code on one instance and signs in with it on the other.
func signIn(t *testing.T, l *line, asked, used *testkit.App) {
	t.Helper()
	var p testkit.Person
	testkit.Eventually(t, "a code is sent", func() bool { // a master that was made a moment ago may not be known yet
		p = l.Add(t, testkit.Person{Role: api.Parent})
		a, err := asked.Nobody().TryCall("POST", "/parent/user-auth/send-otp", map[string]any{"phone": p.Phone})
		return err == nil && a.Status == 200 && len(asked.Sent(t, p.Phone)) > 0
	})
	a := used.Nobody().Call(t, "POST", "/parent/user-auth/verify-otp", map[string]any{"phone": p.Phone, "otp": asked.OTP(t, p.Phone)})
	if a.Status != 200 {
		t.Fatalf("signing in: %d %s", a.Status, a.Body)
	}
}

// limitedTo has somebody read on both instances at once.
func limitedTo(t *testing.T, most int64, c *testkit.Client, apps ...*testkit.App) {
	t.Helper()
	var good, refused, other atomic.Int64
	var calls sync.WaitGroup
	for i := range 3 * most {
		calls.Go(func() {
			a, err := c.On(apps[int(i)%len(apps)]).TryCall("GET", "/school-admin/class/list", nil)
			switch {
			case err == nil && a.Status == 200:
				good.Add(1)
			case err == nil && a.Status == 429:
				refused.Add(1)
			default:
				other.Add(1)
			}
		})
	}
	calls.Wait()
	if good.Load() != most || other.Load() != 0 {
		t.Errorf("%d were let through, %d refused, %d something else; the limit is %d", good.Load(), refused.Load(), other.Load(), most)
	}
}
