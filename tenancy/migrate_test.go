package tenancy_test

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

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
)

// pupils is a small school: tests of the migrator need many of them.
var pupils = []migrations.Migration{{Version: 1, Name: "0001_pupil", SQL: `create table pupil (id int primary key, name text not null);
	insert into pupil select i, 'pupil ' || i from generate_series(1, 20) i;`}}

// andThen is a fleet's migrations with one more.
func andThen(ms []migrations.Migration, sql string) []migrations.Migration {
	next := len(ms) + 1
	return append(ms[:len(ms):len(ms)], migrations.Migration{Version: next, Name: fmt.Sprintf("%04d_next", next), SQL: sql})
}

// fleet is a cluster of so many small schools.
func fleet(t *testing.T, o *tenancy.Options, schools int) (*tenancy.Cluster, []*tenancy.School) {
	t.Helper()
	if o.Migrations == nil {
		o.Migrations = pupils
	}
	c := ready(t, *o)
	out := make([]*tenancy.School, schools)
	together(t, min(schools, 4), func(worker int) error {
		for i := worker; i < schools; i += 4 {
			p := lifecycle.NewProvisioner(c)
			s, err := p.Request(t.Context(), ask(fmt.Sprintf("s%03d", i)))
			if err == nil {
				err = p.Run(t.Context(), s.ID)
			}
			if err == nil {
				out[i], err = c.FindSchool(t.Context(), s.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return c, out
}

func TestThreeMigratorsAtOnceMigrateEachSchoolOnce(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Spares = 2
	c, schools := fleet(t, &o, 30)
	if made, err := lifecycle.KeepSpares(t.Context(), c); err != nil || made != 2 {
		t.Fatalf("made %d spares: %v", made, err)
	}
	// Done twice, this would fail; and every time it is done, it leaves a row.
	o.Migrations = andThen(pupils, `create table done (at timestamptz default now()); insert into done default values;`)
	var migrated, failed atomic.Int64
	instances := []*tenancy.Cluster{open(t, o), open(t, o), open(t, o)}
	together(t, len(instances), func(i int) error {
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
		if got := one[int](t, node(t, c, "main").Admin(), `select count(*) from `+tenancy.Ident(s.Schema)+`.done`); got != 1 {
			t.Errorf("school %s was migrated %d times", s.Code, got)
		}
	}
	if got := one[int](t, c.PlatformPool(), `select count(*) from platform.school where schema_version = 2 and migration_error = ''`); got != len(schools) {
		t.Errorf("the directory has %d schools at version 2", got)
	}
	if got := one[int](t, c.PlatformPool(), `select count(*) from platform.spare_schema where schema_version = 2`); got != 2 {
		t.Errorf("the directory has %d spares at version 2", got)
	}
}

func TestASchoolThatFailsIsReportedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	o := options(t)
	c, schools := fleet(t, &o, 8)
	bad := schools[3]
	admin := node(t, c, "main").Admin()
	if _, err := admin.Exec(t.Context(), `insert into `+tenancy.Ident(bad.Schema)+`.pupil values (100, 'pupil 1')`); err != nil {
		t.Fatal(err)
	}
	o.Migrations = andThen(andThen(pupils, `alter table pupil add column note text`), `create unique index on pupil (name)`)
	c = open(t, o)
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
		if got := find(t, c, s.ID).SchemaVersion; got != want {
			t.Errorf("school %s has version %d, want %d", s.Code, got, want)
		}
		got := one[string](t, c.PlatformPool(), `select migration_error from platform.school where id = $1`, s.ID)
		if (got == "") != (reason == "") || !strings.Contains(got, reason) {
			t.Errorf("school %s: error %q, want %q", s.Code, got, reason)
		}
	}
	// A request that meets it is told so, and once it is mended it goes on where it stopped.
	if err := m.EnsureSchool(t.Context(), find(t, c, bad.ID)); !errors.Is(err, tenancy.ErrBehind) {
		t.Errorf("a request for it: %v", err)
	}
	if _, err := admin.Exec(t.Context(), `delete from `+tenancy.Ident(bad.Schema)+`.pupil where id = 100`); err != nil {
		t.Fatal(err)
	}
	if report, err = m.Run(t.Context()); err != nil || report.Failed != 0 || report.Migrated != 1 {
		t.Errorf("the second run: %+v, %v", report, err)
	}
	if got := one[string](t, c.PlatformPool(), `select migration_error from platform.school where id = $1`, bad.ID); got != "" {
		t.Errorf("the error stays: %q", got)
	}
}

func TestATemplateThatFailsKeepsTheSchoolsAsTheyAre(t *testing.T) {
	t.Parallel()
	o := options(t)
	c, schools := fleet(t, &o, 3)
	o.Migrations = andThen(pupils, `create table pupil ()`)
	report, err := lifecycle.NewMigrator(open(t, o)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Failed != 4 || report.Migrated != 0 || report.Failures[0].Schema != tenancy.TemplateSchema {
		t.Errorf("%+v, want the template's failure and the schools not tried", report)
	}
	for _, s := range schools {
		if err := bound(t, c, s, tenancy.ReadOnly).Exec(`select id from pupil`).Error; err != nil {
			t.Error(err)
		}
	}
}

func TestABusyTableIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := options(t)
	_, schools := fleet(t, &o, 2)
	o.Migrations = andThen(pupils, `alter table pupil add column note text`)
	c := open(t, o)
	blocker := connect(t, o.PlatformURL)
	run(t, blocker, `begin`)
	run(t, blocker, `select from `+tenancy.Ident(schools[0].Schema)+`.pupil`)
	m := lifecycle.NewMigrator(c)
	m.LockTimeout = 20 * time.Millisecond
	m.Tries = 2
	report, err := m.Run(t.Context())
	if err != nil || report.Failed != 1 || code(report.Failures[0]) != "55P03" {
		t.Fatalf("while it is held: %+v, %v, want a lock timeout", report, err)
	}
	// The other school was not held up; this one is done as soon as the table is free.
	if got := find(t, c, schools[1].ID).SchemaVersion; got != 2 {
		t.Errorf("the other school has version %d", got)
	}
	m.Tries = 1000
	refused := make(chan struct{})
	go func() {
		defer close(refused)
		// Every try waits for the lock: seen twice, it was refused at least once.
		watch := connect(t, o.PlatformURL)
		for seen := map[time.Time]bool{}; len(seen) < 2; {
			var began time.Time
			err := watch.QueryRow(t.Context(), `select query_start from pg_stat_activity where wait_event_type = 'Lock' and query like '%add column note%'
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
	o := options(t)
	o.ShardConns = 4
	c, schools := fleet(t, &o, 40)
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
				db := bound(t, c, s, tenancy.ReadWrite)
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
	ms := pupils
	for _, sql := range []string{`alter table pupil add column note text`, `alter table pupil add column level int not null default 0`, `create table house (id int primary key)`} {
		for range 300 { // let every connection have its plans
			select {
			case <-tick:
			case <-ctx.Done():
			}
		}
		ms = andThen(ms, sql)
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
	o := options(t)
	_, schools := fleet(t, &o, 1)
	o.Migrations = andThen(pupils, `create table done (at timestamptz default now()); insert into done default values;`)
	c := ready(t, o)
	var told atomic.Int64
	c.Changed = func(id uuid.UUID) {
		if id == schools[0].ID {
			told.Add(1)
		}
	}
	m := lifecycle.NewMigrator(c)
	together(t, 20, func(int) error { return m.EnsureSchool(t.Context(), schools[0]) })
	if got := one[int](t, node(t, c, "main").Admin(), `select count(*) from `+tenancy.Ident(schools[0].Schema)+`.done`); got != 1 {
		t.Errorf("migrated %d times", got)
	}
	if told.Load() == 0 {
		t.Error("nobody was told of the change")
	}
	if got := find(t, c, schools[0].ID).SchemaVersion; got != 2 {
		t.Errorf("the directory says version %d", got)
	}
}

func TestTheDirectoryIsHealedFromTheSchoolsOwnVersion(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Migrations = andThen(pupils, `alter table pupil add column note text`)
	c, schools := fleet(t, &o, 2)
	pool := c.PlatformPool()
	// Migrated, but the instance died before the directory was told.
	if _, err := pool.Exec(t.Context(), `update platform.school set schema_version = 1 where id = $1`, schools[0].ID); err != nil {
		t.Fatal(err)
	}
	report, err := lifecycle.NewMigrator(c).Run(t.Context())
	if err != nil || report.Migrated != 0 || report.Failed != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := find(t, c, schools[0].ID).SchemaVersion; got != 2 {
		t.Errorf("the directory says version %d, want 2", got)
	}
	// The directory says it is migrated, but its node was restored from a backup.
	admin := node(t, c, "main").Admin()
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
