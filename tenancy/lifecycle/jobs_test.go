package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
	"homeroom/testkit/wait"
)

// work starts an instance that works off the queue until the test ends.
func work(t *testing.T, c *tenancy.Cluster, p *lifecycle.Provisioner) *lifecycle.Jobs {
	t.Helper()
	jobs, err := lifecycle.NewJobs(c, lifecycle.JobsOptions{Provisioner: p, Migrator: lifecycle.NewMigrator(c), Grace: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := jobs.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := jobs.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return jobs
}

// became waits until the cluster's hint says that the school has a status.
func became(t *testing.T, c *tenancy.Cluster, changed <-chan uuid.UUID, id uuid.UUID, want tenancy.Status) {
	t.Helper()
	deadline := time.After(wait.Limit)
	for {
		if clusters.Find(t, c, id).Status == want {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("the school stays %s", clusters.Find(t, c, id).Status)
		}
	}
}

func hints(c *tenancy.Cluster) <-chan uuid.UUID {
	changed := make(chan uuid.UUID, 1000)
	c.Changed = func(id uuid.UUID) { changed <- id }
	return changed
}

func TestARequestedSchoolIsMadeByWhoeverWorks(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.PlatformConns, o.Spares = 8, 1
	c, other := clusters.Ready(t, o), clusters.Open(t, o)
	changed := hints(c)
	other.Changed = c.Changed
	p := provisioner(c, quiet)
	work(t, c, p)
	work(t, other, provisioner(other, quiet))
	for _, code := range []string{"a", "b", "c"} {
		s := request(t, p, code)
		became(t, c, changed, s.ID, tenancy.Active)
		mustBeWhole(t, c, s.ID)
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.river_job where kind = 'provision'`); got != 3 {
		t.Errorf("there were %d jobs for 3 schools", got)
	}
}

func TestARequestThatIsRolledBackLeavesNoJob(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	p := provisioner(c, quiet)
	if _, err := lifecycle.NewJobs(c, lifecycle.JobsOptions{Provisioner: p, Migrator: lifecycle.NewMigrator(c)}); err != nil {
		t.Fatal(err)
	}
	request(t, p, "one")
	if _, err := p.Request(t.Context(), clusters.Ask("one")); !errors.Is(err, tenancy.ErrCodeTaken) {
		t.Error(err)
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.river_job where kind = 'provision'`); got != 1 {
		t.Errorf("there are %d jobs for one school", got)
	}
}

func TestTheSchoolOfAKilledInstanceIsTakenUp(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.PlatformConns = 8
	c := clusters.Ready(t, o)
	changed := hints(c)
	p := provisioner(c, quiet)
	// The request is on the queue, but only the child works.
	if _, err := lifecycle.NewJobs(c, lifecycle.JobsOptions{Provisioner: p, Migrator: lifecycle.NewMigrator(c)}); err != nil {
		t.Fatal(err)
	}
	s := request(t, p, "one")
	clusters.Child{KillAt: "admin begun", Jobs: true}.Die(t, o)
	if got := clusters.One[string](t, c.PlatformPool(), `select state::text from platform.river_job where kind = 'provision'`); got != "running" {
		t.Fatalf("the dead child's job is %s", got)
	}
	begun := time.Now()
	work(t, c, p)
	became(t, c, changed, s.ID, tenancy.Active)
	t.Logf("taken up after %v", time.Since(begun))
	mustBeWhole(t, c, s.ID)
}

func TestAnInstanceThatStopsPutsItsJobsBack(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.PlatformConns = 8
	c, other := clusters.Ready(t, o), clusters.Open(t, o)
	changed := hints(c)
	other.Changed = c.Changed
	var stuck atomic.Bool
	entered := make(chan struct{})
	step := lifecycle.Step{Name: "slow", Run: func(ctx context.Context, _ *tenancy.School, _ json.RawMessage) error {
		if stuck.CompareAndSwap(false, true) {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	p := lifecycle.NewProvisioner(c, step)
	jobs := work(t, c, p)
	s := request(t, p, "one")
	<-entered
	if err := jobs.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := clusters.Find(t, c, s.ID).Status; got != tenancy.Provisioning {
		t.Errorf("when the instance has stopped, the school is %s", got)
	}
	if got := clusters.One[string](t, c.PlatformPool(), `select state::text || attempt from platform.river_job where kind = 'provision'`); got != "available0" {
		t.Errorf("and its job is %s", got)
	}
	work(t, other, lifecycle.NewProvisioner(other, step))
	became(t, c, changed, s.ID, tenancy.Active)
}

func TestTheClockMigratesTheFleetAndKeepsSpares(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.PlatformConns = 8
	_, schools := clusters.Fleet(t, &o, clusters.Pupils, 5)
	o.Spares = 2
	o.Migrations = clusters.AndThen(clusters.Pupils, `alter table pupil add column note text`)
	c := clusters.Ready(t, o)
	if _, err := c.PlatformPool().Exec(t.Context(), `insert into platform.idempotency (actor_id, key, row_name, body_hash, created_at)
		select gen_random_uuid(), 'k', 'r', ''::bytea, now() - interval '25 hours' from generate_series(1, 6000) union all
		select gen_random_uuid(), 'k', 'r', ''::bytea, now() from generate_series(1, 5)`); err != nil {
		t.Fatal(err)
	}
	work(t, c, lifecycle.NewProvisioner(c))
	var behind, spares, answers int
	if !wait.Until(t.Context(), func() bool {
		behind = clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.school where schema_version < 2`)
		spares = clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.spare_schema where ready and schema_version = 2`)
		answers = clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.idempotency`)
		return behind == 0 && spares == 2 && answers == 5
	}) {
		t.Fatalf("%d of %d schools are behind, %d spares, %d answers", behind, len(schools), spares, answers)
	}
}
