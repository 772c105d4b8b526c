package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
	"homeroom/testkit/wait"
)

func TestThreeMigratorsAtOnceMigrateEachSchoolOnce(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Spares = 2
	c, schools := clusters.Fleet(t, &o, clusters.Pupils, 30)
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 2 {
		t.Fatalf("made %d spares: %v", made, err)
	}
	// Done twice, this would fail; and every time it is done, it leaves a row.
	o.Migrations = clusters.AndThen(clusters.Pupils, `create table done (at timestamptz default now()); insert into done default values;`)
	var migrated, failed atomic.Int64
	instances := []*tenancy.Cluster{clusters.Open(t, o), clusters.Open(t, o), clusters.Open(t, o)}
	clusters.Together(t, len(instances), func(i int) error {
		report, err := lifecycle.NewMigrator(instances[i]).Run(t.Context())
		migrated.Add(int64(report.Migrated))
		failed.Add(int64(report.Failed))
		for _, f := range report.Failures {
			t.Error(f)
		}
		return err
	})
	if want := int64(len(schools) + 2 + 1); migrated.Load() != want {
		t.Errorf("%d schemas were migrated, want the %d schools, spares and the template", migrated.Load(), want)
	}
	for _, s := range schools {
		if got := clusters.One[int](t, clusters.Node(t, c, "main").Admin(), `select count(*) from `+tenancy.Ident(s.Schema)+`.done`); got != 1 {
			t.Errorf("school %s was migrated %d times", s.Code, got)
		}
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.school where schema_version = 2
		and migration_error = ''`); got != len(schools) {
		t.Errorf("the directory has %d schools at version 2", got)
	}
	if got := clusters.One[int](t, c.PlatformPool(), `select count(*) from platform.spare_schema where schema_version = 2`); got != 2 {
		t.Errorf("the directory has %d spares at version 2", got)
	}
}

func TestASchoolThatFailsIsReportedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c, schools := clusters.Fleet(t, &o, clusters.Pupils, 8)
	bad := schools[3]
	admin := clusters.Node(t, c, "main").Admin()
	if _, err := admin.Exec(t.Context(), `insert into `+tenancy.Ident(bad.Schema)+`.pupil values (100, 'pupil 1')`); err != nil {
		t.Fatal(err)
	}
	o.Migrations = clusters.AndThen(clusters.AndThen(clusters.Pupils, `alter table pupil add column note text`),
		`create unique index on pupil (name)`)
	c = clusters.Open(t, o)
	var seen []lifecycle.Progress
	m := lifecycle.NewMigrator(c)
	m.Progress = func(p lifecycle.Progress) { seen = append(seen, p) }
	report, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Failures) != 1 || report.Failures[0].School != bad.ID || !strings.Contains(report.Failures[0].Error(), "0003_next") {
		t.Errorf("failures: %v, want one of school %s that names the migration", report.Failures, bad.Code)
	}
	if last := seen[len(seen)-1]; len(seen) != 9 || last != (lifecycle.Progress{Total: 9, Done: 9, Failed: 1}) {
		t.Errorf("progress was told %d times and ended with %+v", len(seen), last)
	}
	for _, s := range schools {
		want, reason := 3, ""
		if s == bad {
			want, reason = 2, "could not create unique index" // what could be done is done
		}
		if got := clusters.Find(t, c, s.ID).SchemaVersion; got != want {
			t.Errorf("school %s has version %d, want %d", s.Code, got, want)
		}
		got := clusters.One[string](t, c.PlatformPool(), `select migration_error from platform.school where id = $1`, s.ID)
		if (got == "") != (reason == "") || !strings.Contains(got, reason) {
			t.Errorf("school %s: error %q, want %q", s.Code, got, reason)
		}
	}
	// A request that meets it is told so, and once it is mended it goes on where it stopped.
	if err := m.EnsureSchool(t.Context(), clusters.Find(t, c, bad.ID)); !errors.Is(err, tenancy.ErrBehind) {
		t.Errorf("a request for it: %v", err)
	}
	if _, err := admin.Exec(t.Context(), `delete from `+tenancy.Ident(bad.Schema)+`.pupil where id = 100`); err != nil {
		t.Fatal(err)
	}
	if report, err = m.Run(t.Context()); err != nil || report.Failed != 0 || report.Migrated != 1 {
		t.Errorf("the second run: %+v, %v", report, err)
	}
	if got := clusters.One[string](t, c.PlatformPool(), `select migration_error from platform.school where id = $1`, bad.ID); got != "" {
		t.Errorf("the error stays: %q", got)
	}
}

func TestATemplateThatFailsKeepsTheSchoolsAsTheyAre(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c, schools := clusters.Fleet(t, &o, clusters.Pupils, 3)
	o.Migrations = clusters.AndThen(clusters.Pupils, `create table pupil ()`)
	report, err := lifecycle.NewMigrator(clusters.Open(t, o)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Failed != 4 || report.Migrated != 0 || report.Failures[0].Schema != tenancy.TemplateSchema {
		t.Errorf("%+v, want the template's failure and the schools not tried", report)
	}
	for _, s := range schools {
		if err := clusters.Bound(t, c, s, tenancy.ReadOnly).Exec(`select id from pupil`).Error; err != nil {
			t.Error(err)
		}
	}
}

func TestABusyTableIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	_, schools := clusters.Fleet(t, &o, clusters.Pupils, 2)
	o.Migrations = clusters.AndThen(clusters.Pupils, `alter table pupil add column note text`)
	c := clusters.Open(t, o)
	blocker := clusters.Connect(t, o.PlatformURL)
	clusters.Exec(t, blocker, `begin`)
	clusters.Exec(t, blocker, `select from `+tenancy.Ident(schools[0].Schema)+`.pupil`)
	m := lifecycle.NewMigrator(c)
	m.LockTimeout = 20 * time.Millisecond
	m.Tries = 2
	report, err := m.Run(t.Context())
	if err != nil || report.Failed != 1 || clusters.Code(report.Failures[0]) != "55P03" {
		t.Fatalf("while it is held: %+v, %v, want a lock timeout", report, err)
	}
	// The other school was not held up; this one is done as soon as the table is free.
	if got := clusters.Find(t, c, schools[1].ID).SchemaVersion; got != 2 {
		t.Errorf("the other school has version %d", got)
	}
	m.Tries = 1000
	refused := make(chan struct{})
	go func() {
		defer close(refused)
		// Every try waits for the lock: seen twice, it was refused at least once.
		watch := clusters.Connect(t, o.PlatformURL)
		for seen := map[time.Time]bool{}; len(seen) < 2; {
			var began time.Time
			err := watch.QueryRow(t.Context(), `select query_start from pg_stat_activity where wait_event_type = 'Lock'
				and query like '%add column note%'
				and pid <> pg_backend_pid() limit 1`).Scan(&began)
			if err == nil {
				seen[began] = true
			} else if !errors.Is(err, pgx.ErrNoRows) {
				t.Error(err)
				return
			}
		}
		if _, err := blocker.Exec(t.Context(), `commit`); err != nil {
			t.Error(err)
		}
	}()
	report, err = m.Run(t.Context())
	<-refused
	if err != nil || report.Failed != 0 || report.Migrated != 1 {
		t.Errorf("once it is free: %+v, %v", report, err)
	}
}

func TestAddingAColumnUnderLoadDisturbsNobody(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.ShardConns = 4
	c, schools := clusters.Fleet(t, &o, clusters.Pupils, 40)
	type Pupil struct {
		ID   int
		Name string
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var reads, writes atomic.Int64
	tick := make(chan struct{})
	var wg sync.WaitGroup
	for reader := range 8 {
		wg.Go(func() {
			defer stop()
			for i := reader; ctx.Err() == nil; i++ {
				s := schools[i*7%len(schools)]
				db := clusters.Bound(t, c, s, tenancy.ReadWrite)
				if i%4 == 0 {
					if err := db.Model(&Pupil{}).Where("id = ?", 1+i%20).Update("name", "renamed").Error; err != nil {
						t.Errorf("writing: %v", err)
						return
					}
					writes.Add(1)
					continue
				}
				var all []Pupil
				if err := db.Order("id").Find(&all).Error; err != nil || len(all) != 20 {
					t.Errorf("reading: %d pupils, %v", len(all), err)
					return
				}
				reads.Add(1)
				select {
				case tick <- struct{}{}:
				default:
				}
			}
		})
	}
	ms := clusters.Pupils
	for _, sql := range []string{`alter table pupil add column note text`, `alter table pupil add column level int not null default 0`,
		`create table house (id int primary key)`} {
		for range 300 { // let every connection have its plans
			select {
			case <-tick:
			case <-ctx.Done():
			}
		}
		ms = clusters.AndThen(ms, sql)
		m := lifecycle.NewMigrator(c)
		m.Migrations = ms
		report, err := m.Run(t.Context())
		if err != nil || report.Failed != 0 || report.Migrated != len(schools)+1 {
			t.Errorf("%s: %+v, %v", sql, report, err)
		}
	}
	stop()
	wg.Wait()
	t.Logf("%d reads, %d writes", reads.Load(), writes.Load())
}

func TestASchoolBehindIsMigratedOnDemandOnce(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	_, schools := clusters.Fleet(t, &o, clusters.Pupils, 1)
	o.Migrations = clusters.AndThen(clusters.Pupils, `create table done (at timestamptz default now()); insert into done default values;`)
	c := clusters.Ready(t, o)
	var told atomic.Int64
	c.Changed = func(id uuid.UUID) {
		if id == schools[0].ID {
			told.Add(1)
		}
	}
	m := lifecycle.NewMigrator(c)
	clusters.Together(t, 20, func(int) error { return m.EnsureSchool(t.Context(), schools[0]) })
	if got := clusters.One[int](t, clusters.Node(t, c, "main").Admin(), `select count(*) from `+tenancy.Ident(schools[0].Schema)+`.done`); got != 1 {
		t.Errorf("migrated %d times", got)
	}
	if told.Load() == 0 {
		t.Error("nobody was told of the change")
	}
	if got := clusters.Find(t, c, schools[0].ID).SchemaVersion; got != 2 {
		t.Errorf("the directory says version %d", got)
	}
}

func TestTheDirectoryIsHealedFromTheSchoolsOwnVersion(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c, schools := clusters.Fleet(t, &o, clusters.AndThen(clusters.Pupils, `alter table pupil add column note text`), 2)
	pool := c.PlatformPool()
	// Migrated, but the instance died before the directory was told.
	if _, err := pool.Exec(t.Context(), `update platform.school set schema_version = 1 where id = $1`, schools[0].ID); err != nil {
		t.Fatal(err)
	}
	report, err := lifecycle.NewMigrator(c).Run(t.Context())
	if err != nil || report.Migrated != 0 || report.Failed != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := clusters.Find(t, c, schools[0].ID).SchemaVersion; got != 2 {
		t.Errorf("the directory says version %d, want 2", got)
	}
	// The directory says it is migrated, but its node was restored from a backup.
	admin := clusters.Node(t, c, "main").Admin()
	for _, sql := range []string{`alter table %[1]s.pupil drop column note`, `comment on schema %[1]s is 'homeroom version 1'`} {
		if _, err := admin.Exec(t.Context(), fmt.Sprintf(sql, tenancy.Ident(schools[1].Schema))); err != nil {
			t.Fatal(err)
		}
	}
	m := lifecycle.NewMigrator(c)
	m.CheckAll = true
	if report, err = m.Run(t.Context()); err != nil || report.Migrated != 1 || report.Failed != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestEnsureSchool_BelievesAFailureByItsClock(t *testing.T) {
	t.Parallel()
	o, clock := clusters.Options(t), wait.NewClock()
	c, schools := clusters.Fleet(t, &o, clusters.Pupils, 1)
	admin, pupil := clusters.Node(t, c, "main").Admin(), tenancy.Ident(schools[0].Schema)+".pupil"
	if _, err := admin.Exec(t.Context(), `insert into `+pupil+` values (100, 'pupil 1')`); err != nil {
		t.Fatal(err)
	}
	o.Migrations, o.Clock = clusters.AndThen(clusters.Pupils, `create unique index on pupil (name)`), clock.Now
	m := lifecycle.NewMigrator(clusters.Open(t, o))
	ensure := func() error { return m.EnsureSchool(t.Context(), clusters.Find(t, c, schools[0].ID)) }
	if err := ensure(); !errors.Is(err, tenancy.ErrBehind) {
		t.Fatalf("two pupils of one name: %v, want ErrBehind", err)
	}
	if _, err := admin.Exec(t.Context(), `delete from `+pupil+` where id = 100`); err != nil {
		t.Fatal(err)
	}
	clock.Pass(10*time.Second - 1)
	if err := ensure(); !errors.Is(err, tenancy.ErrBehind) {
		t.Errorf("within 10 seconds: %v, want the remembered failure", err)
	}
	clock.Pass(1)
	if err := ensure(); err != nil {
		t.Errorf("after 10 seconds: %v, want it migrated", err)
	}
}
