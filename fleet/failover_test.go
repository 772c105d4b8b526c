package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/fleet"
	"homeroom/localstack"
	"homeroom/modules/fee"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// clerks are so many desks that take payments, one after another.
const clerks = 4

// till is what the clerks were told. Who is not answered, or told to come back, sends the same payment again.
type till struct {
	done  atomic.Int64
	ended atomic.Bool
	all   sync.WaitGroup

	mu       sync.Mutex
	receipts map[uuid.UUID]int64
	refused  []string
	longest  time.Duration // between two payments that were acknowledged
	last     time.Time
}

// collect opens the desks of a school, which close with the test.
func collect(t *testing.T, s *fleet.School) *till {
	t.Helper()
	at := &till{receipts: map[uuid.UUID]int64{}, last: time.Now()}
	for desk := range clerks {
		clerk := caller(t, s.Office)
		at.all.Go(func() {
			for n := 1; !at.ended.Load(); n++ {
				at.pay(clerk, s.Children[(desk+n)%len(s.Children)], int64(100*desk+n))
			}
		})
	}
	t.Cleanup(at.close)
	return at
}

func (at *till) close() {
	at.ended.Store(true)
	at.all.Wait()
}

func (at *till) pay(clerk *testkit.Client, child uuid.UUID, amount int64) {
	keyed := clerk.With("Idempotency-Key", uuid.NewString())
	for begun := time.Now(); time.Since(begun) < wait.Limit; {
		a, err := keyed.TryCall("POST", "/school-admin/fee/collection/record",
			map[string]any{"studentId": child, "amount": amount, "paymentMode": "CASH", "confirmRepeat": true})
		if err == nil && a.Status == 201 {
			var got struct{ Data fee.Collection }
			if err = json.Unmarshal(a.Body, &got); err == nil {
				at.took(got.Data.ID, amount)
				return
			}
		}
		if err == nil && a.Status != 503 {
			at.refuse("%d %s %s", a.Status, a.Body, a.Errors)
			return
		}
	}
	at.refuse("a payment was not taken within %v", wait.Limit)
}

func (at *till) took(id uuid.UUID, amount int64) {
	at.mu.Lock()
	defer at.mu.Unlock()
	if _, twice := at.receipts[id]; twice {
		at.refused = append(at.refused, fmt.Sprintf("receipt %s is the answer to two payments", id))
	}
	at.receipts[id] = amount
	at.longest, at.last = max(at.longest, time.Since(at.last)), time.Now()
	at.done.Add(1)
}

func (at *till) refuse(format string, args ...any) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.refused = append(at.refused, fmt.Sprintf(format, args...))
}

// goesOn waits until every desk has taken payments that were begun after this moment.
func (at *till) goesOn(t *testing.T, when string) {
	t.Helper()
	from := at.done.Load() + 3*clerks
	wait.Eventually(t, "payments are taken "+when, func() bool { return at.done.Load() >= from })
}

// failovers are what the schools' servers may be reached by; HOMEROOM_FAILOVER=all is every way.
func failovers() []combination {
	if os.Getenv("HOMEROOM_FAILOVER") == "all" {
		return []combination{{redis: "sentinel", pooler: true, two: true}, {redis: "sentinel", two: true}, {redis: "sentinel"}, {redis: "sentinel", pooler: true}}
	}
	return []combination{{redis: "sentinel", pooler: true, two: true}}
}

func TestFailover_ServersDieUnderPayments_NoneLostOrDoubled(t *testing.T) {
	t.Parallel()
	for _, c := range failovers() {
		t.Run(c.String(), func(t *testing.T) {
			servers := []string{"main"}
			if c.two {
				servers = []string{"main", "north"}
			}
			stack, err := localstack.Start(t.Context(), localstack.Options{Dir: t.TempDir(), Postgres: servers, Crashable: true,
				MaxConnections: 200})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stack.Stop() })
			f := fleet.Start(t, fleet.Options{Instances: 2, Redis: c.redis, Pooler: c.pooler, TwoServers: c.two, Stack: stack, Standbys: true})
			failOver(t, f, stack, servers)
		})
	}
}

