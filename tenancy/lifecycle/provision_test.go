package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

var stepNames = []string{"reserve", "schema", "roles", "admin", "activate"}

func quiet(string) {}

// request asks for a school with an administrator.
func request(t *testing.T, p *lifecycle.Provisioner, code string) *tenancy.School {
	t.Helper()
	n := clusters.Ask(code)
	n.Admin = json.RawMessage(`{"name": "head@school.test"}`)
	s, err := p.Request(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustBeWhole checks that nothing is missing, doubled or left over.
func mustBeWhole(t *testing.T, c *tenancy.Cluster, id uuid.UUID) {
	t.Helper()
	s := clusters.Find(t, c, id)
	if s.Status != tenancy.Active || s.SchemaVersion != c.SchoolVersion() {
		t.Fatalf("the school is %s at version %d", s.Status, s.SchemaVersion)
	}
	admin := clusters.Node(t, c, s.Node).Admin()
	const tables = `select count(*) from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`
	if got, want := clusters.One[int](t, admin, tables, s.Schema), clusters.One[int](t, admin, tables, tenancy.TemplateSchema); got != want {
		t.Errorf("it has %d tables, the template %d", got, want)
	}
	db := clusters.Bound(t, c, s, tenancy.ReadOnly)
	var admins []string
	if err := db.Raw(`select u.email from app_user u join role r on r.id = u.role_id where r.system`).Scan(&admins).Error; err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(admins, []string{"head@school.test"}) {
		t.Errorf("its administrators are %v", admins)
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.provisioning_request where school_id = $1`, id); got != 0 {
		t.Error("what was asked for is still kept")
	}
	progress, err := lifecycle.NewProvisioner(c).Progress(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if progress.Percent != 100 || len(progress.Steps) != len(stepNames) || progress.Error != "" {
		t.Errorf("progress: %+v", progress)
	}
}

// mustHaveNoStrays checks that every schema on the node is known to the directory.
func mustHaveNoStrays(t *testing.T, c *tenancy.Cluster) {
	t.Helper()
	rows, err := clusters.Node(t, c, "main").Admin().Query(t.Context(),
		`select nspname::text from pg_namespace where nspname like 'school!_%' escape '!' and nspname <> 'school_template'`)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas {
		if clusters.One[int](t, c.PlatformPool(), `select (select count(*) from platform.school where schema_name = $1) + (select count(*)
			from platform.spare_schema where schema_name = $1)`, schema) != 1 {
			t.Errorf("schema %s is nobody's, or two's", schema)
		}
	}
}

func TestProvisioningKilledAtAnyStepIsResumed(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.PlatformConns, o.AdminConns = 8, 8
	c := clusters.Ready(t, o)
	t.Run("kill", func(t *testing.T) {
		points := []string{"roles inside", "admin inside"}
		for _, step := range stepNames {
			points = append(points, step+" begun", step+" done")
		}
		for _, point := range points {
			t.Run(point, func(t *testing.T) {
				t.Parallel()
				p := provisioner(c, quiet)
				s := request(t, p, strings.ReplaceAll(point, " ", "-"))
				clusters.Child{School: s.ID, KillAt: point}.Die(t, o)
				if status := clusters.Find(t, c, s.ID).Status; (status == tenancy.Active) != (point == "activate done") {
					t.Errorf("after the kill the school is %s", status)
				}
				if err := p.Run(t.Context(), s.ID); err != nil {
					t.Fatal(err)
				}
				mustBeWhole(t, c, s.ID)
			})
		}
	})
	mustHaveNoStrays(t, c)
}

func TestProvisioningKilledWhileItsTablesAreMadeIsResumed(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	// The last migration waits for a lock this test holds: the child dies in the middle.
	o.Migrations = clusters.AndThen(clusters.FewTables, `select pg_advisory_xact_lock_shared(4711)`)
	c := clusters.Ready(t, o)
	p := provisioner(c, quiet)
	s := request(t, p, "one")
	gate := clusters.Connect(t, o.PlatformURL)
	clusters.Exec(t, gate, `select pg_advisory_lock(4711)`)
	instance := clusters.Child{School: s.ID}.Start(t, o)
	for waiting := 0; waiting == 0; {
		waiting = clusters.One[int](t, gate, `select count(*) from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`)
	}
	if err := instance.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	clusters.MustBeKilled(t, instance)
	if got := clusters.One[int](t, gate, `select count(*) from pg_namespace where nspname like 'school!_%' escape '!'
		and nspname <> 'school_template'`); got != 0 {
		t.Errorf("%d half-made schemas can be seen", got)
	}
	// The server has not noticed yet and still works for the dead: we wait for it.
	resumed := make(chan error)
	go func() { resumed <- p.Run(t.Context(), s.ID) }()
	clusters.Exec(t, gate, `select pg_advisory_unlock_all()`)
	if err := <-resumed; err != nil {
		t.Fatal(err)
	}
	mustBeWhole(t, c, s.ID)
	mustHaveNoStrays(t, c)
}

func TestTwoInstancesProvisionTheSameSchoolAtOnce(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	var ran atomic.Int64
	inside := func(string) { ran.Add(1) }
	instances := []*lifecycle.Provisioner{provisioner(c, inside), provisioner(clusters.Open(t, o), inside),
		provisioner(clusters.Open(t, o), inside)}
	s := request(t, instances[0], "one")
	clusters.Together(t, 3*len(instances), func(i int) error { return instances[i%3].Run(t.Context(), s.ID) })
	mustBeWhole(t, c, s.ID)
	mustHaveNoStrays(t, c)
	if ran.Load() != 2 {
		t.Errorf("%d steps were done, want each of the two once", ran.Load())
	}
}

func TestASchoolCutOffAtAnyStepWaitsAndIsResumed(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	for _, step := range stepNames {
		p := provisioner(c, quiet)
		s := request(t, p, step)
		ctx, cut := context.WithCancel(t.Context())
		p.Stepped = func(_ uuid.UUID, name string, done bool) {
			if name == step && !done {
				cut()
			}
		}
		if err := p.Run(ctx, s.ID); !errors.Is(err, context.Canceled) {
			t.Errorf("cut at %s: %v", step, err)
		}
		if status := clusters.Find(t, c, s.ID).Status; status != tenancy.Provisioning {
			t.Errorf("cut at %s the school is %s", step, status)
		}
		p.Stepped = nil
		if err := p.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustBeWhole(t, c, s.ID)
	}
	mustHaveNoStrays(t, c)
}

func TestAStepThatFailsIsRetriedWhereItStopped(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	var changes atomic.Int64
	c.Changed = func(uuid.UUID) { changes.Add(1) }
	for _, how := range []string{"error", "panic"} {
		broken := true
		runs := map[string]int{}
		p := lifecycle.NewProvisioner(c,
			lifecycle.Step{Name: "first", Run: func(context.Context, *tenancy.School, json.RawMessage) error { runs["first"]++; return nil }},
			lifecycle.Step{Name: "second", Run: func(context.Context, *tenancy.School, json.RawMessage) error {
				runs["second"]++
				if broken && how == "panic" {
					panic("out of chalk")
				}
				if broken {
					return errors.New("out of chalk")
				}
				return nil
			}},
		)
		s := request(t, p, how)
		if err := p.Run(t.Context(), s.ID); err == nil || !strings.Contains(err.Error(), "out of chalk") {
			t.Errorf("%s: %v", how, err)
		}
		progress, err := p.Progress(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if progress.School.Status != tenancy.Failed || progress.Percent != 60 || !strings.Contains(progress.Error, "out of chalk") {
			t.Errorf("%s: %+v", how, progress)
		}
		broken = false
		if s, err = p.Retry(t.Context(), s.ID); err != nil || s.Status != tenancy.Provisioning {
			t.Fatalf("%s: retry: %v %v", how, s, err)
		}
		before := changes.Load()
		if err := p.Run(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		if changes.Load() == before {
			t.Error("nobody was told that the school is active")
		}
		if s = clusters.Find(t, c, s.ID); s.Status != tenancy.Active || runs["first"] != 1 || runs["second"] != 2 {
			t.Errorf("%s: the school is %s, the steps ran %v", how, s.Status, runs)
		}
	}
}

func TestACodeIsTakenOnce(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	p := lifecycle.NewProvisioner(c)
	var made, taken atomic.Int64
	clusters.Together(t, 12, func(i int) error {
		_, err := p.Request(t.Context(), clusters.Ask([]string{"oak", "Oak", "OAK"}[i%3]))
		if errors.Is(err, tenancy.ErrCodeTaken) {
			taken.Add(1)
			return nil
		}
		made.Add(1)
		return err
	})
	if made.Load() != 1 || taken.Load() != 11 {
		t.Errorf("made %d, refused %d", made.Load(), taken.Load())
	}
}

func TestWhatTheCallerAddsIsInTheSameTransaction(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	_, err := lifecycle.NewProvisioner(c).Request(t.Context(), clusters.Ask("one"),
		func(context.Context, pgx.Tx) error { return errors.New("no ink") })
	if err == nil || clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.school`) != 0 {
		t.Errorf("%v, and the school is there", err)
	}
}

func TestASpareIsClaimedWithoutTouchingItsNode(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 3
	c := clusters.Ready(t, o)
	// Two instances keep spares at once.
	instances := []*tenancy.Cluster{c, clusters.Open(t, o)}
	clusters.Together(t, 4, func(i int) error { _, err := lifecycle.KeepSpares(t.Context(), instances[i%2]); return err })
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const ready = `select count(*) from platform.spare_schema where ready`
	if got := clusters.One[int](t, c.PlatformPool(), ready); got != 3 {
		t.Fatalf("%d spares are ready, want 3", got)
	}
	spares := clusters.One[[]string](t, c.PlatformPool(), `select array_agg(schema_name) from platform.spare_schema`)
	p := provisioner(c, quiet)
	var ids []uuid.UUID
	for _, code := range []string{"a", "b", "c", "d"} {
		ids = append(ids, request(t, p, code).ID)
	}
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 0 {
		t.Errorf("while schools wait, %d spares were made: %v", made, err)
	}
	clusters.Together(t, len(ids), func(i int) error { return p.Run(t.Context(), ids[i]) })
	claimed := 0
	for _, id := range ids {
		mustBeWhole(t, c, id)
		if slices.Contains(spares, clusters.Find(t, c, id).Schema) {
			claimed++
		}
	}
	if claimed != 3 {
		t.Errorf("%d of 3 spares were claimed by 4 schools", claimed)
	}
	if got := clusters.One[int](t, c.PlatformPool(), ready); got != 0 {
		t.Errorf("%d spares are left", got)
	}
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 3 {
		t.Errorf("afterwards %d spares were made: %v", made, err)
	}
	mustHaveNoStrays(t, c)
}

func TestKeepSpares_WhileSparesWait_MakesNone(t *testing.T) {
	t.Parallel()
	o, wait := clusters.Options(t), true
	o.Spares, o.SparesWait = 1, func() bool { return wait }
	c := clusters.Ready(t, o)
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 0 {
		t.Errorf("while they wait %d were made: %v, want none", made, err)
	}
	wait = false
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 1 {
		t.Errorf("when they do not %d were made: %v, want 1", made, err)
	}
}

func TestASpareThatIsBehindIsMigratedWhenItIsClaimed(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 1
	o.Migrations = migrations.School()[:1]
	if _, err := lifecycle.KeepSpares(t.Context(), clusters.Ready(t, o)); err != nil {
		t.Fatal(err)
	}
	o.Migrations = migrations.School()
	c := clusters.Ready(t, o)
	p := provisioner(c, quiet)
	s := request(t, p, "one")
	if err := p.Run(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	mustBeWhole(t, c, s.ID)
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.spare_schema`); got != 0 {
		t.Error("the spare was not used")
	}
}

func TestASpareThatWasNeverFinishedIsRemoved(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 1
	c := clusters.Ready(t, o)
	if _, err := lifecycle.KeepSpares(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var schema string
	err := c.PlatformPool().QueryRow(t.Context(), `update platform.spare_schema set ready = false, created_at = $1 returning schema_name`,
		time.Now().Add(-time.Hour)).Scan(&schema)
	if err != nil {
		t.Fatal(err)
	}
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 1 {
		t.Errorf("made %d: %v", made, err)
	}
	admin := clusters.Node(t, c, "main").Admin()
	if clusters.One[int](t, admin, `select (select count(*) from pg_namespace where nspname = $1) + (select count(*) from pg_roles
		where rolname = $1)`, schema) != 0 {
		t.Error("the schema or its role is still there")
	}
	mustHaveNoStrays(t, c)
}

func TestASchoolGoesOnlyWhereItMay(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	p := lifecycle.NewProvisioner(c)
	s, err := p.Request(t.Context(), clusters.Ask("one"))
	if err != nil {
		t.Fatal(err)
	}
	moves := map[string]func() (*tenancy.School, error){
		"suspend":  func() (*tenancy.School, error) { return c.SetStatus(t.Context(), s.ID, tenancy.Suspended) },
		"activate": func() (*tenancy.School, error) { return c.SetStatus(t.Context(), s.ID, tenancy.Active) },
		"archive":  func() (*tenancy.School, error) { return c.SetStatus(t.Context(), s.ID, tenancy.Archived) },
		"retry":    func() (*tenancy.School, error) { return p.Retry(t.Context(), s.ID) },
	}
	allowed := map[tenancy.Status][]string{
		tenancy.Provisioning: {}, tenancy.Active: {"suspend"}, tenancy.Suspended: {"activate", "archive"}, tenancy.Archived: {},
		tenancy.Failed: {"retry"},
	}
	for from, may := range allowed {
		for name, move := range moves {
			if _, err := c.PlatformPool().Exec(t.Context(), `update platform.school set status = $2 where id = $1`, s.ID, from); err != nil {
				t.Fatal(err)
			}
			_, err := move()
			var refused tenancy.TransitionError
			if slices.Contains(may, name) != (err == nil) || (err != nil && (!errors.As(err, &refused) || refused.From != from)) {
				t.Errorf("%s of a school that is %s: %v", name, from, err)
			}
		}
	}
	if _, err := c.SetStatus(t.Context(), uuid.New(), tenancy.Suspended); !errors.Is(err, tenancy.ErrSchoolNotFound) {
		t.Errorf("suspending nobody: %v", err)
	}
}
