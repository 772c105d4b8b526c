package tenancy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/migrations"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit/clusters"
)

func TestAStatementBoundToNoSchoolIsRefused(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	c := clusters.Ready(t, o)
	s := clusters.NewSchool(t, c, clusters.Ask("one"))
	db := clusters.Bound(t, c, s, tenancy.ReadWrite).WithContext(context.Background())
	for what, err := range map[string]error{
		"a read":        db.Raw(`select name from class`).Scan(new([]string)).Error,
		"a write":       db.Exec(clusters.AddClass, "x").Error,
		"a transaction": db.Transaction(func(*gorm.DB) error { return nil }),
		"several":       tenancy.Pipeline(db, tenancy.Query{SQL: `select name from class`}),
	} {
		if !errors.Is(err, tenancy.ErrNoSchool) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// And were the driver to forget the school, Postgres would still refuse: the login's
	// own search_path leads to the template, which it may not read.
	login := clusters.SignIn(t, o.PlatformURL, clusters.Node(t, c, "main").Logins()[s.Shard])
	if _, err := login.Exec(t.Context(), `select name from class`); clusters.Code(err) != "42501" {
		t.Errorf("an unbound query: %v, want permission denied by Postgres", err)
	}
}

func TestAReadBindingThatWritesIsRefusedByPostgres(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	s := clusters.NewSchool(t, c, clusters.Ask("one"))
	db := clusters.Bound(t, c, s, tenancy.ReadOnly)
	for what, err := range map[string]error{
		"a statement":      db.Exec(clusters.AddClass, "x").Error,
		"several":          tenancy.Pipeline(db, tenancy.Query{SQL: `select 1`}, tenancy.Query{SQL: `delete from class`}),
		"in a transaction": db.Transaction(func(tx *gorm.DB) error { return tx.Exec(clusters.AddClass, "x").Error }),
		"after switching":  db.Transaction(func(tx *gorm.DB) error { return tx.Exec(`set transaction read write`).Error }),
	} {
		if c := clusters.Code(err); c != "25006" && c != "25001" {
			t.Errorf("%s: %v, want read-only transaction", what, err)
		}
	}
	if err := clusters.Bound(t, c, s, tenancy.ReadWrite).Exec(clusters.AddClass, "x").Error; err != nil {
		t.Errorf("a write binding: %v", err)
	}
}

func TestASchoolsRoleHasNoRightOnAnotherSchool(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Shards = 1 // the worst case: the same login serves both
	c := clusters.Ready(t, o)
	a, b := clusters.NewSchool(t, c, clusters.Ask("a")), clusters.NewSchool(t, c, clusters.Ask("b"))
	db := clusters.Bound(t, c, a, tenancy.ReadWrite)
	for _, table := range []string{"role", "class", "app_user", "outbox"} {
		for _, sql := range []string{
			`select from ` + tenancy.Ident(b.Schema) + `.` + table,
			`delete from ` + tenancy.Ident(b.Schema) + `.` + table,
		} {
			if err := db.Exec(sql).Error; clusters.Code(err) != "42501" {
				t.Errorf("%s as the other school: %v, want permission denied", sql, err)
			}
		}
	}
	for _, sql := range []string{
		`select from platform.school`,
		`select from school_template.role`,
		`comment on schema ` + tenancy.Ident(a.Schema) + ` is 'homeroom version 0'`,
		`create table mine ()`,
	} {
		if err := db.Exec(sql).Error; clusters.Code(err) != "42501" {
			t.Errorf("%s as a school: %v, want permission denied", sql, err)
		}
	}
	rights := clusters.One[int](t, clusters.Node(t, c, "main").Admin(),
		`select count(*) from pg_class join pg_namespace n on n.oid = relnamespace
		where nspname = $1 and has_table_privilege($2, pg_class.oid,
		'select, insert, update, delete, truncate, references, trigger')`, b.Schema, a.Role())
	if rights != 0 {
		t.Errorf("the role has rights on %d tables of the other school", rights)
	}
}

func TestAStatementOfAnotherSchoolInATransactionIsRefused(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Shards = 1
	c := clusters.Ready(t, o)
	a, b := clusters.NewSchool(t, c, clusters.Ask("a")), clusters.NewSchool(t, c, clusters.Ask("b"))
	err := clusters.Bound(t, c, a, tenancy.ReadWrite).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(clusters.AddClass, "x").Error; err != nil {
			return err
		}
		return tx.WithContext(clusters.Bound(t, c, b, tenancy.ReadWrite).Statement.Context).Exec(clusters.AddClass, "y").Error
	})
	if !errors.Is(err, tenancy.ErrOtherSchool) {
		t.Errorf("%v, want ErrOtherSchool", err)
	}
}