func failOver(t *testing.T, f *fleet.Fleet, stack *localstack.Stack, servers []string) {
	super := f.SuperAdmin(t)
	school := f.NewSchool(t, super, 2)
	desk := collect(t, school)
	desk.goesOn(t, "before anything fails")

	schools := servers[len(servers)-1] // where the schools are; the platform is on the first
	for _, server := range servers {
		if err := stack.KillPostgres(server); err != nil {
			t.Fatal(err)
		}
		if err := stack.Promote(t.Context(), server+"-standby"); err != nil {
			t.Fatal(err)
		}
		if f.Pooler != nil && server == schools {
			if err := f.Pooler.LeadTo(stack.PostgresURL(server + "-standby")); err != nil {
				t.Fatal(err)
			}
		}
		desk.goesOn(t, "after the standby of "+server+" has taken over")
	}
	if err := f.Redises.KillFirst(); err != nil {
		t.Fatal(err)
	}
	desk.goesOn(t, "after the replica of Redis has taken over")

	// The server that died comes back as the standby, at the address it had: the first in the list.
	if err := stack.Follow(t.Context(), schools, schools+"-standby"); err != nil {
		t.Fatal(err)
	}
	f.Instances[0].Stop(t)
	f.Instances[0].Start(t)
	desk.goesOn(t, "after an instance has begun anew")
	if f.Pooler != nil {
		t.Run("a pooler that leads to a standby", func(t *testing.T) { misled(t, f, stack, school, desk, schools) })
	}
	desk.close()

	for _, words := range desk.refused {
		t.Error(words)
	}
	list := testkit.Get[api.Page[fee.Receipt]](t, school.Office, "/school-admin/fee/collection/list?limit=1")
	if list.Total != len(desk.receipts) {
		t.Errorf("%d receipts, %d payments were acknowledged", list.Total, len(desk.receipts))
	}
	for id, amount := range desk.receipts {
		if got := testkit.Get[fee.Receipt](t, school.Office, "/school-admin/fee/receipt/"+id.String()); got.Amount != amount {
			t.Errorf("receipt %s is of %d, %d was taken", id, got.Amount, amount)
		}
	}
	f.NewSchool(t, super, 0)
	if len(servers) == 2 {
		moves(t, f, super, stack, school)
	}
	t.Logf("%d payments acknowledged, none lost; the longest pause was %.1f s", len(desk.receipts), desk.longest.Seconds())
}

// moves takes the school from the server that has taken over to the platform's: the copy finds both by their list of
// addresses, of which the first is a standby's or nobody's.
func moves(t *testing.T, f *fleet.Fleet, super *testkit.Client, stack *localstack.Stack, s *fleet.School) {
	t.Helper()
	before := testkit.Get[api.Page[fee.Receipt]](t, s.Office, "/school-admin/fee/collection/list?limit=1").Total
	testkit.Database(t, stack, "main-standby", "second")
	testkit.Post[struct{ Name string }](t, super, "/super-admin/node/create",
		map[string]any{"name": "second", "url": stack.EitherURL("second", "main", "main-standby")})
	f.Run(t, "school", "move", s.ID.String(), "second")
	if after := testkit.Get[api.Page[fee.Receipt]](t, s.Office, "/school-admin/fee/collection/list?limit=1").Total; after != before {
		t.Errorf("%d receipts before the move, %d after it", before, after)
	}
}

// misled has the pooler lead to the standby for a while: what is written then is told to come back, and reads go on.
func misled(t *testing.T, f *fleet.Fleet, stack *localstack.Stack, s *fleet.School, desk *till, standby string) {
	if err := f.Pooler.LeadTo(stack.PostgresURL(standby)); err != nil {
		t.Fatal(err)
	}
	clerk := caller(t, s.Office)
	wait.Eventually(t, "a payment at the standby is told to come back", func() bool {
		a, err := clerk.With("Idempotency-Key", uuid.NewString()).TryCall("POST", "/school-admin/class/create", map[string]any{"name": uuid.NewString()[:8]})
		return err == nil && a.Status == 503
	})
	if err := f.Pooler.LeadTo(stack.PostgresURL(standby + "-standby")); err != nil {
		t.Fatal(err)
	}
	desk.goesOn(t, "after the pooler leads to the right server")
}
