package fleet_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"homeroom/fleet"
	"homeroom/localstack"
	"homeroom/testkit"
)

// combination is what an installation stands on.
type combination struct {
	redis            string
	pooler, two, tls bool
}

func (c combination) String() string {
	name := map[string]string{"": "one Redis", "sentinel": "Sentinel", "cluster": "Redis Cluster"}[c.redis]
	if c.pooler {
		name += ", PgBouncer"
	} else {
		name += ", direct"
	}
	if c.tls {
		name += ", TLS"
	}
	if c.two {
		return name + ", two Postgres"
	}
	return name + ", one Postgres"
}

// servers are Postgres servers, and one Redis, that are reached by TLS alone; nil: those all tests share.
func (c combination) servers(t *testing.T) *localstack.Stack {
	t.Helper()
	if !c.tls {
		return nil
	}
	stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: []string{"main", "north"},
		Redis: c.redis == "", TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stack.Stop() })
	return stack
}

// everything says that time does not matter.
func everything() bool { return os.Getenv("HOMEROOM_MATRIX") == "all" }

// combinations are two that have everything in them once; HOMEROOM_MATRIX=all is every one.
func combinations() []combination {
	if !everything() {
		return []combination{{redis: "cluster", pooler: true, two: true}, {redis: "sentinel", tls: true}}
	}
	all := []combination{{redis: "sentinel", tls: true}, {redis: "cluster", two: true, tls: true}, {pooler: true, tls: true}}
	for _, redis := range []string{"", "sentinel", "cluster"} {
		for _, pooler := range []bool{false, true} {
			for _, two := range []bool{false, true} {
				all = append(all, combination{redis: redis, pooler: pooler, two: two})
			}
		}
	}
	return all
}

// rounds is how often all instances are restarted; HOMEROOM_ROUNDS says more.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HOMEROOM_ROUNDS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("HOMEROOM_ROUNDS: %v", err)
	}
	return n
}

// house is an installation with one school.
type house struct {
	*fleet.Fleet
	super  *testkit.Client
	school *fleet.School
	metres int                      // how far the bus has come
	heard  map[string]time.Duration // how long a change took to be in force on the other instances
}

// rides is the limit the drivers of these tests run into; no other test is a driver's.
const rides = 10

func TestInstancesBehindNginxAreOneServiceOnWhateverTheyStand(t *testing.T) {
	t.Parallel()
	for n, c := range combinations() {
		t.Run(c.String(), func(t *testing.T) {
			began := time.Now()
			h := &house{heard: map[string]time.Duration{}}
			h.Fleet = fleet.Start(t, fleet.Options{Redis: c.redis, Pooler: c.pooler, TwoServers: c.two, TLS: c.tls, Stack: c.servers(t),
				Env: []string{"HOMEROOM_LIMIT_RIDE=" + strconv.Itoa(rides) + "-M"}})
			started := time.Since(began)
			for _, part := range []struct {
				name string
				act  func(*testing.T)
			}{
				{"everybody signs in through nginx", h.signsIn},
				{"a school is onboarded from any instance, and watched from another", h.onboards},
				{"what one writes all read", h.writes},
				{"a limit is one limit", h.limits},
				{"a change of rights and of settings is in force everywhere", h.changes},
				{"a bus is seen from another instance", h.drives},
				{"polling stays with its instance", h.polls},
				{"nginx is what its configuration says", h.fronts},
				{"migrations run from any instance", h.migrates},
			} {
				if !t.Run(part.name, part.act) {
					t.FailNow()
				}
			}
			smoked := time.Since(began)
			if n == 0 || os.Getenv("HOMEROOM_ROUNDS") != "" {
				t.Run("restarted one after another they lose nobody", h.restarts)
			}
			t.Logf("%s: started in %.1f s, walked through in %.1f s, in force elsewhere after %v", c, started.Seconds(),
				(smoked - started).Seconds(), h.heard)
		})
	}
}