func TestAMigrationCanTakeRightsBack(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Migrations = []migrations.Migration{
		{Version: 1, Name: "0001_book", SQL: `create table book (id int primary key, line text); -- no semicolon follows`},
	}
	c := clusters.Ready(t, o)
	early := clusters.NewSchool(t, c, clusters.Ask("early"))
	o.Migrations = append(o.Migrations, migrations.Migration{Version: 2, Name: "0002_journal", SQL: `
		create table journal (id int primary key, line text);
		revoke update, delete on journal, book from :school_role;`})
	c = clusters.Ready(t, o)
	late := clusters.NewSchool(t, c, clusters.Ask("late"))
	if err := lifecycle.NewMigrator(c).EnsureSchool(t.Context(), early); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*tenancy.School{early, late} {
		db := clusters.Bound(t, c, s, tenancy.ReadWrite)
		for _, table := range []string{"book", "journal"} {
			if err := db.Exec(`insert into ` + table + ` values (1, 'x')`).Error; err != nil {
				t.Errorf("school %s, adding to %s: %v", s.Code, table, err)
			}
			if err := db.Exec(`update ` + table + ` set line = 'y'`).Error; clusters.Code(err) != "42501" {
				t.Errorf("school %s, changing %s: %v, want permission denied", s.Code, table, err)
			}
			if err := db.Exec(`delete from ` + table).Error; clusters.Code(err) != "42501" {
				t.Errorf("school %s, deleting from %s: %v, want permission denied", s.Code, table, err)
			}
		}
	}
}

func TestSchoolsLiveOnAnotherServerThanThePlatform(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.MainURL = clusters.NewDatabase(t, "north")
	c := clusters.Ready(t, o)
	s := clusters.NewSchool(t, c, clusters.Ask("far"))
	if err := clusters.Bound(t, c, s, tenancy.ReadWrite).Exec(clusters.AddClass, "x").Error; err != nil {
		t.Fatal(err)
	}
	const schemas = `select count(*) from pg_namespace where nspname like 'school%'`
	if got := clusters.One[int](t, c.PlatformPool(), schemas); got != 0 {
		t.Errorf("%d school schemas are on the platform's server", got)
	}
	if got := clusters.One[int](t, clusters.Node(t, c, "main").Admin(), schemas); got != 2 {
		t.Errorf("%d school schemas are on the node, want the template and one", got)
	}
}

func TestNewSchoolsGoToTheLeastLoadedNode(t *testing.T) {
	t.Parallel()
	c := clusters.Ready(t, clusters.Options(t))
	north := clusters.NewDatabase(t, "north")
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.AddNode(t.Context(), c, "north", north, ""); err != nil {
		t.Errorf("adding it again: %v", err)
	}
	if err := lifecycle.AddNode(t.Context(), c, "north", clusters.NewDatabase(t, "main"), ""); !errors.Is(err, lifecycle.ErrNodeExists) {
		t.Errorf("adding another server under its name: %v", err)
	}
	on := map[string]int{}
	for _, code := range []string{"a", "b", "c", "d"} {
		s := clusters.NewSchool(t, c, clusters.Ask(code))
		on[s.Node]++
		if err := clusters.TryRead(t, c, s); err != nil {
			t.Error(err)
		}
	}
	if on["main"] != 2 || on["north"] != 2 {
		t.Errorf("schools per node: %v", on)
	}
	n := clusters.Ask("e")
	n.Node = "north"
	if s := clusters.NewSchool(t, c, n); s.Node != "north" {
		t.Errorf("asked for north, got %s", s.Node)
	}
	n = clusters.Ask("f")
	n.Node = "nowhere"
	if _, err := lifecycle.NewProvisioner(c).Request(t.Context(), n); !errors.Is(err, lifecycle.ErrNoNode) {
		t.Errorf("asked for a node that is not there: %v", err)
	}
}

// Postgres keeps which roles a login may take, and may keep it as it was before a grant that comes just then.
func TestRole_GrantedWhileOthersAreTaken_IsTaken(t *testing.T) {
	t.Parallel()
	o := clusters.Options(t)
	o.Shards, o.ShardConns = 1, 8
	c := clusters.Ready(t, o)
	s := clusters.NewSchool(t, c, clusters.Ask("one"))
	login := tenancy.Ident(clusters.Node(t, c, "main").Logins()[s.Shard].Name)
	owner := clusters.Connect(t, o.PlatformURL)
	var newest atomic.Pointer[tenancy.School]
	newest.Store(s)
	var ended atomic.Bool
	var takers sync.WaitGroup
	for i := range o.ShardConns {
		takers.Go(func() {
			for n := i; !ended.Load(); n++ {
				if err := takeRole(t.Context(), c, newest.Load(), n%2 == 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var made []string
	for range 300 {
		next := *s
		next.Schema = "school_" + strings.ReplaceAll(uuid.NewString(), "-", "")
		made = append(made, next.Schema)
		clusters.Exec(t, owner, fmt.Sprintf(`create role %s; grant %[1]s to %s`, next.Schema, login))
		newest.Store(&next)
	}
	ended.Store(true)
	takers.Wait()
	clusters.Exec(t, owner, `drop role `+strings.Join(made, ", "))
}

func takeRole(ctx context.Context, c *tenancy.Cluster, s *tenancy.School, inTransaction bool) error {
	db, err := c.School(ctx, s, tenancy.ReadOnly)
	if err != nil {
		return err
	}
	if !inTransaction {
		return db.Exec(`select 1`).Error
	}
	return db.Transaction(func(tx *gorm.DB) error { return tx.Exec(`select 1`).Error })
}
